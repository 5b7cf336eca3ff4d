// A call of the API as data, for the router and for the document. Every route states its role.
import type { z } from 'zod';
import type { OperatorRequest } from '../../operators/action.ts';
import type { Role } from '../guard/identity.ts';
import type { Parameters } from '../parameters.ts';
import type { ApiProblem, ProblemName } from '../problem.ts';

export type ApiRoute = ReadRoute | WriteRoute;

interface Route {
  /** Parameters as `:name`. */
  readonly path: string;
  /** The least role that may make the call. */
  readonly role: Role;
  readonly tag: Tag;
  /** Its effect, in a sentence. */
  readonly summary: string;
  /** The JSON body of an answer. */
  readonly shape: z.ZodType;
  /** The problems beside those of every call. */
  readonly problems: readonly ProblemName[];
}

export const TAGS = ['overview', 'watches', 'alerts', 'history', 'silences', 'deliveries', 'daemon'] as const;
export type Tag = (typeof TAGS)[number];

/** A call that changes nothing. */
export interface ReadRoute extends Route {
  readonly method: 'get';
  /** Parameters of the query; each is text, or a list of texts. */
  readonly query: z.ZodObject | null;
  /** The content type of an answer, which is text; left out: JSON. */
  readonly type?: string;
  readonly answer: (call: ReadCall) => Promise<ReadResult>;
}

export interface ReadCall {
  readonly parameter: PathParameter;
  readonly query: Parameters;
}

export type ReadResult = { readonly body: object | string } | { readonly problem: ApiProblem };
export type WriteResult = ReadResult & {
  /** The location of the new thing: a path under the root of the API. */
  readonly location?: string | undefined;
};

/** A call with a body. */
export interface WriteRoute extends Route {
  readonly method: 'post';
  /** True if the call changes something; it then acts once for each idempotency key. False: it only reads. */
  readonly isChange: boolean;
  readonly body: z.ZodType;
  readonly status: 200 | 201;
  readonly answer: (call: WriteCall) => Promise<WriteResult>;
}

export interface WriteCall {
  readonly parameter: PathParameter;
  readonly body: unknown;
  readonly request: OperatorRequest;
}

/** A parameter of the path, decoded. */
export type PathParameter = (name: string) => string;
