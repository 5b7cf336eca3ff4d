// Reads the memories of the watches of a report from the store, also those of watches that other replicas poll.
import type { Run } from '../../core/model/memory.ts';
import type { Report } from '../../core/reports/model.ts';
import { pastRunsOf, readMember, type MemberReading, type StoredMember } from '../../core/reports/reading.ts';
import type { Instant } from '../../lib/clock.ts';
import type { Store } from '../../store/contract/store.ts';

type SampleStore = Pick<Store, 'recall' | 'samplesAfter'>;

/** The most runs that are read around the beginning of a change. Few polls lie so close together. */
const MOST_RUNS = 64;

/** The values of a report's watches at `at`. Rejects with a `StorageError`. */
export async function readMembers(store: SampleStore, report: Report, at: Instant): Promise<MemberReading[]> {
  // A damaged memory is as unknown as one that is not there.
  const memories = await store.recall(
    report.members.map(({ id }) => id),
    () => undefined,
  );
  const readings: MemberReading[] = [];
  for (const watch of report.members) {
    const member = { watch, memory: memories.get(watch.id) };
    readings.push(readMember(report, { ...member, past: await readPast(store, report, { ...member, at }) }, at));
  }
  return readings;
}

interface Asked extends Pick<StoredMember, 'watch' | 'memory'> {
  readonly at: Instant;
}

async function readPast(store: SampleStore, report: Report, { at, ...of }: Asked): Promise<StoredMember['past']> {
  const past = new Map<number, readonly Run[]>();
  for (const { ms, path, after } of pastRunsOf(report, of, at))
    past.set(ms, await store.samplesAfter({ watch: of.watch.id, path }, after, MOST_RUNS));
  return past;
}
