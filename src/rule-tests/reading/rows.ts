// A row of `saw`: the time of a poll, and its values.
import { parseAt } from '../../config/issues.ts';
import { unknownKey } from '../../config/unknown-keys.ts';
import { quote } from '../../config/values/scalars.ts';
import { type Instant, showDuration } from '../../lib/clock.ts';
import { type Path, type ProblemAt, type WrittenMap, isMap } from '../../config/yaml/written.ts';
import type { Script, SyntheticRow } from '../../core/model/watch/script.ts';
import type { Head } from '../../core/model/observation.ts';
import type { WrittenPoll, AnswerFixture, PollInput } from '../model.ts';
import { RowShape, type WrittenAnswer, type WrittenRow } from './shape.ts';
import { pathOf, showRow } from '../reporting/show.ts';
import { viewOfWritten } from './values.ts';
import { jsonAt } from './body.ts';
import { valueReader, type TestedWatch } from './watches.ts';

const COMMON = Object.keys(RowShape.shape);
/** The size limit of an explorer's answer, in bytes. */
const LARGEST_ANSWER = 8 * 1024 * 1024;
/** The age from which a head is stale. The client uses the same limit if a block takes nine seconds or less. */
const STALE_AFTER_MS = 180_000;

/** The row, or null if a part of it is wrong; the problems are added to the file. */
export function readRow(
  tested: TestedWatch,
  row: { written: unknown; path: Path; startedAt: Instant },
): WrittenPoll | null {
  const { file } = tested;
  const { written, path } = row;
  if (!isMap(written)) return file.complain(path, { message: 'a poll is a map of keys and values' });
  const entries = Object.entries(written);
  const parsed = parseAt(RowShape, Object.fromEntries(entries.filter(([key]) => COMMON.includes(key))), {
    source: file.source,
    path,
  });
  if ('problems' in parsed) return file.add(parsed.problems);
  const own = Object.fromEntries(entries.filter(([key]) => !COMMON.includes(key)));
  const common = parsed.value;
  const at = row.startedAt + common.at;
  const count = file.problems.length;
  const input = new RowReader(tested, path, at).input(common, own);
  if (input === null || file.problems.length > count) return null;
  const offset = typeof written['at'] === 'string' ? written['at'] : showDuration(common.at);
  return { at, offset, shown: showRow(own, common), head: headOf(common, at), input };
}

function headOf({ head }: WrittenRow, at: Instant): Head | null {
  return head === undefined
    ? null
    : { height: BigInt(head.height), timestamp: at - head.age, readAt: at, staleAfterMs: STALE_AFTER_MS };
}

class RowReader {
  readonly #tested: TestedWatch;
  readonly #path: Path;
  readonly #at: Instant;

  constructor(tested: TestedWatch, path: Path, at: Instant) {
    this.#tested = tested;
    this.#path = path;
    this.#at = at;
  }

