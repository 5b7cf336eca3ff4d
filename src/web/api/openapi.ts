// The document that describes the API, made of the routes and their zod shapes (OpenAPI 3.1.1).
import { z } from 'zod';
import { Gone } from '../../query/shapes/alerts.ts';
import { PROBLEMS, type ProblemName } from '../problem.ts';
import { TAGS, type ApiRoute, type WriteRoute } from './route.ts';

type Json = Readonly<Record<string, unknown>>;

export interface DocumentOptions {
  readonly routes: readonly ApiRoute[];
  /** The root of all paths. */
  readonly root: string;
  readonly version: string;
}

const DESCRIPTION = `The API of Chainwarden: watches, alerts that fire, and messages that were sent. Every call takes a token:
\`Authorization: Bearer TOKEN\`. Times are RFC 3339 in UTC, amounts are decimal text, null means that it is not known.
docs/api.md has examples.`;

export interface OpenApiDocument extends Json {
  /** Operations by path and method. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, Json>>>>;
}

export function openApiDocument({ routes, root, version }: DocumentOptions): OpenApiDocument {
  const { schemaOf, schemas } = convert(routes);
  const paths = Map.groupBy(routes, ({ path }) => `${root}${path.replaceAll(/:(\w+)/g, '{$1}')}`);
  return {
    openapi: '3.1.1',
    info: {
      title: 'Chainwarden',
      version,
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: [{ token: [] }],
    tags: TAGS.filter((tag) => routes.some((route) => route.tag === tag)).map((name) => ({ name })),
    paths: Object.fromEntries(
      [...paths].map(([path, same]) => [
        path,
        Object.fromEntries(same.map((route) => [route.method, operationOf(route, schemaOf(route))])),
      ]),
    ),
    components: { schemas, securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
  };
}

interface RouteSchemas {
  readonly answer: Json;
  readonly request: Json | null;
}

function operationOf(route: ApiRoute, { answer, request }: RouteSchemas): Json {
  const { path, method, tag, summary } = route;
  const about = { operationId: `${method}${path.replaceAll(/\W+/g, '_')}`, tags: [tag], summary };
  const parameters = pathParameters(path);
  const failures = responsesOf([...COMMON[method], ...route.problems]);
  if (route.method === 'get')
    return {
      ...about,
      parameters: [...parameters, ...queryParameters(request), UNLESS],
      responses: { 200: { description: 'Done.', content: contentOf(answer, route.type) }, 304: UNCHANGED, ...failures },
    };
  return {
    ...about,
    parameters: [...parameters, ...(route.isChange ? [KEY] : []), OWN_REQUEST],
    requestBody: { required: isRequired(request), content: contentOf(request) },
    responses: { [route.status]: { ...made(route), content: contentOf(answer) }, ...failures },
  };
}

const EACH: readonly ProblemName[] = [
  'not-authenticated',
  'unknown-host',
  'too-many-attempts',
  'internal-error',
  'not-storable',
];

/** The problems of every call. */
const COMMON: Readonly<Record<ApiRoute['method'], readonly ProblemName[]>> = {
  get: [...EACH, 'invalid-request'],
  post: [...EACH, 'invalid-request', 'not-allowed', 'key-taken', 'too-large', 'not-json'],
};

function pathParameters(path: string): Json[] {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  const schemaOf = (name: string): Json => (name === 'episode' ? { type: 'integer', minimum: 1 } : { type: 'string' });
  return names.map((name) => ({ name, in: 'path', required: true, schema: schemaOf(name) }));
}

function queryParameters(query: Json | null): Json[] {
  const properties = (query?.['properties'] ?? {}) as Readonly<Record<string, Json>>;
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    ...(description !== undefined && { description }),
    schema,
  }));
}

const UNLESS = {
  name: 'If-None-Match',
  in: 'header',
  description: 'The `ETag` of an answer to the same call. While nothing has changed since, the answer is 304.',
  schema: { type: 'string' },
};

const KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: true,
  description:
    'Chosen by the client. A call that is repeated under its key is done once and gets the first answer, for 24 hours.',
  schema: { type: 'string', pattern: '^[\\w.~:-]{1,64}$' },
};
const OWN_REQUEST = { name: 'X-Chainwarden-Request', in: 'header', required: true, schema: { const: '1' } };

