// Whatever the daemon warns of is explained.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { EXIT } from '../../src/cli/exit.ts';
import { DATA_STATES } from '../../src/core/model/memory.ts';

const text = readFileSync('docs/troubleshooting.md', 'utf8');

function sources(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(join(folder, file), 'utf8'));
}

test('every warning and error of the log', () => {
  const events = sources('src').flatMap((code) =>
    [...code.matchAll(/\blog\.(?:warn|error)\(\s*'([a-z]+:[a-z-]+)'/g)].map(([, event = '']) => event),
  );
  expect(events.length).toBeGreaterThan(30);
  expect([...new Set(events)].filter((event) => !text.includes(`\`${event}\``))).toEqual([]);
});

test('every state of the data, as a row of its own', () => {
  expect(DATA_STATES.filter((state) => !text.includes(`\n| \`${state}\` `))).toEqual([]);
});

test('every exit code is explained in docs/deploy.md', () => {
  const deploy = readFileSync('docs/deploy.md', 'utf8');
  expect(Object.values(EXIT).filter((code) => !new RegExp(`^\\| ${code} +\\|`, 'm').test(deploy))).toEqual([]);
});
