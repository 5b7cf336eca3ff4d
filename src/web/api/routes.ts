// The calls of the API. Each states the least role that it takes: there is no route without one.
import type { z } from 'zod';
import type { Role } from '../guard/identity.ts';
import type { Problem } from '../problem.ts';
import { problemOf, type AlertName, type Interventions, type Operation, type Result } from './operation.ts';
import {
  AckBody,
  ackJson,
  ExtendBody,
  NoBody,
  parseBody,
  PauseBody,
  pauseJson,
  PreviewBody,
  previewJson,
  SilenceBody,
  silenceJson,
} from './shapes.ts';

export interface Call {
  /** A parameter of the path, decoded. */
  readonly parameter: (name: string) => string;
  readonly body: unknown;
  readonly operation: Operation;
}

export type Answer = { readonly status: 200 | 201; readonly body: object } | { readonly problem: Problem };

export interface ApiRoute {
  readonly path: string;
  readonly role: Role;
  readonly answer: (call: Call) => Promise<Answer>;
}

export const API_ROOT = '/api/v1';

/** All of them are POST. */
export function apiRoutes(interventions: Interventions): readonly ApiRoute[] {
  return [
    ...pauseRoutes(interventions),
    ...silenceRoutes(interventions),
    ...ackRoutes(interventions),
    ...deliveryRoutes(interventions),
  ];
}

function pauseRoutes(interventions: Interventions): readonly ApiRoute[] {
  return [
    call('/watches/:name/pauses', PauseBody, async (draft, { parameter, operation }) =>
      answered(201, await interventions.pause(parameter('name'), draft, operation), pauseJson),
    ),
    bare('/watches/:name/pauses/end', async (name, operation) =>
      answered(200, await interventions.endPause(name, operation), pauseJson),
    ),
  ];
}

function silenceRoutes(interventions: Interventions): readonly ApiRoute[] {
  return [
    call('/silences/preview', PreviewBody, async ({ matchers }) =>
      answered(200, await interventions.previewSilence(matchers), previewJson),
    ),
    call('/silences', SilenceBody, async (draft, { operation }) =>
      answered(201, await interventions.silence(draft, operation), silenceJson),
    ),
    call('/silences/:name/extend', ExtendBody, async ({ until }, { parameter, operation }) =>
      answered(200, await interventions.extendSilence(parameter('name'), until, operation), silenceJson),
    ),
    bare('/silences/:name/end', async (id, operation) =>
      answered(200, await interventions.endSilence(id, operation), silenceJson),
    ),
  ];
}

function ackRoutes(interventions: Interventions): readonly ApiRoute[] {
  return [
    call('/alerts/:key/:episode/acks', AckBody, async (draft, { parameter, operation }) =>
      answered(201, await interventions.ack(alertIn(parameter), draft, operation), ackJson),
    ),
    call('/alerts/:key/:episode/acks/end', NoBody, async (_body, { parameter, operation }) =>
      answered(200, await interventions.endAck(alertIn(parameter), operation), ackJson),
    ),
  ];
}

/** What is no number is no episode of any alert. */
function alertIn(parameter: Call['parameter']): AlertName {
  const episode = parameter('episode');
  return { key: parameter('key'), episode: /^\d{1,15}$/.test(episode) ? Number(episode) : -1 };
}

function deliveryRoutes(interventions: Interventions): readonly ApiRoute[] {
  return [
    bare('/deliveries/:name/retry', async (id, operation) =>
      answered(200, await interventions.retryDelivery(id, operation), asItIs),
    ),
    bare('/deliveries/:name/dismiss', async (id, operation) =>
      answered(200, await interventions.dismissDelivery(id, operation), asItIs),
    ),
    bare('/channels/:name/retry', async (channel, operation) =>
      answered(200, await interventions.retryChannel(channel, operation), asItIs),
    ),
  ];
}

/** A call of operators about what the path names, without a body. */
function bare(path: string, work: (name: string, operation: Operation) => Promise<Answer>): ApiRoute {
  return call(path, NoBody, (_body, { parameter, operation }) => work(parameter('name'), operation));
}

/** A call of operators. */
function call<T>(path: string, shape: z.ZodType<T>, work: (body: T, call: Call) => Promise<Answer>): ApiRoute {
  return {
    path,
    role: 'operator',
    async answer(call) {
      const read = parseBody(shape, call.body);
      return 'problem' in read ? read : work(read.body, call);
    },
  };
}

function asItIs(value: object): object {
  return value;
}

function answered<T>(status: 200 | 201, result: Result<T>, json: (value: T) => object): Answer {
  if (result.type === 'refused') return { problem: problemOf(result.why) };
  return { status, body: json(result.value) };
}
