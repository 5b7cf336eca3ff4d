// Titles and texts. Liquid only parses the template, which may contain `{{ path }}` and `{{ path | filter }}` and
// nothing else. A template becomes segments; untrusted text stays marked until a notifier's encoder renders it.
import { Liquid, LiquidError, TokenKind, TypeGuards, type Template as LiquidTemplate } from 'liquidjs';
import { hintFor } from '../../config/values/nearest.ts';
import { quote } from '../../config/values/scalars.ts';
import { parseDuration } from '../../lib/durations.ts';
import { Address } from '../../core/values/address.ts';
import { type AnyView, type FieldType, type FieldValue, valueAt } from '../../core/values/fields.ts';
import type { EvaluationContext, Measure, Segment, Window } from '../../core/model/watch/condition.ts';
import type { Compiled, ConditionMistake } from '../language/mistake.ts';
import type { CompiledTemplate, Language, Meaning, TemplateUse } from '../language/model.ts';
import { type Resolved, readPath, resolveNames } from '../language/reading/names.ts';
import { historyPath } from '../language/reading/paths.ts';
import { FILTERS, FILTER_TYPES, type Filter, UNKNOWN, showInTitle, showValue } from './show.ts';
import { WINDOW_NAME } from '../language/words.ts';

const LONGEST = 16 * 1024;
const LONGEST_TITLE = 200;

// Only Liquid's parser is used: its own tags and filters are removed.
const liquid = createParser();

function createParser(): Liquid {
  const parser = new Liquid({
    strictFilters: false,
    parseLimit: LONGEST,
    renderLimit: 1,
    memoryLimit: 1,
    templates: {},
  });
  for (const name of Object.keys(parser.tags)) Reflect.deleteProperty(parser.tags, name);
  for (const name of Object.keys(parser.filters)) Reflect.deleteProperty(parser.filters, name);
  return parser;
}

type Part = { readonly text: string } | Output;

interface Output {
  readonly field: Resolved;
  readonly filter: Filter | undefined;
  /**
   * Set if the path is a name of the config for an address. The output then shows this address, and reads no field of
   * the record.
   */
  readonly constant?: Address;
  /** A value of the watch's history, such as `change_1h`. */
  readonly window?: Window;
}

/** A title or a text. Offsets of its mistakes refer to `source`. */
export function compileTemplate(language: Language, source: string, use: TemplateUse): Compiled<CompiledTemplate> {
  const longest = use.as === 'title' ? LONGEST_TITLE : LONGEST;
  if (source.trim() === '') return refused({ message: `the ${use.as} is empty`, start: 0, end: 1 });
  if (source.length > longest)
    return refused({ message: `a ${use.as} has at most ${longest} characters`, start: 0, end: 1 });
  if (use.as === 'title' && /[\r\n]/.test(source.trim()))
    return refused({ message: 'a title is one line', start: 0, end: 1 });
  const tokens = tokensOf(source);
  if ('mistake' in tokens) return refused(tokens.mistake);
  const parts: Part[] = [];
  const mistakes: ConditionMistake[] = [];
  for (const token of tokens.found) {
    const part = token.isOutput ? outputOf(language, token, use) : { text: token.text };
    if ('mistake' in part) mistakes.push(part.mistake);
    else parts.push(part);
  }
  if (mistakes.length > 0) return { value: null, mistakes, doubts: [] };
  const value = { written: source, ...templateOf(parts, use.as === 'title' ? showInTitle : showValue) };
  return { value, mistakes: [], doubts: [] };
}

function refused(mistake: ConditionMistake): Compiled<CompiledTemplate> {
  return { value: null, mistakes: [mistake], doubts: [] };
}

