import { resolve } from 'node:path';
import type { ConfigTools } from './model.ts';
import { reasonOf, type Problem } from './problem.ts';
import type { SecretText } from './shape.ts';
import { quote } from './scalars.ts';
import type { Path } from './yaml/written.ts';
import type { Source } from './yaml/yaml.ts';

type SecretRead = { readonly text: string } | { readonly missing: Problem };

/** What makes a text unfit for its purpose, said after its name: `has a line break in it`; null when it is fit. */
type Fault = (text: string) => string | null;

export interface SecretReader {
  read(written: SecretText, path: Path, faultOf?: Fault): SecretRead;
}

/** Reads `{ env: NAME }` and `{ file: PATH }`. What it complains of names the place, never the content. */
export function createSecretReader(source: Source, directory: string, { env, readFile }: ConfigTools): SecretReader {
  const missing = (path: Path, message: string, hint: string): SecretRead => ({
    missing: source.problem(path, { message, hint }),
  });

  return {
    read(written, path, faultOf = () => null) {
      const checked = (text: string, at: Path, from: string): SecretRead => {
        if (text === '') return missing(at, `${from} is empty`, 'Put the secret there.');
        const fault = isTooLong(text) ? 'is longer than 4 KiB' : faultOf(text);
        return fault === null ? { text } : missing(at, `${from} ${fault}`, 'Put the bare secret there, on one line.');
      };
      if (typeof written === 'string') return checked(written, path, 'the secret');
      if ('env' in written) {
        const text = env[written.env];
        if (text === undefined)
          return missing(
            [...path, 'env'],
            `the environment variable ${quote(written.env)} is not set`,
            'Set it for the daemon.',
          );
        return checked(withoutLineEnd(text), [...path, 'env'], `the environment variable ${quote(written.env)}`);
      }
      const file = resolve(directory, written.file);
      try {
        return checked(withoutLineEnd(readFile(file, LARGEST)), [...path, 'file'], `the file ${quote(written.file)}`);
      } catch (error) {
        return missing(
          [...path, 'file'],
          `the file ${quote(written.file)} cannot be read: ${reasonOf(error)}`,
          'Put the secret there, in a file that the daemon may read.',
        );
      }
    },
  };
}

/** Of a file: what is larger holds more than a secret. */
const LARGEST = 64 * 1024;
const LONGEST = 4 * 1024;

/** The log looks for every secret in each line, in a dozen spellings: a longer one makes a pattern too large for that. */
function isTooLong(text: string): boolean {
  return Buffer.byteLength(text) > LONGEST;
}

// Editors and `echo` end a file with a line end, which is no part of a key.
function withoutLineEnd(text: string): string {
  return text.replace(/(?:\r?\n)+$/, '');
}
