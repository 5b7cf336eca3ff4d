import { existsSync, readFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { spawn } from 'node:child_process';
import process from 'node:process';
import { expect, test, describe } from '@jest/globals';
import { RUNTIME_ENV, RUNTIME_FLAGS } from '../../src/cli/runtime-flags.ts';

interface Instruction {
  readonly name: string;
  readonly text: string;
}

/** Instructions with their continued lines joined; comments left out. */
function instructionsOf(dockerfile: string): Instruction[] {
  return dockerfile
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n')
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [name = '', ...rest] = line.split(' ');
      return { name, text: rest.join(' ').replace(/\s+/g, ' ').trim() };
    });
}

const ALL = instructionsOf(readFileSync('Dockerfile', 'utf8'));
const STAGES = ALL.filter(({ name }) => name === 'FROM').map(({ text }) => text);
const LAST = ALL.slice(ALL.findLastIndex(({ name }) => name === 'FROM'));
const textOf = (name: string): string | undefined => LAST.find((each) => each.name === name)?.text;

describe('the image', () => {
  test('is built in named stages on one image, which nobody can replace under its tag', () => {
    expect(STAGES).toEqual(['${NODE} AS build', '${NODE} AS dependencies', '${NODE} AS run']);
    const [base] = ALL.filter(({ name }) => name === 'ARG').map(({ text }) => text);
    expect(base).toMatch(/^NODE=node:\d+\.\d+\.\d+-slim@sha256:[0-9a-f]{64}$/);
    // What is tested is what is shipped.
    const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
      readonly packages: Readonly<Record<string, { readonly version: string }>>;
    };
    expect(base).toContain(`:${lock.packages['node_modules/node']?.version ?? 'none'}-`);
    // A frontend of its own would be another image, fetched by a tag.
    expect(readFileSync('Dockerfile', 'utf8')).not.toContain('syntax=');
  });

  test('installs exactly what the lock file says, runs no script of a dependency, and keeps no development tools', () => {
    const installs = ALL.filter(({ name, text }) => name === 'RUN' && text.includes('npm '));
    expect(installs.map(({ text }) => text)).toEqual([
      'npm ci --ignore-scripts',
      'npm run build',
      'npm ci --omit=dev --ignore-scripts && npm cache clean --force',
    ]);
    expect(LAST.some(({ name, text }) => name === 'RUN' && text.includes('npm'))).toBe(false);
  });

  test('runs as an ordinary user that owns nothing but the place of the state file', () => {
    expect(textOf('USER')).toBe('node');
    expect(textOf('VOLUME')).toBe('/data');
    const before = LAST.slice(
      0,
      LAST.findIndex(({ name }) => name === 'USER'),
    );
    expect(before.filter(({ name }) => name === 'RUN').map(({ text }) => text)).toEqual([
      'mkdir -p /data /etc/chainwarden && chown node:node /data && chmod 0700 /data && ' +
        'ln -s /app/dist/main.js /usr/local/bin/chainwarden',
    ]);
    expect(LAST.every(({ name, text }) => name !== 'COPY' || !text.includes('--chown'))).toBe(true);
  });

  test('can be scraped from outside, and starts the daemon without a shell', () => {
    expect(textOf('ENV')).toContain('CHAINWARDEN_LISTEN=0.0.0.0:9797');
    for (const [name, value] of Object.entries(RUNTIME_ENV)) expect(textOf('ENV')).toContain(`${name}=${value}`);
    expect(textOf('EXPOSE')).toBe('9797');
    const run = '/app/dist/main.js run --config /etc/chainwarden/config.yaml'.split(' ');
    expect(JSON.parse(textOf('ENTRYPOINT') ?? '')).toEqual(['node', ...RUNTIME_FLAGS, ...run]);
  });

  test('takes in only what is named, and all that is named exists', () => {
    const [first, ...named] = readFileSync('.dockerignore', 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    expect(first).toBe('*');
    const copied = ALL.filter(({ name, text }) => name === 'COPY' && !text.startsWith('--from'))
      .flatMap(({ text }) => text.split(' ').slice(0, -1))
      .map((path) => `!${path}`);
    expect([...new Set(copied)].sort()).toEqual(named.toSorted());
    for (const path of named) expect([path, existsSync(path.slice(1))]).toEqual([path, true]);
  });
});

test('the lock file knows what each package must contain, whatever machine it is for', () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly integrity?: string; readonly link?: boolean }>>;
  };
  const unknown = Object.entries(packages).filter(([path, { integrity, link }]) => {
    return path !== '' && link !== true && integrity?.startsWith('sha512-') !== true;
  });
  expect(unknown.map(([path]) => path)).toEqual([]);
});

describe('its health check', () => {
  const [command = '', ...args] = JSON.parse(textOf('HEALTHCHECK')?.replace(/^.*? CMD /, '') ?? '[]') as string[];

  async function check(listen: string): Promise<number> {
    const child = spawn(command === 'node' ? process.execPath : command, args, {
      env: { CHAINWARDEN_LISTEN: listen },
      stdio: 'ignore',
    });
    const [code] = (await once(child, 'exit')) as [number];
    return code;
  }

  test.each([
    [200, 0],
    [503, 1],
  ])('asks /healthz where the daemon listens: %i exits %i', async (status, code) => {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url ?? '');
      response.writeHead(status).end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    expect(await check(`0.0.0.0:${(server.address() as AddressInfo).port}`)).toBe(code);
    expect(asked).toEqual(['/healthz']);
    server.close();
    await once(server, 'close');
  });

  test('fails when nobody answers', async () => {
    expect(await check('0.0.0.0:1')).toBe(1);
  });
});

test('the workflow runs the one script on the supported lines of Node, and may write nothing', () => {
  const workflow = readFileSync('.github/workflows/ci.yml', 'utf8');
  expect(workflow).toContain('node: [24, 26]');
  expect(workflow).toContain('- run: .ci/run');
  const actions = [...workflow.matchAll(/uses: (\S+)/g)].map(([, action]) => action);
  expect(actions.length).toBeGreaterThan(0);
  for (const action of actions) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
  expect(workflow).toMatch(/^permissions:\n {2}contents: read$/m);
});

test('the licence is the one that the package names', () => {
  const licence = readFileSync('LICENSE', 'utf8');
  expect(licence).toContain('Apache License');
  expect(licence).toContain('END OF TERMS AND CONDITIONS');
  expect(JSON.parse(readFileSync('package.json', 'utf8'))).toHaveProperty('license', 'Apache-2.0');
});
