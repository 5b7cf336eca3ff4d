// Scalars of rules and config: text of a file becomes values.
import { z } from 'zod';
import { Address } from '../../core/values/address.ts';
import { Amount } from '../../core/values/amount.ts';
import { formatDuration, parseDuration } from '../../lib/durations.ts';
import { seen, withoutKeys } from '../problem.ts';

/**
 * A text that is parsed to a value. `parse` returns undefined if the text is invalid; `expected` describes valid texts.
 */
export function scalar<T>(parse: (text: string) => T | undefined, expected: string, meta: Meta = {}) {
  return z
    .string()
    .meta(meta)
    .transform((text, context) => {
      const value = parse(text.trim());
      if (value !== undefined) return value;
      context.addIssue({
        code: 'custom',
        message: text === '' ? `is empty: write ${expected}` : `${quote(text)} is not ${expected}${meantBy(text)}`,
      });
      return z.NEVER;
    });
}

/** Suggests `5m` for `5 minutes`. */
function meantBy(text: string): string {
  const [, count, unit] = /^(\d{1,6})\s*(second|minute|hour|day|week)s?$/i.exec(text.trim()) ?? [];
  if (count === undefined || unit === undefined) return '';
  const isWeek = unit.toLowerCase() === 'week';
  return `: write ${isWeek ? `${Number(count) * 7}d` : `${count}${unit.charAt(0).toLowerCase()}`}`;
}

// This is a type and not an interface: zod expects a record with any keys, and an interface cannot be assigned to it.
type Meta = { description?: string; pattern?: string; examples?: readonly string[] };

const LONGEST_QUOTED = 60;

/** The written text, shortened for a message. */
export function quote(text: string): string {
  const line = withoutKeys(seen(text));
  return line.length > LONGEST_QUOTED ? `"${line.slice(0, LONGEST_QUOTED)}…"` : `"${line}"`;
}

/** Whole numbers with or without underscores between digits: `1_000_000`. */
function parseInteger(text: string): number | undefined {
  if (!/^\d{1,15}$|^\d{1,3}(?:_\d{3}){1,4}$/.test(text)) return undefined;
  return Number(text.replaceAll('_', ''));
}

/** Milliseconds, written with a unit. */
export function duration(least: number, most: number, description: string) {
  return scalar(
    (text) => within(parseDuration(text), least, most),
    `a duration from ${formatDuration(least)} to ${formatDuration(most)}, such as 30s, 10m, 2h or 1d`,
    { description, pattern: '^[0-9]+(ms|[smhd])([0-9]+(ms|[smhd]))*$' },
  );
}

/** `manual`, or a duration. */
export function pace(least: number, most: number, description: string) {
  return scalar(
    (text) => (text === 'manual' ? text : within(parseDuration(text), least, most)),
    `manual or a duration from ${formatDuration(least)} to ${formatDuration(most)}, such as 2s`,
    { description },
  );
}

/** The text `off`, or milliseconds. */
export function durationOrOff(least: number, most: number, description: string) {
  return scalar(
    (text) => (text === 'off' ? text : within(parseDuration(text), least, most)),
    `off or a duration from ${formatDuration(least)} to ${formatDuration(most)}, such as 4h`,
    { description },
  );
}

/** A whole number in these bounds, both included. Underscores may separate its digits. */
export function integer(least: number, most: number, description: string) {
  return scalar((text) => within(parseInteger(text), least, most), `a whole number from ${least} to ${most}`, {
    description,
    pattern: '^[0-9_]+$',
  });
}

function within(value: number | undefined, least: number, most: number): number | undefined {
  return value !== undefined && value >= least && value <= most ? value : undefined;
}

const UNIT_BYTES: Readonly<Record<string, number>> = { KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 };