interface Token {
  readonly isOutput: boolean;
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

function tokensOf(source: string): { readonly found: readonly Token[] } | { readonly mistake: ConditionMistake } {
  try {
    return { found: liquid.parse(source).map(toToken) };
  } catch (error) {
    const span = LiquidError.is(error) ? error.token : undefined;
    const start = span?.begin ?? 0;
    const end = Math.max(start + 1, span?.end ?? source.length);
    if (/^\s*\{%/.test(source.slice(start)))
      return { mistake: { message: 'tags are not used here', hint: SHAPE, start, end } };
    const why = error instanceof Error ? error.message.replace(/, line:\d+, col:\d+[^]*$/, '') : 'cannot be read';
    return { mistake: { message: why, hint: SHAPE, start, end } };
  }
}

const SHAPE = 'A field is written {{ balance }} or {{ address | short }}.';

function toToken({ token }: LiquidTemplate): Token {
  const { begin: start, end, input } = token;
  const isOutput = token.kind === TokenKind.Output;
  // Only `getContent` respects white space control (`{{-`), which trims the texts beside it.
  const text = TypeGuards.isHTMLToken(token) ? token.getContent() : input.slice(start, end);
  return { isOutput, text, start, end };
}

const OUTPUT = /^\{\{-?\s*([A-Za-z_]\w*(?:\.\w+)*)\s*(?:\|\s*([A-Za-z_]\w*)\s*)?-?\}\}$/;

function outputOf(language: Language, token: Token, use: TemplateUse): Output | { readonly mistake: ConditionMistake } {
  const match = OUTPUT.exec(token.text);
  if (match === null) return mistaken(token, `${quote(token.text)} is more than a field`, SHAPE);
  const [, path = '', filter] = match;
  const start = token.start + token.text.indexOf(path);
  const names = path.split('.');
  const window = windowOf(language, path, filter, { token, use });
  if (window !== null) return window;
  const found = resolveNames(language, names, use.before);
  if ('failed' in found) {
    const { at, message, hint } = found.failed;
    const from = start + names.slice(0, at).join('.').length + (at > 0 ? 1 : 0);
    return mistaken({ start: from, end: from + (names[at] ?? '').length }, message, hint);
  }
  if ('constant' in found) return constantOf(language.names.get(path), filter, token);
  const span = { start, end: start + path.length };
  const shown = found.path === '' ? undefined : found.type;
  if (shown === undefined || !isShowable(shown))
    return mistaken(span, `${path} is not one value`, fieldsHint(found.type));
  if (use.as === 'title' && !IN_TITLE.has(shown.type))
    return mistaken(span, `${path} is text from the chain, which has no place in a title`, 'Put it into text.');
  return filter === undefined ? { field: found, filter: undefined } : filtered(found, filter, token);
}

/**
 * Compiles a name such as `change_1h`: a function and a time, over the field that the kind measures. Returns null if
 * the name does not have this form.
 */
function windowOf(
  language: Language,
  name: string,
  filter: string | undefined,
  { token, use }: { token: Token; use: TemplateUse },
): Output | { readonly mistake: ConditionMistake } | null {
  const [, measure, time = ''] = WINDOW_NAME.exec(name) ?? [];
  const ms = parseDuration(time);
  if (measure === undefined || ms === undefined) return null;
  const path = historyPath(language, { canLook: use.windows, names: undefined });
  if (typeof path !== 'string') return mistaken(token, path.message, path.hint);
  const field: Resolved = { path: '', before: false, type: { type: 'amount', unit: 'plain' } };
  const window: Window = { measure: measure as Measure, path, ms };
  const output = filter === undefined ? { field, filter: undefined } : filtered(field, filter, token);
  return 'mistake' in output ? output : { ...output, window };
}

function mistaken(
  { start, end }: { start: number; end: number },
  message: string,
  hint?: string,
): { mistake: ConditionMistake } {
  return { mistake: { message, hint, start, end } };
}

function fieldsHint(type: FieldType): string | undefined {
  return type.type === 'record'
    ? `Name one of its fields: ${Object.keys(type.record.fields).slice(0, 8).join(', ')}.`
    : undefined;
}

function isShowable(type: FieldType): boolean {
  return type.type === 'list'
    ? isShowable(type.of) && type.of.type !== 'list'
    : type.type !== 'json' && type.type !== 'record';
}

/**
 * Types without untrusted text. `word`, a text with a list of known values, is one of them, since a title shows any
 * other value as `other`.
 */
const IN_TITLE: ReadonlySet<FieldType['type']> = new Set([
  'bool',
  'int',
  'double',
  'amount',
  'hash',
  'address',
  'time',
  'duration',
  'word',
]);

function constantOf(
  meaning: Meaning | undefined,
  filter: string | undefined,
  token: Token,
): Output | { readonly mistake: ConditionMistake } {
  if (!(meaning instanceof Address)) return mistaken(token, 'a group cannot be shown');
  const field: Resolved = { path: '', before: false, type: { type: 'address' } };
  const output = filter === undefined ? { field, filter: undefined } : filtered(field, filter, token);
  return 'mistake' in output ? output : { ...output, constant: meaning };
}

function filtered(field: Resolved, name: string, token: Token): Output | { readonly mistake: ConditionMistake } {
  const filter = Object.hasOwn(FILTERS, name) ? FILTERS[name] : undefined;
  const start = token.start + token.text.lastIndexOf(name);
  const span = { start, end: start + name.length };
  if (filter === undefined) return mistaken(span, `no filter ${quote(name)}`, hintFor(name, Object.keys(FILTERS)));
  const legal = FILTER_TYPES[name] ?? [];
  return legal.includes(field.type.type)
    ? { field, filter }
    : mistaken(span, `${name} is for ${legal.join(', ')}, and ${field.path} is ${field.type.type}`);
}

type ShowValue = typeof showValue;

function templateOf(parts: readonly Part[], toSegment: ShowValue): Omit<CompiledTemplate, 'written'> {
  const fields = parts.flatMap((part) => ('field' in part && part.field.path !== '' ? [part.field] : []));
  return {
    reads: [...new Set(fields.map(readPath))],
    readsBefore: [...new Set(fields.filter(({ before }) => before).map(readPath))],
    windows: parts.flatMap((part) => ('window' in part ? [part.window] : [])),
    render: (context, zone = 'UTC') =>
      parts.map((part) =>
        'text' in part ? { text: part.text } : show(part, context, (...of) => toSegment(...of, zone)),
      ),
  };
}

function show(
  { field, filter, constant, window }: Output,
  context: EvaluationContext,
  toSegment: (type: FieldType, value: FieldValue) => Segment,
): Segment {
  const view: AnyView | null = field.before ? context.before : context.view;
  const seen = view === null ? undefined : valueAt(view, field.path);
  const value = window === undefined ? (constant ?? seen) : context.history?.(window);
  if (value === undefined) return { text: (field.type.type === 'text' ? field.type.absent : undefined) ?? UNKNOWN };
  if (filter !== undefined) return { text: filter(value) ?? UNKNOWN };
  return toSegment(field.type, value);
}
