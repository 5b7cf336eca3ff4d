// Reads the ABI files that watches name. This is done before the rules are loaded, since loading reads no files.
import { resolve } from 'node:path';
import type { ReadFile } from '../../config/model.ts';
import { reasonOf } from '../../config/problem.ts';
import { isMap, type WrittenValue } from '../../config/yaml/written.ts';
import { isBelow } from '../../lib/files/inside.ts';
import type { Steps } from '../../lib/steps.ts';
import type { RuleCache } from '../cache.ts';
import { writtenPaths, type AbiFile, type AbiFiles } from './abi-files.ts';
import { hasTooManyMarks, type RuleFile } from '../load.ts';

const MIB = 1024 * 1024;
const LARGEST = 8 * MIB;
/** The limit for all ABI files together. */
const MOST_BYTES = 32 * MIB;
const OUTSIDE = 'it is outside of the directory of the config';

interface Reading {
  /** Paths are relative to it, and the files lie below it. */
  readonly directory: string;
  readonly readFile: ReadFile;
  readonly cache: Pick<RuleCache, 'parse'>;
}

/** Pauses after each file of rules and each ABI. */
export function* readAbiFiles(files: readonly RuleFile[], reading: Reading): Steps<AbiFiles> {
  const found = new Map<string, AbiFile>();
  if (hasTooManyMarks(files)) return found;
  let left = MOST_BYTES;
  for (const { file, text } of files.filter((one) => /\babi\b/.test(one.text))) {
    yield;
    const parsed = reading.cache.parse(file, text);
    for (const path of 'source' in parsed ? pathsIn(parsed.source.value) : []) {
      if (found.has(path)) continue;
      yield;
      const abi = readOne(path, reading);
      left -= 'text' in abi ? Buffer.byteLength(abi.text) : 0;
      found.set(path, left < 0 ? { refusal: `all ABI files are larger than ${MOST_BYTES / MIB} MiB` } : abi);
    }
  }
  return found;
}

function pathsIn(file: WrittenValue): readonly string[] {
  const watches = isMap(file) ? file['watches'] : undefined;
  if (!Array.isArray(watches)) return [];
  return watches.flatMap((watch: WrittenValue) => (isMap(watch) ? writtenPaths(watch['abi']) : []));
}

function readOne(path: string, { directory, readFile }: Reading): AbiFile {
  const refusal = (realPath: string): string | null => (isBelow(directory, realPath) ? null : OUTSIDE);
  try {
    return { text: readFile(resolve(directory, path), { maxBytes: LARGEST, refusal }) };
  } catch (error) {
    return { refusal: reasonOf(error) };
  }
}
