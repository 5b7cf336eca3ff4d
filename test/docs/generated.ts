// The parts of docs/ that are made of the code: fields of rules, keys of the config, metrics, and calls that change something.
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { configJsonSchema, propertiesOf, type JsonSchema } from '../../src/rules/schema/schema.ts';
import { asMarkdown, kindReference, type Reference } from '../../src/rules/schema/reference.ts';
import { notifiers } from '../../src/notifiers/index.ts';
import type { MetricRow } from '../../src/telemetry/metric-rows/row.ts';
import { METRICS } from '../../src/telemetry/metric-table.ts';
import { kinds } from '../../src/watches/index.ts';
import { API_ROOT, apiRoutes } from '../../src/web/api/routes.ts';
import { failingActions, someQueries } from '../support/web/web.ts';

const MADE_BY = '<!-- Made by `npm run docs`; a test compares it with the code. -->';

/** By file. */
export const GENERATED: Readonly<Record<string, () => string>> = {
  'docs/fields.md': fieldsPage,
  'docs/config.md': configPage,
  'docs/metrics.md': metricsPage,
  'docs/api.md': apiPage,
};

function fieldsPage(): string {
  const intro = `# Fields

What a rule of each kind may read: its events, fields, functions and filters. \`npx chainwarden fields KIND\` prints the same.
How a rule is written: [rules.md](rules.md).`;
  const index = table(
    ['kind', 'what it watches'],
    kinds.map(({ name, summary }) => [`[${name}](#${name})`, summary]),
  );
  const own = kinds.map((kind, place) => {
    const isShownLater = kinds.slice(place + 1).some(({ signatures }) => signatures === kind.signatures);
    return asMarkdown(withoutShared(kindReference(isShownLater ? { ...kind, signatures: [] } : kind, kinds)));
  });
  return [MADE_BY, intro, index, ...own, sharedPart()].join('\n\n');
}

const SHARED: readonly string[] = ['Functions', 'Methods', 'Filters of templates'];

function withoutShared(reference: Reference): Reference {
  return { ...reference, sections: reference.sections.filter(({ title }) => !SHARED.includes(title)) };
}

/** What every kind has, once. */
function sharedPart(): string {
  const [first] = kinds;
  if (first === undefined) return '';
  const { sections } = kindReference(first, kinds);
  const summary = 'These are the same in every kind; an example names the kind whose fields it reads.';
  return asMarkdown({
    title: 'Functions of every kind',
    summary,
    notes: [],
    sections: sections.filter(({ title }) => SHARED.includes(title)),
  });
}

function metricsPage(): string {
  const intro = `# Metrics

\`curl localhost:9797/metrics\`. A value that is not known is absent: no -1, no 0 in its place. Times are timestamps, so that an
age cannot look young when nothing moves any more. Numbers are rounded to doubles for display; decisions use exact amounts.
\`watch\` is the id of a rule; \`of\` and \`token\` are names of the config, or the short form of an address without a name,
as in the name of the watch: \`0x3c54…b3AB\`.
Ready-made alerts: [deploy/prometheus-rules.yaml](../deploy/prometheus-rules.yaml); a dashboard:
[deploy/grafana](../deploy/grafana). Set them up: [deploy.md](deploy.md).`;
  const rows = Object.entries<MetricRow>(METRICS).map(([name, { type, labels, help }]) => [
    `\`${name}${labels.length === 0 ? '' : `{${labels.join(',')}}`}\``,
    type,
    help,
  ]);
  return [MADE_BY, intro, table(['metric', 'type', 'meaning'], rows)].join('\n\n');
}

/** Written by hand, but for the table between these two lines. */
function apiPage(): string {
  const [begin, end] = [MADE_BY, '<!-- The end of what is made. -->'];
  const [before = '', rest = ''] = readFileSync('docs/api.md', 'utf8').split(begin);
  const [, after = ''] = rest.split(end);
  const routes = apiRoutes({ perform: failingActions(new Error()), queries: someQueries({}) });
  const rows = routes.flatMap((route) =>
    route.method === 'post'
      ? [[`\`POST ${API_ROOT}${route.path.replaceAll(/:(\w+)/g, '{$1}')}\``, bodyText(route.body), route.summary]]
      : [],
  );
  return [before.trim(), begin, table(['call', 'body', 'what it does'], rows), end, after.trim()].join('\n\n');
}

/** `` `until`, `comment`; `from` `` with what may be left out after the semicolon. */
function bodyText(shape: z.ZodType): string {
  const { properties = {}, required = [] } = z.toJSONSchema(shape, { io: 'input' });
  const [needed, others] = [required, Object.keys(properties).filter((key) => !required.includes(key))].map((keys) =>
    keys.map((key) => `\`${key}\``).join(', '),
  );
  return [needed || 'none', others].filter(Boolean).join('; ');
}

