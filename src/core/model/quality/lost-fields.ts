// Fields whose values were known and are lost, although the answers still have their keys.
import type { Memory } from '../memory.ts';
import type { AnyKind } from '../watch/kind.ts';
import type { Watch } from '../watch/watch.ts';
import type { BlindWatch } from './blind-cause.ts';
import { goneFields, NO_SIGHTINGS, type ReadField } from './field-sightings.ts';

interface Reader {
  readonly kind: Pick<AnyKind, 'lost'>;
  readonly readFields: readonly ReadField[];
}

/** The lost fields that conditions of the watch read. `state`: the kind's memory; null: there is none. */
export function lostFields({ kind, readFields }: Reader, state: unknown): readonly string[] {
  const lost = state === null ? null : (kind.lost?.(state) ?? null);
  return lost === null ? [] : readFields.filter(({ source }) => source === lost.source).map(({ path }) => path);
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
  const name = lost.length === 0 ? null : (watch.kind.lost?.(state)?.name ?? null);
  return { fields: [...goneFields(data?.fields ?? NO_SIGHTINGS), ...lost], lost: name };
}
