// The calls that change something.
import type { z } from 'zod';
import type { ProblemName } from '../problem.ts';
import { AckShape, Channel, Delivery, Pause, Sample, Silence } from './answers.ts';
import { problemOf, type AlertName, type Interventions, type WriteRequest, type Result } from './operation.ts';
import type { PathParameter, ReadResult, WriteCall, WriteRoute } from './route.ts';
import {
  AckBody,
  ackJson,
  ExtendBody,
  NoBody,
  parseBody,
  PauseBody,
  pauseJson,
  SilenceBody,
  silenceJson,
} from './shapes.ts';

export function writeRoutes(interventions: Interventions): readonly WriteRoute[] {
  return [
    ...pauseRoutes(interventions),
    ...silenceRoutes(interventions),
    ...ackRoutes(interventions),
    ...deliveryRoutes(interventions),
  ];
}

function pauseRoutes(interventions: Interventions): readonly WriteRoute[] {
  const about = { tag: 'watches', shape: Pause } as const;
  return [
    route('/watches/:name/pauses', {
      ...about,
      summary: 'Pauses a watch, or all watches of a rule, for 30 days at most.',
      status: 201,
      body: PauseBody,
      problems: ['not-found'],
      work: async (draft, { parameter, operation }) =>
        answered(await interventions.pause(parameter('name'), draft, operation), pauseJson),
    }),
    bare('/watches/:name/pauses/end', {
      ...about,
      summary: 'Ends a pause: the watches are polled at once.',
      problems: ['not-found'],
      work: async (name, operation) => answered(await interventions.endPause(name, operation), pauseJson),
    }),
  ];
}

function silenceRoutes(interventions: Interventions): readonly WriteRoute[] {
  const about = { tag: 'silences', shape: Silence } as const;
  return [
    route('/silences', {
      ...about,
      summary: 'Silences alerts by their labels, for 30 days at most.',
      status: 201,
      body: SilenceBody,
      problems: ['confirm-needed'],
      work: async (draft, { operation }) => answered(await interventions.silence(draft, operation), silenceJson),
    }),
    route('/silences/:id/extend', {
      ...about,
      summary: 'Gives a silence a later end.',
      status: 200,
      body: ExtendBody,
      problems: ['not-found', 'is-over'],
      work: async ({ until }, { parameter, operation }) =>
        answered(await interventions.extendSilence(parameter('id'), until, operation), silenceJson),
    }),
    bare('/silences/:id/end', {
      ...about,
      summary: 'Ends a silence.',
      problems: ['not-found', 'is-over'],
      work: async (id, operation) => answered(await interventions.endSilence(id, operation), silenceJson),
    }),
  ];
}

function ackRoutes(interventions: Interventions): readonly WriteRoute[] {
  const about = { tag: 'alerts', shape: AckShape } as const;
  return [
    route('/alerts/:key/:episode/acks', {
      ...about,
      summary:
        'Acknowledges one episode of an alert, for 24 hours at most; `seq` is the newest transition that was seen.',
      status: 201,
      body: AckBody,
      problems: ['not-found', 'is-over', 'stale-seq'],
      work: async (draft, { parameter, operation }) =>
        answered(await interventions.ack(alertIn(parameter), draft, operation), ackJson),
    }),
    route('/alerts/:key/:episode/acks/end', {
      ...about,
      summary: 'Ends an acknowledgement: the alert is repeated again.',
      status: 200,
      body: NoBody,
      problems: ['not-found', 'is-over'],
      work: async (_body, { parameter, operation }) =>
        answered(await interventions.endAck(alertIn(parameter), operation), ackJson),
    }),
  ];
}

/** What is no number is no episode of any alert. */
export function alertIn(parameter: PathParameter): AlertName {
  const episode = parameter('episode');
  return { key: parameter('key'), episode: /^\d{1,15}$/.test(episode) ? Number(episode) : -1 };
}

function deliveryRoutes(interventions: Interventions): readonly WriteRoute[] {
  const about = { tag: 'deliveries', shape: Delivery } as const;
  return [
    bare('/deliveries/:id/retry', {
      ...about,
      summary: 'Has a delivery tried again that was given up, under its id.',
      problems: ['not-found', 'not-given-up', 'later-sent'],
      work: async (id, operation) => answered(await interventions.retryDelivery(id, operation), asItIs),
    }),
    bare('/deliveries/:id/dismiss', {
      ...about,
      summary: 'Counts a delivery that was given up no more among those.',
      problems: ['not-found', 'not-given-up'],
      work: async (id, operation) => answered(await interventions.dismissDelivery(id, operation), asItIs),
    }),
    bare('/channels/:name/retry', {
      ...about,
      shape: Channel,
      summary: 'Tries now what waits on a channel.',
      problems: ['not-found'],
      work: async (channel, operation) => answered(await interventions.retryChannel(channel, operation), asItIs),
    }),
    bare('/channels/:name/sample', {
      ...about,
      shape: Sample,
      summary: 'Sends a sample to each recipient of a channel, once, and says what was answered.',
      problems: ['not-found'],
      work: async (channel, operation) => answered(await interventions.sampleChannel(channel, operation), asItIs),
    }),
  ];
}

interface About extends Pick<WriteRoute, 'tag' | 'summary' | 'shape'> {
  readonly problems: readonly ProblemName[];
}

interface BareWork extends About {
  readonly work: (name: string, operation: WriteRequest) => Promise<ReadResult>;
}

/** About the one that the path names, without a body. */
function bare(path: string, { work, ...about }: BareWork): WriteRoute {
  return route(path, {
    ...about,
    status: 200,
    body: NoBody,
    work: (_body, { parameter, operation }) => work(parameter(path.includes(':id') ? 'id' : 'name'), operation),
  });
}

interface Work<T> extends About {
  readonly status: WriteRoute['status'];
  readonly body: z.ZodType<T>;
  readonly work: (body: T, call: WriteCall) => Promise<ReadResult>;
}

/** A call of operators. */
export function route<T>(path: string, { work, body, ...about }: Work<T>): WriteRoute {
  return {
    ...about,
    path,
    body,
    method: 'post',
    role: 'operator',
    async answer(call) {
      const read = parseBody(body, call.body);
      return 'problem' in read ? read : work(read.body, call);
    },
  };
}

function asItIs(value: object): object {
  return value;
}

function answered<T>(result: Result<T>, json: (value: T) => object): ReadResult {
  return result.type === 'refused' ? { problem: problemOf(result.why) } : { body: json(result.value) };
}
