// Holds answers of the API against the document that it publishes, by a validator of JSON Schema that is not ours.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { openApiDocument } from '../../../src/web/api/openapi.ts';
import { API_ROOT, apiRoutes } from '../../../src/web/api/routes.ts';
import { failingActions, someQueries } from './web.ts';

/** As the daemon publishes it, but for the call that answers it. */
export const DOCUMENT = openApiDocument({
  routes: apiRoutes({ perform: failingActions(new Error()), queries: someQueries({}) }),
  root: API_ROOT,
  version: '0.1.0',
});

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema(closed(DOCUMENT), 'api');

/** The document leaves room for members of later releases; an answer of this one has no others. */
function closed<T>(document: T): T {
  return JSON.parse(
    JSON.stringify(document, (_key, value: unknown) =>
      typeof value === 'object' && value !== null && 'properties' in value && !('additionalProperties' in value)
        ? { ...value, additionalProperties: false }
        : value,
    ),
  ) as T;
}

export interface SentAnswer {
  readonly method: string;
  /** With or without a query. */
  readonly path: string;
  readonly status: number | undefined;
  readonly type: string | null | undefined;
  readonly body: unknown;
}

/** What of the answer is not as the document says; none for a path that it does not describe. */
export function differences({ method, path, status, type, body }: SentAnswer): readonly string[] {
  const { paths } = DOCUMENT;
  const [plain = ''] = path.split('?');
  const known = Object.keys(paths).find((one) => patternOf(one).test(plain));
  const operation = known === undefined ? undefined : paths[known]?.[method.toLowerCase()];
  if (known === undefined || operation === undefined) return [];
  const place = [
    'paths',
    known,
    method.toLowerCase(),
    'responses',
    String(status),
    'content',
    (type ?? '').split(';')[0] ?? '',
    'schema',
  ];
  const validate = validatorOf(place);
  if (validate === undefined) return [`${method} ${known}: ${String(status)} with ${String(type)} is not described`];
  if (validate(body)) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message }) => `${method} ${known} ${String(status)}: ${instancePath} ${String(message)}`,
  );
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/[.]/g, String.raw`\\.`).replaceAll(/\{\w+\}/g, '[^/]+')}$`);
}

function validatorOf(place: readonly string[]): ValidateFunction | undefined {
  const pointer = place.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');
  return ajv.getSchema(`api#/${pointer}`);
}