function configPage(): string {
  const intro = `# The config file

Every key of \`config.yaml\`. [config.example.yaml](../config.example.yaml) has them all with comments, and
\`npx chainwarden check\` says what is wrong, with its place. Secrets are written \`{ env: NAME }\` or \`{ file: PATH }\`.
Durations are \`30s\`, \`10m\`, \`2h\` or \`1d\`. Paths are relative to the file.`;
  const keys = propertiesOf(configJsonSchema(notifiers));
  const sections = Object.entries(keys).map(([key, schema]) => section(key, schema));
  return [MADE_BY, intro, ...sections].join('\n\n');
}

function section(key: string, schema: JsonSchema): string {
  const named = schema['additionalProperties'];
  const variants = isSchema(named) ? variantsOf(named) : [];
  const head = [`## ${key}`, `${capital(textOf(schema['description']))}.`, exampleLine(key, schema)];
  const kinds_ = variants.flatMap((one) => {
    const title = titleOf(one);
    return title === null ? [] : [`### ${title}`, ...summaryOf(one), keyTable(one)];
  });
  const own = 'items' in schema ? innerOf(schema).flatMap((one) => rowsOf(one, '')) : rowsOf(schema, '');
  return [...head, ...(own.length === 0 ? [] : [keyRows(own)]), ...kinds_].filter((part) => part !== '').join('\n\n');
}

/** `form: multichain` or `type: slack`. */
function titleOf(variant: JsonSchema): string | null {
  const [name, value] =
    Object.entries(propertiesOf(variant)).find(([, one]) => 'const' in one || oneOf(one) !== undefined) ?? [];
  if (name === undefined || value === undefined || !['form', 'type'].includes(name)) return null;
  return `${name}: ${String(value['const'] ?? oneOf(value))}`;
}

function oneOf(schema: JsonSchema): unknown {
  const legal = schema['enum'];
  return Array.isArray(legal) && legal.length === 1 ? (legal[0] as unknown) : undefined;
}

function summaryOf(variant: JsonSchema): string[] {
  const text = textOf(variant['description']);
  return text === '' ? [] : [text];
}

function keyTable(schema: JsonSchema): string {
  return keyRows(rowsOf(schema, ''));
}

function keyRows(rows: readonly (readonly string[])[]): string {
  return table(['key', 'what it says', 'example', 'without it'], rows);
}

const DEEPEST = 4;

function rowsOf(schema: JsonSchema, before: string, depth = 0): string[][] {
  const required = (schema['required'] ?? []) as readonly string[];
  return Object.entries(propertiesOf(schema)).flatMap(([name, value]) => {
    const path = `${before}${name}`;
    const without = required.includes(name) && !('default' in value) ? 'required' : valueText(value['default']);
    const example = valueText((value['examples'] as readonly unknown[] | undefined)?.[0] ?? value['const']);
    const own = [`\`${path}\``, textOf(value['description']), example, without];
    const inner =
      depth >= DEEPEST ? [] : innerOf(value).flatMap((one) => rowsOf(one, innerPath(path, value), depth + 1));
    return [own, ...inner];
  });
}

function innerPath(path: string, value: JsonSchema): string {
  if (isSchema(value['additionalProperties'])) return `${path}.NAME.`;
  return 'items' in value || variantsOf(value).some((one) => 'items' in one) ? `${path}[].` : `${path}.`;
}

/** The maps inside a value: of a list, of a map by names, and of alternatives. A reference to a secret is none. */
function innerOf(value: JsonSchema): JsonSchema[] {
  const parts = [value['items'], value['additionalProperties'], ...variantsOf(value)].filter(isSchema);
  const maps = parts.flatMap((part) => ('properties' in part ? [part] : innerOf(part)));
  const own = 'properties' in value ? [value] : [];
  return [...own, ...maps].filter((one) => !isSecret(one));
}

function isSecret(schema: JsonSchema): boolean {
  const keys = Object.keys(propertiesOf(schema));
  return keys.length > 0 && keys.every((key) => key === 'env' || key === 'file');
}

function variantsOf(schema: JsonSchema): JsonSchema[] {
  const variants = schema['anyOf'] ?? schema['oneOf'];
  return Array.isArray(variants) ? variants.filter(isSchema) : [];
}

function isSchema(part: unknown): part is JsonSchema {
  return typeof part === 'object' && part !== null && !Array.isArray(part);
}

function exampleLine(key: string, schema: JsonSchema): string {
  const [example] = (schema['examples'] ?? []) as readonly unknown[];
  return example === undefined ? '' : `For example \`${key}: ${flow(example)}\`.`;
}

function valueText(value: unknown): string {
  return value === undefined ? '' : `\`${flow(value)}\``;
}

/** As YAML's flow form. */
function flow(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  const entries = Object.entries(value).map(([name, part]) => `${name}: ${flow(part)}`);
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
}

function textOf(part: unknown): string {
  return typeof part === 'string' ? part : '';
}

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [
    columns,
    columns.map(() => '---'),
    ...rows.map((row) => row.map((cell) => cell.replaceAll('|', '\\|'))),
  ];
  return cells.map((row) => `| ${row.join(' | ')} |`).join('\n');
}
