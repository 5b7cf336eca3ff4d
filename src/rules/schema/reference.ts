// Makes the reference of a kind from the tables with which rules are loaded.
import type { AnyRecord, FieldType } from '../../core/values/fields.ts';
import type { AnyKind } from '../../core/model/watch/kind.ts';
import { inColumns } from '../../lib/columns.ts';
import { nameIn } from '../../lib/abi/signature.ts';
import { FILTER_DOCS, FUNCTION_DOCS, METHOD_DOCS, WINDOW_DOCS, type FunctionDoc } from '../language/function-docs.ts';
import { eventsOf } from '../language/events.ts';
import { FILTER_TYPES } from '../templates/show.ts';
import { BEFORE, RESERVED_NAMES } from '../language/words.ts';

/** A table: its title, its columns and its rows. */
export interface Section {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export interface Reference {
  readonly title: string;
  readonly summary: string;
  /** Sentences below the summary. */
  readonly notes: readonly string[];
  readonly sections: readonly Section[];
}

/** Depth of the listed paths; deeper fields exist and are not listed. */
const DEEPEST = 2;

/** All kinds, a row each. */
export function kindsReference(kinds: readonly AnyKind[]): Reference {
  return {
    title: 'Kinds',
    summary: 'The kinds of watches.',
    notes: [],
    sections: [
      { title: 'Kinds', columns: ['kind', 'what it watches'], rows: kinds.map((it) => [it.name, it.summary]) },
    ],
  };
}

/** The reference of one kind. `kinds` are all kinds: their examples are used if this kind has none. */
export function kindReference(kind: AnyKind, kinds: readonly AnyKind[]): Reference {
  const measured = kind.while?.measured ?? null;
  const ownPath = kind.while?.only?.[0] ?? numbersOf(kind)[0] ?? 'field';
  return {
    title: kind.name,
    summary: kind.summary,
    notes: notesOf(kind),
    sections: [
      { title: 'Own keys', columns: ['key', 'what it says'], rows: keysOf(kind) },
      {
        title: 'Events',
        columns: ['on', 'what it is'],
        rows: eventsOf(kind),
      },
      { title: 'Fields', columns: ['field', 'type', 'what it is'], rows: fieldsOf(kind).map(rowOf) },
      { title: 'Known signatures', columns: ['name', 'signature'], rows: (kind.signatures ?? []).map(namedRow) },
      {
        title: 'Functions',
        columns: ['function', 'what it gives', 'example'],
        rows: docRows(FUNCTION_DOCS, (name) => exampleFor(kind, name, kinds)),
      },
      {
        title: `Windows${measured === null ? '' : ` of ${measured}, when no field is named`}`,
        columns: ['function', 'what it gives', 'example'],
        rows:
          kind.while === null || numbersOf(kind).length === 0
            ? []
            : docRows(WINDOW_DOCS, (_name, { example }) =>
                measured === null ? example(ownPath, `${ownPath}, `) : example(measured, ''),
              ),
      },
      {
        title: 'Methods',
        columns: ['method', 'what it gives', 'example'],
        rows: docRows(METHOD_DOCS, (name) => exampleFor(kind, `.${name}`, kinds)),
      },
      { title: 'Filters of templates', columns: ['filter', 'for', 'what it does', 'example'], rows: filterRows() },
    ].filter(({ rows }) => rows.length > 0),
  };
}

function numbersOf({ fields }: AnyKind): readonly string[] {
  return Object.entries(fields.fields).flatMap(([name, { type }]) =>
    ['amount', 'int', 'double'].includes(type.type) ? [name] : [],
  );
}

function namedRow(signature: string): string[] {
  return [nameIn(signature), signature];
}

function notesOf({ noun, events, ...kind }: AnyKind): string[] {
  const notes = [
    `Every field may also be written after the noun: ${noun}.field.`,
    '`list[].field` is a field of each item: list.exists(t, has(t.field)).',
    kind.while === null
      ? '`on:` with `if:` makes events; there is no `while:`.'
      : '`on:` with `if:` makes events, `while:` a condition.',
  ];
  if (kind.while?.only !== undefined)
    notes.push(`Only \`while:\` reads ${kind.while.only.join(' and ')}, and it reads nothing else.`);
  if ('changed' in events) notes.push(`${BEFORE}.field is the value before the change.`);
  return notes;
}

function keysOf(kind: AnyKind): string[][] {
  const presence = (key: 'of' | 'token', what: string): string[][] =>
    kind[key] === 'none' ? [] : [[key, `${what}; ${PRESENCE[kind[key]]}`]];
  const own = Object.entries(kind.options.shape).map(([key, schema]) => [key, descriptionOf(schema)]);
  return [...presence('of', 'the address'), ...presence('token', 'the token'), ...own];
}

const PRESENCE = { required: 'required', optional: 'optional', either: 'of or token, or both' } as const;

function descriptionOf(schema: unknown): string {
  if (typeof schema !== 'object' || schema === null || !('description' in schema)) return '';
  return typeof schema.description === 'string' ? schema.description : '';
}

export interface NamedField {
  /** As it is written in a condition; `[]` stands for an item of a list. */
  readonly path: string;
  readonly type: FieldType;
  readonly doc: string;
}

/** Every field of a kind, nested ones after the record that they are in. */
export function fieldsOf({ fields, noun }: AnyKind): readonly NamedField[] {
  return walk(fields, '', 0).map((field) =>
    RESERVED_NAMES.includes(field.path.split(/[.[]/)[0] ?? '') ? { ...field, path: `${noun}.${field.path}` } : field,
  );
}

function walk({ fields }: AnyRecord, before: string, depth: number): readonly NamedField[] {
  return Object.entries(fields).flatMap(([name, { type, doc }]) => {
    const path = `${before}${name}`;
    const inner = depth >= DEEPEST ? undefined : tableOf(type);
    const within = type.type === 'list' ? `${path}[].` : `${path}.`;
    return [{ path, type, doc }, ...(inner === undefined ? [] : walk(inner, within, depth + 1))];
  });
}

function tableOf(type: FieldType): AnyRecord | undefined {
  if (type.type === 'list') return tableOf(type.of);
  return type.type === 'record' ? type.record : undefined;
}

function rowOf({ path, type, doc }: NamedField): string[] {
  return [path, typeText(type), doc];
}

/** `amount in gwei, never below 0`, `word: ok, scam`. */
export function typeText(type: FieldType): string {
  switch (type.type) {
    case 'bool':
      return 'true or false';
    case 'int':
      return `whole number${type.least === 0 ? ', never below 0' : ''}`;
    case 'double':
      return 'number';
    case 'amount':
      return `amount${UNITS[type.unit]}${type.least === 0 ? ', never below 0' : ''}`;
    case 'word':
      return wordText(type.values, type.isClosed === true);
    case 'list':
      return `list, each ${typeText(type.of)}`;
    case 'record':
      return `record (${type.record.name})`;
    case 'json':
      return 'free form';
    default:
      return type.type;
  }
}

const UNITS = {
  coin: ' in coins',
  gwei: ' in gwei',
  own: ' in whole tokens',
  plain: '',
  usd: ' in US dollars',
} as const;

const MOST_WORDS = 40;

function wordText(values: readonly string[], isClosed: boolean): string {
  if (values.length === 0) return 'word';
  const shown = values.length > MOST_WORDS ? [...values.slice(0, 3), `… (${values.length} words)`] : values;
  return `word: ${shown.join(', ')}${isClosed ? '' : ', or another'}`;
}

function docRows<D extends FunctionDoc>(
  docs: Readonly<Record<string, D>>,
  exampleOf: (name: string, doc: D) => string,
): string[][] {
  return Object.entries(docs).map(([name, doc]) => [doc.signature, doc.doc, exampleOf(name, doc)]);
}

/** An example of another kind's fields is prefixed with that kind. */
function exampleFor(kind: AnyKind, name: string, kinds: readonly AnyKind[]): string {
  const own = kind.examples[name];
  if (own !== undefined) return own;
  const other = kinds.find(({ examples }) => examples[name] !== undefined);
  return other === undefined ? '' : `${other.name}: ${other.examples[name] ?? ''}`;
}

function filterRows(): string[][] {
  return Object.entries(FILTER_DOCS).map(([name, { doc, example }]) => [
    name,
    (FILTER_TYPES[name] ?? []).join(', '),
    doc,
    example,
  ]);
}

/** Text for a terminal, with each section as a table in columns. */
export function asText({ title, summary, notes, sections }: Reference): string {
  const tables = sections.map(({ title: name, rows }) =>
    [name, ...inColumns(rows).map((line) => `  ${line}`)].join('\n'),
  );
  return [`${title}: ${summary}`, ...(notes.length > 0 ? [notes.join('\n')] : []), ...tables].join('\n\n');
}

/** Markdown with each section as a table, below headings of the second and third level. */
export function asMarkdown({ title, summary, notes, sections }: Reference): string {
  const tables = sections.map(({ title: name, columns, rows }) => {
    const lines = [columns, columns.map(() => '---'), ...rows.map(markRow)].map((cells) => `| ${cells.join(' | ')} |`);
    return `### ${name}\n\n${lines.join('\n')}`;
  });
  return [`## ${title}`, summary, ...(notes.length > 0 ? [notes.join(' ')] : []), ...tables].join('\n\n');
}

/** The first cell and an example are set as code. */
function markRow(row: readonly string[]): string[] {
  return row.map((cell, i) => {
    const isCode = i === 0 || (i > 1 && i === row.length - 1 && /[(={]/.test(cell));
    const text = cell.replaceAll('|', '\\|');
    return isCode ? `\`${text}\`` : text;
  });
}
