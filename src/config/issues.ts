import type { z } from 'zod';
import { lowerFirst } from '../lib/lower-first.ts';
import { EXAMPLES as KEY_EXAMPLES } from './values/key-examples.ts';
import { hintFor } from './values/nearest.ts';
import type { Problem, TextSpan } from './problem.ts';
import { unknownKeys } from './unknown-keys.ts';
import { quote } from './values/scalars.ts';
import type { Path, ProblemAt } from './yaml/written.ts';
import type { Source } from './yaml/yaml.ts';

interface Place {
  readonly source: Source;
  readonly path: Path;
  /** Further legal keys, for the hint. */
  readonly moreKeys?: readonly string[];
}

/** Parses the value at the path. Issues become problems of the file, each with its place. */
export function parseAt<T>(
  schema: z.ZodType<T>,
  written: unknown,
  at: Place,
): { readonly value: T } | { readonly problems: readonly Problem[] } {
  const result = schema.safeParse(written, { error: legalKeysOf, reportInput: true });
  if (result.success) return { value: result.data };
  const issues = result.error.issues.flatMap(deepest);
  return { problems: issues.flatMap((issue) => toProblems(issue, at)) };
}

type Issue = z.core.$ZodIssue;

// Only this callback gets the schema. So it returns the legal keys as the text of the issue, and `toProblems` splits
// that text again.
function legalKeysOf(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code !== 'unrecognized_keys') return undefined;
  const definition = issue.inst?._zod.def as { shape?: object } | undefined;
  return Object.keys(definition?.shape ?? {}).join(SEPARATOR);
}

const SEPARATOR = ' ';

/** The issues of a union's best matching alternative. */
function deepest(issue: Issue): Issue[] {
  if (issue.code !== 'invalid_union') return [issue];
  const branches = issue.errors.map((errors) => errors.flatMap(deepest));
  const near = branches.filter(
    (errors) => !errors.some(({ code, path }) => code === 'invalid_type' && path.length === 0),
  );
  const [best, ...others] = near.toSorted((a, b) => depthOf(b) - depthOf(a));
  if (best === undefined || (others.length > 0 && depthOf(best) === 0 && near.length === branches.length))
    return [issue];
  const unknown = best.filter(({ code }) => code === 'unrecognized_keys');
  return (unknown.length > 0 ? unknown : best).map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }));
}

function depthOf(issues: readonly Issue[]): number {
  return Math.max(...issues.map(({ path }) => path.length));
}

function toProblems(issue: Issue, { source, path, moreKeys = [] }: Place): readonly Problem[] {
  const full: Path = [...path, ...issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step))];
  if (issue.code === 'unrecognized_keys') {
    const legal = issue.path.length === 0 ? moreKeys : [];
    return unknownKeys(source, full, issue.keys, [...legal, ...issue.message.split(SEPARATOR)]);
  }
  if (issue.code === 'invalid_key')
    return [source.problem(full.slice(0, -1), { key: String(full.at(-1)), message: issue.issues[0]?.message ?? '' })];
  if (issue.input === undefined && isMissing(issue)) return [source.problem(full.slice(0, -1), missingWords(full))];
  return [source.problem(full, messageOf(issue))];
}

function missingWords(path: Path): { readonly message: string; readonly hint?: string } {
  const key = path.at(-1) ?? 'it';
  const of = path.slice(0, -1).findLast((step) => typeof step === 'string') ?? '';
  const message = `${key} is missing`;
  const [example] = KEY_EXAMPLES[`${of}.${key}`] ?? KEY_EXAMPLES[key] ?? [];
  if (typeof example !== 'string' && typeof example !== 'number') return { message };
  // YAML reads digits without quotes as a number, so a text of digits is shown in quotes.
  const text = typeof example === 'string' && /^\d+$/.test(example) ? `'${example}'` : example;
  return { message, hint: `For example ${key}: ${text}.` };
}

/** The valid keys of an object with problems, so that further problems can be found. */
export function parseEach<S extends z.ZodObject>(shape: S, written: unknown): Partial<z.output<S>> {
  const entries = typeof written === 'object' && written !== null ? Object.entries(written) : [];
  const good = entries.flatMap(([key, value]) => {
    const schema: z.ZodType | undefined = Object.hasOwn(shape.shape, key) ? (shape.shape[key] as z.ZodType) : undefined;
    const parsed = schema?.safeParse(value);
    return parsed?.success === true ? [[key, parsed.data] as const] : [];
  });
  return Object.fromEntries(good) as Partial<z.output<S>>;
}

function isMissing(issue: Issue): boolean {
  return issue.code === 'invalid_union' || (issue.code === 'invalid_type' && /received undefined$/.test(issue.message));
}

function messageOf(issue: Issue): ProblemAt {
  switch (issue.code) {
    case 'invalid_type':
      return { message: `must be ${EXPECTED[issue.expected] ?? issue.expected}`, hint: listHint(issue) };
    case 'invalid_value': {
      const legal = issue.values.map(String);
      const written = typeof issue.input === 'string' ? `${quote(issue.input)} is not` : 'must be';
      return { message: `${written} one of ${legal.join(', ')}`, hint: nearHint(issue.input, legal) };
    }
    case 'invalid_union':
      return { message: issue.message === UNSAID ? unionMessage(issue) : issue.message };
    case 'custom':
      return { message: issue.message, ...detailsOf(issue.params) };
    default:
      return { message: lowerFirst(issue.message) };
  }
}

/** Details that a schema adds to its own complaint: the place in the text, a hint, and the words that may stand there. */
export interface ComplaintDetails {
  readonly within?: TextSpan | undefined;
  readonly hint?: string | undefined;
  readonly written?: string | undefined;
  readonly legal?: readonly string[] | undefined;
}

function detailsOf(params: ComplaintDetails = {}): Pick<ProblemAt, 'hint' | 'within'> {
  const { within, hint, written, legal = [] } = params;
  const near = written === undefined ? undefined : nearHint(written, legal);
  return {
    hint: near ?? hint ?? (written === undefined ? undefined : hintFor(written, legal)),
    ...(within && { within }),
  };
}

/** A hint if a list is expected. If there is a map, usually the dash of its first item is missing. */
function listHint({ expected, input }: Extract<Issue, { code: 'invalid_type' }>): string | undefined {
  if (expected !== 'array') return undefined;
  if (typeof input === 'string') return 'Its items stand in [ ], or each on a line behind "- ".';
  const [first] = typeof input === 'object' && input !== null ? Object.keys(input) : [];
  return first === undefined ? undefined : `Write "- " before ${quote(first)}: each item of a list begins with a dash.`;
}

/** zod's message for a union that has no message of its own. */
const UNSAID = 'Invalid input';

function nearHint(written: unknown, legal: readonly string[]): string | undefined {
  const hint = typeof written === 'string' ? hintFor(written, legal) : undefined;
  return hint?.startsWith('Possible') === true ? undefined : hint;
}

const EXPECTED: Readonly<Record<string, string>> = {
  string: 'a single text',
  object: 'a map of keys and values',
  record: 'a map of names and values',
  array: 'a list',
};

function unionMessage(issue: Extract<Issue, { code: 'invalid_union' }>): string {
  const expected = issue.errors.flatMap((errors) =>
    errors.flatMap((e) => (e.code === 'invalid_type' ? [EXPECTED[e.expected] ?? e.expected] : [])),
  );
  return expected.length === 0
    ? 'is none of the forms that are possible here'
    : `must be ${[...new Set(expected)].join(' or ')}`;
}
