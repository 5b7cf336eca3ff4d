// Shows a written row or a sent message on one line that is safe to print.
import type { WrittenValue } from '../../config/yaml/written.ts';
import { Amount } from '../../core/values/amount.ts';
import { plain, singleLine, untrusted } from '../../lib/untrusted.ts';
import type { WrittenRow } from '../reading/shape.ts';

const LONGEST = 100;

/** Text written by the author of the test. */
export function show(text: string): string {
  return singleLine(text, LONGEST * 3);
}

/**
 * The part of a path or URL after `/api/v2/`: `addresses/0x…/tokens`. For `/api?…` it contains the parameters that
 * identify the question.
 */
export function pathOf(written: string): string {
  const [, query] = /(?:^|\/)api\?(.*)$/.exec(written) ?? [];
  if (query !== undefined) return `api?${query.split('&').filter(isOfQuestion).join('&')}`;
  return written.replace(/^.*\/api\/v2\//, '').replace(/^\/|\?.*$/g, '');
}

/**
 * Parameters that do not identify the question: they differ from request to request, or belong to the access to the
 * API.
 */
const OTHERS = ['fromBlock', 'toBlock', 'apikey', 'chain_id'];

function isOfQuestion(parameter: string): boolean {
  return !OTHERS.includes(parameter.slice(0, parameter.indexOf('=')));
}

/** `balance: 900000`: the values of a poll, as written. */
export function showRow(own: WrittenValue, { missed, partial, answers }: WrittenRow): string {
  if (missed !== undefined) return `missed (${missed})`;
  if (answers !== undefined) return `answers: ${answers.map(({ path }) => plain(untrusted(pathOf(path)))).join(', ')}`;
  const written = showWritten(own).slice(0, LONGEST);
  return partial === undefined ? written : `${written} (partial: ${plain(untrusted(partial))})`;
}

function showWritten(written: WrittenValue, isInner = false): string {
  if (typeof written === 'string') return showScalar(written);
  if (Array.isArray(written)) return `[${written.map((item) => showWritten(item, true)).join(', ')}]`;
  const entries = Object.entries(written).map(([name, value]) => `${show(name)}: ${showWritten(value, true)}`);
  return isInner ? `{ ${entries.join(', ')} }` : entries.join(', ');
}

/** A number is shown unchanged. Other text is sanitised, since it may be copied from the chain. */
function showScalar(text: string): string {
  return Amount.parse(text.replaceAll('_', '')) === undefined ? plain(untrusted(text)) : text;
}
