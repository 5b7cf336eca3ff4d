// Fields whose values are lost, although the answers still have their keys.
import type { Memory } from '../memory.ts';
import type { AnyKind, LostValue } from '../watch/kind.ts';
import type { Watch } from '../watch/watch.ts';
import type { BlindWatch } from './blind-cause.ts';
import { goneFields, NO_SIGHTINGS, type ReadField } from './field-sightings.ts';

interface Reader {
  readonly kind: Pick<AnyKind, 'lost'>;
  readonly readFields: readonly ReadField[];
}

/** The lost fields that conditions of the watch read. `state`: the kind's memory; null: there is none. */
export function lostFields(reader: Reader, state: unknown): readonly string[] {
  const lost = new Set(lostValues(reader, state).flatMap(({ paths }) => paths));
  return reader.readFields.map(({ path }) => path).filter((path) => lost.has(path));
}

/** Without those that no condition reads. */
function lostValues({ kind, readFields }: Reader, state: unknown): readonly LostValue[] {
  const lost = state === null ? [] : (kind.lost?.(state) ?? []);
  return lost.filter(({ paths }) => readFields.some(({ path }) => paths.includes(path)));
}

/**
 * The fields without a value that conditions of a watch read, and the name of the lost value. A memory with another
 * checksum may be of another kind.
 */
export function missingValues(
  watch: Reader & Pick<Watch, 'checksum'>,
  memory: Pick<Memory, 'data' | 'state' | 'checksum'> | undefined,
): Pick<BlindWatch, 'fields' | 'lost'> {
  const data = memory?.data ?? null;
  const state = memory?.checksum === watch.checksum ? memory.state : null;
  const lost = lostFields(watch, state);
  const names = lostValues(watch, state).flatMap(({ name }) => name ?? []);
  const fields = [...new Set([...goneFields(data?.fields ?? NO_SIGHTINGS), ...lost])];
  return { fields, lost: names.length === 0 ? null : names.join(' and ') };
}
