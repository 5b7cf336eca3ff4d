import type { z } from 'zod';
import { bareHost, isLoopback } from '../lib/network.ts';
import type { ExplorerSettings, ExplorerPlan } from './model.ts';
import { parseAt } from './issues.ts';
import { hintFor } from './values/nearest.ts';
import type { Problem } from './problem.ts';
import { quote } from './values/scalars.ts';
import { Secret } from './values/secret.ts';
import type { SecretReader } from './values/secrets.ts';
import { ExplorerShapes, FORMS, type SecretText } from './shape.ts';
import { type Path, isMap } from './yaml/written.ts';
import type { Source } from './yaml/yaml.ts';

interface Read<T> {
  readonly value: T | null;
  readonly problems: readonly Problem[];
}

/** Reads one explorer with the schema of its form. Problems of its secrets are kept in `missing`. */
export function readExplorer(
  source: Source,
  name: string,
  written: unknown,
  secrets: SecretReader,
): Read<ExplorerSettings> {
  const path = ['explorers', name];
  const form = isMap(written) ? written['form'] : undefined;
  const known = FORMS.find((one) => one === form);
  if (known === undefined) return { value: null, problems: [formProblem(source, path, form)] };
  const tools = { source, path, name, secrets };
  switch (known) {
    case 'multichain':
      return build(encrypted(parseAt(ExplorerShapes.multichain, written, tools), 'base_url', tools), (at) => ({
        form: known,
        baseUrl: at.base_url,
        chainId: at.chain_id,
        ...remote(at, tools),
      }));
    case 'instance':
      return build(encrypted(parseAt(ExplorerShapes.instance, written, tools), 'instance_url', tools), (at) => ({
        form: known,
        instanceUrl: at.instance_url,
        ...remote(at, tools),
      }));
    case 'sandbox':
      return build(parseAt(ExplorerShapes.sandbox, written, tools), (at) => ({
        form: known,
        seed: at.seed,
        blockTime: at.block_time === 'manual' ? at.block_time : { ms: at.block_time },
        control: at.control,
        faults: at.faults,
        as: at.as ?? null,
        plan: at.plan === undefined ? null : planOf(at.plan),
        ...shared(at, tools),
        rpc: at.rpc,
        missing: [],
      }));
  }
}

type Parsed<T> = { readonly value: T } | { readonly problems: readonly Problem[] };

/**
 * Anyone on the network path can read a key that is sent without encryption, so `insecure: true` is required for it.
 */
function encrypted<K extends string, T extends WrittenRemote & Record<K, string>>(
  parsed: Parsed<T>,
  key: K,
  { source, path }: { readonly source: Source; readonly path: Path },
): Parsed<T> {
  if ('problems' in parsed) return parsed;
  const { api_key, insecure, [key]: url } = parsed.value;
  const { protocol, hostname } = new URL(url);
  const isSafe = protocol === 'https:' || isLoopback(bareHost(hostname));
  if (api_key === undefined || insecure || isSafe) return parsed;
  const message = 'the API key would cross the network without encryption';
  return { problems: [source.problem([...path, key], { message, hint: 'Use https:, or write insecure: true.' })] };
}

function formProblem(source: Source, path: Path, form: unknown): Problem {
  if (typeof form !== 'string')
    return source.problem(path, { message: 'form is missing', hint: `Possible: ${FORMS.join(', ')}.` });
  return source.problem([...path, 'form'], {
    message: `${quote(form)} is no form of explorer`,
    hint: hintFor(form, FORMS),
  });
}

function build<T, R>(parsed: Parsed<T>, make: (value: T) => R): Read<R> {
  return 'problems' in parsed
    ? { value: null, problems: parsed.problems }
    : { value: make(parsed.value), problems: [] };
}

interface Tools {
  readonly name: string;
  readonly path: Path;
  readonly secrets: SecretReader;
}

type WrittenSandbox = z.output<typeof ExplorerShapes.sandbox>;
type WrittenRemote = z.output<typeof ExplorerShapes.multichain> | z.output<typeof ExplorerShapes.instance>;
type WrittenPlan = NonNullable<WrittenRemote['plan']>;

function shared(at: WrittenSandbox | WrittenRemote, { name, path }: Tools) {
  return { name, path, coin: at.coin, blindAfterMs: at.blind_after ?? null, pageUrl: at.page_url ?? null };
}

function remote(at: WrittenRemote, tools: Tools) {
  const missing: Problem[] = [];
  const secretAt = (written: SecretText, steps: Path, faultOf: typeof headerFault): Secret | null => {
    const read = tools.secrets.read(written, [...tools.path, ...steps], faultOf);
    if ('text' in read) return new Secret(read.text);
    missing.push(read.missing);
    return null;
  };
  const headers: Record<string, Secret> = {};
  for (const [name, written] of Object.entries(at.headers)) {
    const value = secretAt(written, ['headers', name], headerFault);
    if (value !== null) headers[name.toLowerCase()] = value;
  }
  const apiKey = at.api_key === undefined ? null : secretAt(at.api_key, ['api_key'], keyFault);
  return {
    ...shared(at, tools),
    apiKey,
    auth: at.auth,
    plan: at.plan === undefined ? null : planOf(at.plan),
    concurrency: at.concurrency,
    rpc: at.rpc,
    headers,
    missing,
  };
}

/**
 * The reason why a text is no header value, such as `has a line break in it`; null when it is one. Checked at load:
 * Node would refuse it only when the explorer is opened.
 */
export function headerFault(text: string): string | null {
  if (/[\r\n]/.test(text)) return 'has a line break in it';
  if (/(?!\t)\p{Cc}/u.test(text)) return 'has a control character in it';
  return /[^\t -\u00ff]/.test(text) ? 'has a character in it that no header can carry' : null;
}

/** The reason why a text is no API key; null when it is one. A key is sent as a bearer token or in the address. */
export function keyFault(text: string): string | null {
  return headerFault(text) ?? (/[^\u0021-\u007e]/.test(text) ? 'has a blank or a letter with an accent in it' : null);
}

function planOf(plan: WrittenPlan): ExplorerPlan {
  return {
    requestsPerSecond: plan.requests_per_second ?? null,
    credits: plan.credits ?? null,
    per: plan.per,
    reservePercent: plan.reserve,
    enrichPercent: plan.enrich,
    resets: plan.resets ?? null,
    isStretched: plan.stretch === 'on',
  };
}
