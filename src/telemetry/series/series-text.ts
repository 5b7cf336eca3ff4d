// Writes the series of one metric in the text format 0.0.4. prom-client takes 35 ms to store 10,000 series, and another
// 35 ms to render them. Polls that are due run in between.
//
// Most series have the labels and the value that they had at the last scrape. So each scrape reads all of them, compares
// them with those of the last one, and writes only what differs.
import { nextTurn } from '../../lib/clock.ts';
import { METRICS, type MetricName } from '../metric-table.ts';
import { KeptLines, type WrittenLines } from './kept-lines.ts';
import { LabelTexts, type SeriesLabels } from './label-texts.ts';

type Series = readonly [labels: SeriesLabels, value: number];

export interface SeriesText {
  /** No two series may have equal labels: Prometheus would refuse the whole scrape. */
  write(series: Iterable<Series>): Promise<WrittenLines>;
  /** Adds up series with equal labels, and leaves out null. If `read` throws, no series is written. */
  writeSums(read: () => Iterable<Series | null>): Promise<WrittenLines>;
}

/** Series beyond `most` are left out. Each text must be complete before the next one is begun. */
export function createSeriesText(name: MetricName, most: number): SeriesText {
  const texts = new LabelTexts(METRICS[name]);
  const lines = new KeptLines(name, METRICS[name], most);

  async function sumsOf(read: () => Iterable<Series | null>): Promise<ReadonlyMap<string, number>> {
    const sums = new Map<string, number>();
    let place = 0;
    await inTurns(read(), (series) => {
      if (series === null) return;
      const text = texts.at(place, series[0]);
      sums.set(text, (sums.get(text) ?? 0) + series[1]);
      place += 1;
    });
    texts.end(place);
    return sums;
  }

  return {
    async write(series) {
      let place = 0;
      lines.begin();
      await inTurns(series, ([labels, value]) => {
        lines.add(texts.at(place, labels), value);
        place += 1;
      });
      texts.end(place);
      return lines.end();
    },
    async writeSums(read) {
      const sums = await sumsOf(read).catch(() => NO_SUMS);
      lines.begin();
      await inTurns(sums, ([text, value]) => {
        lines.add(text, value);
      });
      return lines.end();
    },
  };
}

const NO_SUMS: ReadonlyMap<string, number> = new Map();
const AT_ONCE = 1000;

async function inTurns<T>(all: Iterable<T>, work: (one: T) => void): Promise<void> {
  let done = 0;
  for (const one of all) {
    work(one);
    done += 1;
    if (done % AT_ONCE === 0) await nextTurn();
  }
}