  input(common: WrittenRow, own: WrittenMap): PollInput | null {
    const { missed, answers, partial } = common;
    const alone = missed !== undefined ? 'missed' : answers !== undefined ? 'answers' : undefined;
    const beside = [
      ...Object.keys(own),
      ...(['answers', 'partial'] as const).filter((key) => common[key] !== undefined),
    ];
    const other = beside.find((key) => key !== alone);
    if (alone !== undefined && other !== undefined)
      return this.#complain([], {
        key: other,
        message: `${alone} cannot be combined with ${quote(other)}`,
      });
    if (missed !== undefined)
      return { type: 'missed', reason: missed === 'error' ? 'network' : missed, detail: 'missed, says the test' };
    if (answers !== undefined) return { type: 'answers', answers: this.#answers(answers) };
    const rows = this.#rows(own, partial !== undefined);
    return rows === null ? null : { type: 'rows', rows, partial: partial ?? null };
  }

  #rows(own: WrittenMap, isPartial: boolean): SyntheticRow[] | null {
    const { rows: key } = this.#script;
    const names = Object.keys(own);
    if (names.length === 0 && !isPartial)
      return this.#complain([], {
        message: 'does not say what was seen',
        hint: `Write ${key === null ? `fields such as ${this.#tested.watch.kind.shown[0] ?? ''}` : `${key}: [...]`}, missed or answers.`,
      });
    if (key !== null && own[key] !== undefined) return this.#list(key, own);
    if (names.length === 0) return [];
    const row = this.#row(own, [], 0);
    return row === null ? null : [row];
  }

  get #script(): Script<unknown, unknown, unknown> {
    return this.#tested.watch.kind.script;
  }

  #list(key: string, own: WrittenMap): SyntheticRow[] | null {
    const { source } = this.#tested.file;
    const strangers = Object.keys(own).filter((name) => name !== key);
    this.#tested.file.add(strangers.map((name) => unknownKey(source, this.#path, name, [key, ...COMMON])));
    // A key without a value reads as an empty text, which stands for an empty list here.
    const list = own[key] === '' ? [] : own[key];
    if (!Array.isArray(list)) return this.#complain([key], { message: 'must be a list' });
    return list.flatMap((item, i) => this.#row(item, [key, i], i) ?? []);
  }

  #row(written: unknown, steps: Path, index: number): SyntheticRow | null {
    if (!isMap(written)) return this.#complain(steps, { message: 'must be a map of fields and values' });
    const { rows, record } = this.#script;
    const hasId = rows !== null && record.fields['id'] === undefined;
    const { id, ...rest } = written;
    const fields: WrittenMap = hasId || id === undefined ? rest : written;
    if (hasId && id !== undefined && typeof id !== 'string')
      return this.#complain([...steps, 'id'], { message: 'must be a single text' });
    const moreNames = [...COMMON, ...(rows === null ? [] : ['id', rows])];
    const reader = valueReader(this.#tested, this.#at);
    const view = viewOfWritten(record, fields, { path: [...this.#path, ...steps], reader, moreNames });
    const place = `${this.#path.join('.')}.${index}`;
    return { view, says: new Set(Object.keys(fields)), id: hasId && typeof id === 'string' ? id : null, place };
  }

  #answers(answers: readonly WrittenAnswer[]): AnswerFixture[] {
    return answers.map((answer, i) => ({
      path: this.#addressed(pathOf(answer.path)),
      status: answer.status,
      body: this.#bodyOf(answer, ['answers', i]),
    }));
  }

  /** Replaces the name of the config in a path such as `addresses/treasury/tokens` with its address. */
  #addressed(path: string): string {
    const { addressOf } = valueReader(this.#tested, this.#at);
    if (path.startsWith('api?'))
      return path.replace(/(?<=&address=)[^&]*/, (name) => addressOf(name)?.key ?? name.toLowerCase());
    const [resource = '', name = '', ...rest] = path.split('/');
    const key = name === '' ? undefined : addressOf(name)?.key;
    return [resource, ...(name === '' ? [] : [key ?? name.toLowerCase()]), ...rest].join('/');
  }

  #bodyOf({ body, file }: WrittenAnswer, steps: Path): string {
    if (file !== undefined) {
      if (body !== undefined) this.#complain(steps, { key: 'file', message: 'body and file are both there' });
      return this.#tested.file.readBeside(file, [...this.#path, ...steps, 'file'], LARGEST_ANSWER) ?? '';
    }
    if (typeof body === 'string') return body;
    const json = body === undefined ? '' : jsonAt(this.#tested.file.text, [...this.#path, ...steps, 'body']);
    if (json === undefined) this.#complain([...steps, 'body'], { message: 'cannot be read as JSON' });
    return json ?? '';
  }

  #complain(steps: Path, at: ProblemAt): null {
    return this.#tested.file.complain([...this.#path, ...steps], at);
  }
}
