// Reads the list of tokens that an address holds, and identifies its rows.
import type { View } from '../../core/values/fields.ts';
import { idOf } from '../../core/model/watch/identity.ts';
import type { Reading } from '../../core/model/watch/kind.ts';
import type { ListQuestion, Page, Read } from '../../core/model/watch/question.ts';
import { readAll } from '../../explorer/reading/paging.ts';
import type { TokenBalance } from '../../explorer/reading/resources/token.ts';
import { rawText } from '../../lib/untrusted.ts';

export type HoldingFields = typeof TokenBalance.fields;
export type HoldingRow = View<HoldingFields>;

export interface HoldingsReading {
  /** The content of the page, if the whole list is one page. */
  readonly content?: object | undefined;
  readonly rows: ReadonlyMap<string, HoldingRow>;
  /** The number of rows without a token. They cannot be identified, so no token counts as gone. */
  readonly nameless: number;
  /** True if a test wrote the reading. Then an empty first list and the departure of a token count at once. */
  readonly isWritten?: true;
}

/** Reads the whole list, from its first page on. */
export async function readHoldings(
  read: Read,
  question: ListQuestion<HoldingFields>,
  { first, maxPages }: { readonly first: Page<HoldingFields>; readonly maxPages: number },
): Promise<Reading<HoldingsReading>> {
  const { rows, pages, partial } = await readAll(read, question, { identityOf, maxPages, first });
  const content = pages === 1 && partial === null ? first.content : undefined;
  return { seen: { ...seenIn(rows), content }, partial };
}

/** True if the list has no rows. */
export function isEmpty({ rows, nameless }: HoldingsReading): boolean {
  return rows.size === 0 && nameless === 0;
}

/** A page with the same content as at the last poll. Its rows are decoded on first use. */
export class KnownPage implements HoldingsReading {
  readonly nameless = 0;
  readonly content: object | undefined;
  readonly #page: Page<HoldingFields>;

  constructor(page: Page<HoldingFields>) {
    this.content = page.content;
    this.#page = page;
  }

  get rows(): HoldingsReading['rows'] {
    return seenIn(this.#page.rows).rows;
  }
}

export function seenIn(rows: readonly HoldingRow[]): HoldingsReading {
  const named = rows.flatMap((row) => {
    const key = identityOf(row);
    return key === undefined ? [] : [[key, row] as const];
  });
  return { rows: new Map(named), nameless: rows.length - named.length };
}

/** The token's address, and the number of the piece if pieces differ. */
function identityOf({ token, token_id }: HoldingRow): string | undefined {
  const contract = token?.address_hash?.key;
  if (contract === undefined) return undefined;
  if (token_id === undefined) return contract;
  // The token id comes from the chain and is untrusted: a text that is no number enters the key only as a hash.
  const piece = rawText(token_id);
  return `${contract}/${/^\d{1,78}$/.test(piece) ? piece : idOf(piece)}`;
}