const UNCHANGED = { description: 'Nothing has changed since the answer with that `ETag`.' };

/** False if the body has no members. It may then be left out. */
function isRequired(request: Json | null): boolean {
  return Object.keys(request?.['properties'] ?? {}).length > 0;
}

function made({ status }: WriteRoute): Json {
  if (status === 200) return { description: 'Done.' };
  const schema = { type: 'string', format: 'uri-reference' };
  return { description: 'Done.', headers: { Location: { description: 'The path of the new object.', schema } } };
}

function contentOf(schema: Json | null, type = 'application/json'): Json {
  return { [type.split(';')[0] ?? type]: { schema } };
}

/** The responses by status, since several problems may have the same status. */
function responsesOf(names: readonly ProblemName[]): Json {
  const byStatus = Map.groupBy(new Set(names), (name) => PROBLEMS[name].status);
  return Object.fromEntries(
    [...byStatus].map(([status, same]) => [
      status,
      {
        description: same.map((name) => `${PROBLEMS[name].title} (\`${name}\`).`).join(' '),
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    ]),
  );
}

const ProblemBody = z
  .strictObject({
    type: z.string().describe('The kind of the problem, such as `/about#stale-seq`.'),
    title: z.string(),
    status: z.int(),
    detail: z.string().describe('The cause in this case, and the way to correct it.'),
    instance: z.string().optional().describe('The id under which the log has the details.'),
    problems: z
      .array(z.strictObject({ pointer: z.string().describe('A JSON pointer.'), detail: z.string() }))
      .optional()
      .describe('Each mistake in the request.'),
    since: Gone.shape.since
      .optional()
      .describe('The time of the last stored fact about a watch or alert that no longer exists.'),
    history: Gone.shape.history.optional().describe('The stored history of a watch or alert that no longer exists.'),
  })
  .meta({ id: 'Problem', description: 'A problem in the form of RFC 9457.' });

interface Converted {
  readonly schemaOf: (route: ApiRoute) => RouteSchemas;
  readonly schemas: Json;
}

/** Converts all shapes at once, so that each named shape appears once in the document. */
function convert(routes: readonly ApiRoute[]): Converted {
  const shapes = routes.flatMap((route, n): [string, z.ZodType][] => {
    const request = route.method === 'get' ? route.query : route.body;
    return request === null
      ? [[`answer ${n}`, route.shape]]
      : [
          [`answer ${n}`, route.shape],
          [`request ${n}`, request],
        ];
  });
  const { $defs, properties } = z.toJSONSchema(z.object({ ...Object.fromEntries(shapes), problem: ProblemBody }), {
    io: 'input',
    override: ({ jsonSchema }) => {
      // The format already states it, so the long pattern is left out.
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
    },
  });
  const [schemas, answers, requests] = [
    extensible(inComponents($defs)),
    extensible(inComponents(properties)),
    inComponents(properties),
  ];
  return {
    schemas,
    schemaOf(route) {
      const n = routes.indexOf(route);
      return { answer: part(answers, `answer ${n}`) ?? {}, request: part(requests, `request ${n}`) };
    },
  };
}

/**
 * Allows more members in answers, so that a client generated from the document also accepts answers of a later release.
 */
function extensible(schemas: Json): Json {
  const isClosed = (key: string, value: unknown): boolean => key === 'additionalProperties' && value === false;
  return parsed(JSON.stringify(schemas, (key, value: unknown) => (isClosed(key, value) ? undefined : value)));
}

/** Makes references point to `components/schemas`, the place of named schemas in OpenAPI. */
function inComponents(schemas: unknown): Json {
  const text = JSON.stringify(schemas ?? {}).replaceAll('"#/$defs/', '"#/components/schemas/');
  return parsed(text);
}

function parsed(text: string): Json {
  return z.record(z.string(), z.unknown()).parse(JSON.parse(text));
}

function part(schemas: Json, name: string): Json | null {
  return z.record(z.string(), z.unknown()).safeParse(schemas[name]).data ?? null;
}
