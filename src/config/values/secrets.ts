import { resolve } from 'node:path';
import { guardedIn } from '../../lib/secret-spellings.ts';
import type { ConfigTools } from '../model.ts';
import { reasonOf, type Problem } from '../problem.ts';
import type { SecretText } from '../shape.ts';
import { quote } from './scalars.ts';
import type { Path } from '../yaml/written.ts';
import type { Source } from '../yaml/yaml.ts';

type SecretRead = { readonly text: string } | { readonly missing: Problem };

/** Returns why a text cannot be used, as the end of a message: `has a line break in it`. Null if it can be used. */
type Fault = (text: string) => string | null;

export interface SecretReader {
  read(written: SecretText, path: Path, faultOf?: Fault): SecretRead;
  /**
   * The problem of a missing secret. Empty if the command only reads the state and the secret is absent from its
   * environment, since such a command needs no secret.
   */
  lacking(missing: Problem): readonly Problem[];
  /** Warnings about the secrets read so far that every user of the machine can read. */
  exposed(): readonly Problem[];
}

type SecretTools = Pick<ConfigTools, 'env' | 'readFile' | 'isReadableByAll' | 'isToRead'>;

/** Reads `{ env: NAME }` and `{ file: PATH }`. Problems name the place, never the content. */
export function createSecretReader(source: Source, directory: string, tools: SecretTools): SecretReader {
  const { env, readFile, isReadableByAll = () => false, isToRead = false } = tools;
  const exposed: Problem[] = [];
  const isConfigExposed = lazily(() => isReadableByAll(resolve(source.file)));
  // The lines around the place contain the secret, so they are not shown.
  const expose = (path: Path, message: string, hint: string): void => {
    exposed.push({ ...source.problem(path, { message, hint }), frame: '' });
  };
  const missing = (path: Path, message: string, hint: string): { readonly missing: Problem } => ({
    missing: source.problem(path, { message, hint }),
  });
  const absent = (name: string, read: { readonly missing: Problem }): SecretRead => ({
    missing: { ...read.missing, absent: name },
  });

  return {
    read(written, path, faultOf = () => null) {
      const checked = (text: string, at: Path, from: string): SecretRead => {
        if (text === '') return missing(at, `${from} is empty`, 'Put the secret there.');
        const fault = isTooLong(text) ? 'is longer than 4 KiB' : faultOf(text);
        return fault === null ? { text } : missing(at, `${from} ${fault}`, 'Put the bare secret there, on one line.');
      };
      if (typeof written === 'string') {
        const variable = /^\$\{?([A-Za-z_]\w{0,99})\}?$/.exec(written)?.[1];
        if (variable !== undefined)
          return missing(path, 'an environment variable is written in braces', `Write { env: ${variable} }.`);
        if (holdsSecret(written, path) && isConfigExposed())
          expose(path, 'a secret stands here, in a file that every user of this machine can read', HIDE_SECRET);
        return checked(written, path, 'the secret');
      }
      if ('env' in written) {
        const text = env[written.env];
        if (text === undefined)
          return absent(
            written.env,
            missing(
              [...path, 'env'],
              `the environment variable ${quote(written.env)} is not set`,
              'Set it for the daemon.',
            ),
          );
        return checked(withoutLineEnd(text), [...path, 'env'], `the environment variable ${quote(written.env)}`);
      }
      const file = resolve(directory, written.file);
      try {
        if (isReadableByAll(file))
          expose([...path, 'file'], `every user of this machine can read the file ${quote(written.file)}`, HIDE_FILE);
        return checked(
          withoutLineEnd(readFile(file, { maxBytes: LARGEST })),
          [...path, 'file'],
          `the file ${quote(written.file)}`,
        );
      } catch (error) {
        return absent(
          written.file,
          missing(
            [...path, 'file'],
            `the file ${quote(written.file)} cannot be read: ${reasonOf(error)}`,
            'Put the secret there, in a file that the daemon may read.',
          ),
        );
      }
    },
    lacking: (problem) => (isToRead && problem.absent !== undefined ? [] : [problem]),
    exposed: () => exposed,
  };
}

const HIDE_SECRET = 'Write { env: NAME } or { file: PATH }, or take the read permission from other users (chmod o-r).';
const HIDE_FILE = 'Take the read permission from other users (chmod o-r).';

const PUBLIC_HEADERS: ReadonlySet<string> = new Set(['accept', 'accept-language', 'origin', 'referer', 'user-agent']);

/** True for a header that only identifies the client and contains no credential. */
export function isPublicHeader(name: string): boolean {
  return PUBLIC_HEADERS.has(name.toLowerCase());
}

/**
 * True if the value contains a secret. A key for secrets may have a value without one, such as the address of a server
 * without a password.
 */
function holdsSecret(text: string, path: Path): boolean {
  const [name, above] = path.toReversed();
  if (above === 'headers' && isPublicHeader(String(name))) return false;
  return text !== '' && guardedIn(text).length > 0;
}

function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}

/** The size limit of a secret's file: a larger file contains more than a secret. */
const LARGEST = 64 * 1024;
const LONGEST = 4 * 1024;

/**
 * The log searches every line for every secret in a dozen spellings. A longer secret makes a pattern that is too large.
 */
function isTooLong(text: string): boolean {
  return Buffer.byteLength(text) > LONGEST;
}

// Editors and `echo` end a file with a line feed, which is not part of the key.
function withoutLineEnd(text: string): string {
  return text.replace(/(?:\r?\n)+$/, '');
}
