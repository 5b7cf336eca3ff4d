// The calls of the API. Each states the least role that it takes: there is no route without one.
import type { z } from 'zod';
import type { Role } from '../guard/identity.ts';
import type { Problem } from '../problem.ts';
import { problemOf, type Interventions, type Operation, type Result } from './operation.ts';
import { NoBody, parseBody, PauseBody, pauseJson } from './shapes.ts';

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
  return [...pauseRoutes(interventions), ...deliveryRoutes(interventions)];
}

function pauseRoutes(interventions: Interventions): readonly ApiRoute[] {
  return [
    {
      path: '/watches/:name/pauses',
      role: 'operator',
      answer: ({ parameter, body, operation }) =>
        withBody(PauseBody, body, async (draft) =>
          answered(201, await interventions.pause(parameter('name'), draft, operation), pauseJson),
        ),
    },
    bare('/watches/:name/pauses/end', async (name, operation) =>
      answered(200, await interventions.endPause(name, operation), pauseJson),
    ),
  ];
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
  return {
    path,
    role: 'operator',
    answer: ({ parameter, body, operation }) => withBody(NoBody, body, () => work(parameter('name'), operation)),
  };
}

function asItIs(value: object): object {
  return value;
}

async function withBody<T>(shape: z.ZodType<T>, body: unknown, work: (body: T) => Promise<Answer>): Promise<Answer> {
  const read = parseBody(shape, body);
  return 'problem' in read ? read : work(read.body);
}

function answered<T>(status: 200 | 201, result: Result<T>, json: (value: T) => object): Answer {
  if (result.type === 'refused') return { problem: problemOf(result.why) };
  return { status, body: json(result.value) };
}
