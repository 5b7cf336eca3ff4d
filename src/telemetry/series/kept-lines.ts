import type { MetricName } from '../metric-table.ts';
import type { MetricRow } from '../metric-rows/row.ts';

export interface WrittenLines {
  /** The parts of the whole text, in order. The text ends with a line end. */
  readonly pieces: readonly Buffer[];
  /** The number of series left out because of the limit. */
  readonly more: number;
}

/** Lines in a row, as they were written last. `bytes` is null while they are being changed. */
interface Block {
  readonly labels: string[];
  readonly values: number[];
  bytes: Buffer | null;
}

// If one line changes, its block is written again. Smaller blocks cost more when all of them change.
const LINES_IN_BLOCK = 250;

/**
 * The lines of one metric. Blocks of lines that did not change since the last scrape are kept as bytes: the texts of
 * 10,000 watches took 70 MB until the garbage collector freed them.
 */
export class KeptLines {
  readonly #name: string;
  readonly #head: Buffer;
  readonly #most: number;
  readonly #blocks: Block[] = [];
  #count = 0;

  constructor(name: MetricName, { help, type }: MetricRow, most: number) {
    this.#name = name;
    this.#head = Buffer.from(`# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`);
    this.#most = most;
  }

  begin(): void {
    this.#count = 0;
  }

  /** `labels`: a text of `LabelTexts`. */
  add(labels: string, value: number): void {
    const place = this.#count;
    this.#count += 1;
    if (place >= this.#most) return;
    const line = place % LINES_IN_BLOCK;
    const block = this.#blockAt((place - line) / LINES_IN_BLOCK);
    if (block.values[line] !== value || block.labels[line] !== labels) {
      block.labels[line] = labels;
      block.values[line] = value;
      block.bytes = null;
    }
    if (line === LINES_IN_BLOCK - 1) block.bytes ??= this.#bytesOf(block);
  }

  end(): WrittenLines {
    const lines = Math.min(this.#count, this.#most);
    this.#blocks.length = Math.ceil(lines / LINES_IN_BLOCK);
    const last = this.#blocks.at(-1);
    if (last !== undefined) this.#endBlock(last, lines - (this.#blocks.length - 1) * LINES_IN_BLOCK);
    const pieces = this.#blocks.map((block) => block.bytes ?? this.#bytesOf(block));
    return { pieces: [this.#head, ...pieces], more: this.#count - lines };
  }

  #blockAt(index: number): Block {
    const block = this.#blocks[index] ?? { labels: [], values: [], bytes: null };
    this.#blocks[index] = block;
    return block;
  }

  #endBlock(block: Block, lines: number): void {
    if (block.values.length !== lines) block.bytes = null;
    block.labels.length = lines;
    block.values.length = lines;
    block.bytes ??= this.#bytesOf(block);
  }

  #bytesOf({ labels, values }: Block): Buffer {
    let text = '';
    for (const [line, value] of values.entries()) text += `${this.#name}${labels[line] ?? ''} ${value}\n`;
    return Buffer.from(text, 'latin1');
  }
}