/** Bytes, written with a unit: `256MiB`. */
export function size(least: number, most: number, description: string) {
  return scalar(
    (text) => {
      const [, count = '', unit = ''] = /^(\d{1,6})\s?([KMG]iB)$/.exec(text) ?? [];
      return within(count === '' ? undefined : Number(count) * (UNIT_BYTES[unit] ?? 0), least, most);
    },
    `a size from ${showSize(least)} to ${showSize(most)}, such as 256MiB`,
    { description, pattern: '^[0-9]+ ?[KMG]iB$' },
  );
}

/** The largest unit that leaves a whole number: `showSize(2 ** 21) // '2MiB'`. */
function showSize(bytes: number): string {
  const [name, unit] = Object.entries(UNIT_BYTES).findLast(([, one]) => bytes % one === 0) ?? ['B', 1];
  return `${bytes / unit}${name}`;
}

export function boolean(description: string) {
  return scalar((text) => (text === 'true' ? true : text === 'false' ? false : undefined), 'true or false', {
    description,
    pattern: '^(true|false)$',
  });
}

/** A text that is not empty. White space at its ends is removed. */
export function text(description: string, longest = 1000) {
  return scalar(
    (written) => (written.length > 0 && written.length <= longest ? written : undefined),
    `a text of at most ${longest} characters`,
    { description },
  );
}

/** A text, or a list of at least one text. */
export function oneOrMore(description: string) {
  return z
    .union([text(description).transform((one) => [one]), z.array(text(description)).min(1, 'the list is empty')])
    .meta({ description });
}

/** `12.5%` as 12.5, from 0 to 100. */
export function percent(description: string) {
  return scalar(
    (written) => {
      const match = /^(\d{1,3}(?:\.\d{1,4})?)\s?%$/.exec(written);
      return match === null ? undefined : within(Number(match[1]), 0, 100);
    },
    'a percentage from 0% to 100%',
    { description, pattern: '^[0-9.]+ ?%$' },
  );
}

/** `12.5%` as exactly 0.125, from more than 0% to 100%. */
export function share(description: string) {
  return scalar(
    (written) => {
      const [, digits = ''] = /^(\d{1,3}(?:\.\d{1,6})?)\s?%$/.exec(written) ?? [];
      const part = Amount.parse(digits)?.times(HUNDREDTH);
      return part !== undefined && part.digits > 0n && part.compare(WHOLE) <= 0 ? part : undefined;
    },
    'a percentage above 0% and up to 100%',
    { description, pattern: '^[0-9.]+ ?%$' },
  );
}

const HUNDREDTH = new Amount(1n, 2);
const WHOLE = new Amount(1n, 0);

/** An exact number above 0 of any length. Underscores may separate its digits. */
export function quantity(description: string) {
  return scalar(
    (written) => {
      const number = /^\d+(?:_\d+)*(?:\.\d+)?$/.test(written) ? Amount.parse(written.replaceAll('_', '')) : undefined;
      return number !== undefined && number.digits > 0n ? number : undefined;
    },
    'a number above 0, such as 1_000 or 0.5',
    { description, pattern: '^[0-9_.]+$' },
  );
}

/** The name of an explorer or a channel: letters, digits, underscores and dashes. */
export const LABEL = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;
/** The name of an address, group or token, which conditions can use. */
export const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

/** The reason why a text is no address. */
export function addressComplaint(written: string): string {
  if (/^0x[0-9a-fA-F]+$/.test(written))
    return `${quote(written)} has ${written.length - 2} hexadecimal digits: an address has 40`;
  return `${quote(written)} is no address: an address is 0x and 40 hexadecimal digits`;
}

/** An address in full. */
export function address(description: string) {
  return z
    .string()
    .meta({ description, pattern: '^0x[0-9a-fA-F]{40}$' })
    .transform((written, context) => {
      const parsed = Address.parse(written.trim());
      if (parsed !== undefined) return parsed;
      context.addIssue({ code: 'custom', message: addressComplaint(written) });
      return z.NEVER;
    });
}
