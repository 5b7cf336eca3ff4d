// The `heartbeat:` part of the config: the service that raises an alarm if the daemon stops calling it.
import { z } from 'zod';
import {
  addressWarnings,
  Allow,
  hostOf,
  isWebAddress,
  mustBeAllowed,
  WEB_ADDRESS,
} from '../../notifiers/wire/egress.ts';
import { parseAt } from '../issues.ts';
import type { HeartbeatSettings } from '../model.ts';
import type { Problem } from '../problem.ts';
import { Secret } from '../values/secret.ts';
import type { SecretReader } from '../values/secrets.ts';
import type { ConfigShape } from '../shape.ts';
import type { Source } from '../yaml/yaml.ts';

type Written = ReturnType<typeof ConfigShape.parse>['heartbeat'];

/** The part after its secret is inserted. */
const Filled = z
  .strictObject({ url: z.string().refine(isWebAddress, WEB_ADDRESS), every: z.number(), allow: Allow })
  .superRefine(mustBeAllowed('url', ({ url }) => hostOf(url)));

interface Read {
  readonly value: HeartbeatSettings | null;
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
}

const PATH = ['heartbeat'];

/** Null if the config has no heartbeat. Its address usually holds a secret. */
export function readHeartbeat(source: Source, written: Written, secrets: SecretReader): Read {
  if (written === undefined) return { value: null, problems: [], warnings: [] };
  const url = secrets.read(written.url, [...PATH, 'url']);
  if ('missing' in url) return { value: null, problems: secrets.lacking(url.missing), warnings: [] };
  const parsed = parseAt(Filled, { ...written, url: url.text }, { source, path: PATH });
  if ('problems' in parsed) return { value: null, problems: parsed.problems, warnings: [] };
  const { every, allow } = parsed.value;
  const warnings = addressWarnings(url.text).map((message) => source.problem(PATH, { key: 'url', message }));
  return { value: { url: new Secret(url.text), everyMs: every, allow }, problems: [], warnings };
}
