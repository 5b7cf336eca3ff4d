// Accounts as a file for spreadsheets: RFC 4180, in UTF-8 with a byte order mark. Amounts are plain decimals, and what is
// not known is empty. A spreadsheet would run a text that begins like a formula, so such a text gets an apostrophe first.
import type { AccountRow } from '../shapes/accounts.ts';

const COLUMNS = [
  'account',
  'address',
  'explorer',
  'asset',
  'token',
  'state',
  'balance',
  'limit',
  'distance',
  'change_24h',
  'last_outflow',
  'last_outflow_at',
  'as_of',
  'is_stale',
];

/** The first line, with the mark. */
export const CSV_HEAD = `\ufeff${COLUMNS.join(',')}\r\n`;

export function csvLine({ of, asset, token, state, measure, change_24h, outflow }: AccountRow): string {
  const cells = [
    text(of.name),
    text(of.address),
    text(of.explorer),
    text(asset),
    text(token),
    text(state),
    measure.value,
    measure.limit,
    measure.distance,
    change_24h,
    outflow?.amount,
    outflow?.at,
    measure.at,
    measure.is_stale,
  ];
  return `${cells.map((cell) => quoted(String(cell ?? ''))).join(',')}\r\n`;
}

/** In front of what a spreadsheet takes for a formula. */
function text(cell: string | null): string {
  return cell === null ? '' : cell.replace(/^(?=[=+\-@\t\r])/, "'");
}

function quoted(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
