// The functions and events of the files that a watch names in `abi`.
import { quote } from '../../config/values/scalars.ts';
import type { Path, ProblemAt } from '../../config/yaml/written.ts';
import { EMPTY_ABI, joinAbis, type Abi } from '../../lib/abi/abi.ts';
import type { RuleCache } from '../cache.ts';
import { writtenPaths, type AbiFiles } from './abi-files.ts';

export interface AbiSource {
  readonly files: AbiFiles;
  readonly cache: Pick<RuleCache, 'abi'>;
}

const MOST_FILES = 20;
const READABLE = 'Paths begin at the directory of the config, and the file is below it.';

/** Null if a file has a problem. `complain` gets its place below the watch. */
export function abiOf(
  written: unknown,
  { files, cache }: AbiSource,
  complain: (path: Path, at: ProblemAt) => void,
): Abi | null {
  const paths = writtenPaths(written);
  if (paths.length === 0) return EMPTY_ABI;
  if (paths.length > MOST_FILES) {
    complain(['abi'], { message: `has at most ${MOST_FILES} files` });
    return null;
  }
  const abis = paths.map((path, i): Abi | null => {
    const place = Array.isArray(written) ? ['abi', i] : ['abi'];
    const file = files.get(path) ?? { refusal: 'no such file' };
    if ('refusal' in file) {
      complain(place, { message: `${quote(path)} cannot be read: ${file.refusal}`, hint: READABLE });
      return null;
    }
    const parsed = cache.abi(path, file.text);
    if ('abi' in parsed) return parsed.abi;
    const { message, hint } = parsed.mistake;
    complain(place, { message: `${quote(path)} ${message}`, hint });
    return null;
  });
  return abis.every((abi) => abi !== null) ? joinAbis(abis) : null;
}
