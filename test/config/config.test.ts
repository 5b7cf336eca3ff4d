import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { secretsOf } from '../../src/config/config.ts';
import type { Config } from '../../src/config/model.ts';
import { formatProblems, summarize } from '../../src/config/problem.ts';
import { configOf, loadConfigText } from '../rules/support/load.ts';

const BAD = join(import.meta.dirname, 'fixtures/bad');

describe('By whose clocks people are shown times', () => {
  const read = (lines: string) => {
    const text = `explorers: { here: { form: sandbox } }\nchannels: { a: { type: list, to: [x] } }\n${lines}`;
    const { config, problems, warnings } = loadConfigText(text);
    return [config?.timeZone, [...problems, ...warnings].map(summarize)];
  };

  test.each([
    ['', 'UTC'],
    ['time_zone: Asia/Tokyo', 'Asia/Tokyo'],
  ])('%s', (text, zone) => {
    expect(read(text)).toEqual([zone, []]);
  });

  test('a zone below http is read, with a warning that names its place', () => {
    const warning =
      '/etc/chainwarden/config.yaml:3:20 http.time_zone: `time_zone` stands at the top of the config, since messages and ' +
      'the command line go by it too. Write time_zone: Europe/Berlin there. Until then it is read here.';
    expect(read('http: { time_zone: Europe/Berlin }')).toEqual(['Europe/Berlin', [warning]]);
    expect(read('http: { time_zone: Europe/Berlin }\ntime_zone: UTC')).toEqual(['UTC', [warning]]);
  });
});

describe('Who is told what is wrong with the daemon itself', () => {
  const config = (self: string, channels = 'a: { type: list, to: [x, y] }, b: { type: list, to: [z] }'): string =>
    `explorers: { here: { form: sandbox } }\nchannels: { ${channels} }\n${self}`;
  const read = (text: string) => {
    const { config, problems, warnings } = loadConfigText(text);
    return [config?.self, [...problems, ...warnings].map(summarize)];
  };

  test.each([
    ['the channels that are named, each once', config('self: [a, b, a]'), ['a', 'b']],
    ['of a single name', config('self: b'), ['b']],
    ['nobody', config('self: none'), []],
    ['the only channel, when nothing is said', config('', 'a: { type: list, to: [x] }'), ['a']],
  ])('%s', (_name, text, told) => {
    expect(read(text)).toEqual([told, []]);
  });

  test('of several channels the first, with a warning that says how to choose', () => {
    expect(read(config(''))).toEqual([
      ['a'],
      [
        '/etc/chainwarden/config.yaml:2:13 channels.a: what is wrong with the daemon itself goes to "a", the first channel. ' +
          'Write self: [a] to say so, name others, or write self: none.',
      ],
    ]);
  });

  test('a channel without its secret is a problem when it is named, and is passed over when it is not', () => {
    const channels = 'a: { type: post, url: { env: NOT_SET } }, b: { type: list, to: [z] }';
    expect(read(config('self: a', channels))).toEqual([undefined, [expect.stringContaining('"NOT_SET" is not set')]]);
    expect(read(config('', channels))[0]).toEqual(['b']);
  });
});

describe('A config with a mistake says where and what to do', () => {
  const names = readdirSync(BAD).filter((name) => name.endsWith('.yaml'));

  test.each(names)('%s', (name) => {
    const { config, problems } = loadConfigText(readFileSync(join(BAD, name), 'utf8'));
    const text = `${formatProblems(problems).replaceAll('/etc/chainwarden/', '')}\n`;
    expect(text).toBe(readFileSync(join(BAD, name.replace(/\.yaml$/, '.problems.txt')), 'utf8'));
    expect(config).toBeNull();
    for (const secret of ['hunter2', 'apikey=abc']) expect(text).not.toContain(secret);
  });
});

const KEY = 'sekrit-explorer-key';
const HOOK = 'https://hooks.example.com/T0123/abcdef';
const FULL = `
explorers:
  ethereum:
    form: multichain
    base_url: https://explorer.example.com/
    chain_id: 1
    api_key: { env: EXPLORER_KEY }
    auth: query
    coin: { symbol: ETH }
    page_url: https://pages.example.com/eth/
    plan: { requests_per_second: 5, credits: 100_000, per: month, reserve: 12.5% }
    concurrency: 4
    headers: { X-Extra: { file: secrets/extra } }
  gnosis: { form: instance, instance_url: http://127.0.0.1:4000 }
  playground: { form: sandbox, seed: 7, block_time: 500ms, control: true, as: 11, faults: true }
  still: { form: sandbox, block_time: manual }
addresses:
  treasury: 0x47ac0Fb4F2D84898e4D9E7b4DaB3C24507a6D503
  cold: ["0x3333333333333333333333333333333333333333"]
  all: [treasury, cold, 0x47AC0FB4F2D84898E4D9E7B4DAB3C24507A6D503]
tokens: { USDC: { ethereum: 0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48 }, ACME: 0x6B175474E89094C44Da98b954EedeAC495271d0F }
channels:
  ops: { type: post, url: { env: HOOK }, secret: { file: /run/secrets/ops } }
  plain: { type: post, url: "http://127.0.0.1:1/x?token=written-down" }
state: { file: ./data/state.db }
recording: { keep: 12h, max_size: 64MiB }
http: { listen: "[::1]:9000" }
rules: rules/*.yaml
`;
const FILES = { '/etc/chainwarden/secrets/extra': 'extra-value\n', '/run/secrets/ops': 'whsec_abc\r\n' };
const ENV = { EXPLORER_KEY: KEY, HOOK };

function full(): Config {
  const { config, problems } = loadConfigText(FULL, FILES, ENV);
  expect(problems.map(summarize)).toEqual([]);
  if (config === null) throw new Error('no config');
  return config;
}

describe('Operators', () => {
  const written = (operators: string): string => `
explorers: { playground: { form: sandbox } }
channels: { ops: { type: list, to: [a] } }
http: { public_url: 'https://warden.example.com/', operators: { ${operators} } }
`;
  const LONG = 'a-token-of-thirty-two-characters';

  test('are read with their tokens, which show nowhere', () => {
    const text = written('alice: { token: { env: A } }, b.o@c: { token: { file: b }, role: viewer }');
    const { config } = loadConfigText(text, { '/etc/chainwarden/b': `${LONG}!\n` }, { A: LONG });
    const operators = config?.http.operators ?? [];
    expect(operators.map(({ name, role, token }) => [name, role, token?.reveal()])).toEqual([
      ['alice', 'operator', LONG],
      ['b.o@c', 'viewer', `${LONG}!`],
    ]);
    expect(config?.http.publicUrl).toBe('https://warden.example.com');
    expect(inspect(config?.http, { depth: 9 })).not.toContain(LONG);
    if (config !== null) expect(secretsOf(config)).toEqual([LONG, `${LONG}!`]);
  });

  test('may be named by a proxy, which has a secret of its own', () => {
    const http = 'proxy: { header: X-Forwarded-User, from: 10.0.0.7, secret: { env: A } }';
    const text = written('alice: { role: operator }').replace('operators:', `${http}, operators:`);
    const { config } = loadConfigText(text, {}, { A: LONG });
    expect(config?.http.operators).toEqual([{ name: 'alice', role: 'operator', token: null }]);
    expect(config?.http.proxy).toMatchObject({ header: 'X-Forwarded-User', from: ['10.0.0.7'] });
    if (config !== null) expect(secretsOf(config)).toEqual([LONG]);
  });

  test.each([
    ['from: 0.0.0.0/0', 'is not an address or a network such as 10.0.0.0/24; /0 is refused'],
    ['from: proxy.example.com', 'is not an address or a network'],
    ['from: []', 'the list is empty'],
    ['from: 10.0.0.7, header: "X User"', 'a header name has letters, digits and dashes'],
    ['from: 10.0.0.7, secret: { env: SHORT }', 'the environment variable "SHORT" is shorter than 32 characters'],
  ])('named by a proxy that could be anybody are refused: %s', (keys, message) => {
    const all = ['header: X-User', 'secret: { env: A }'].filter((part) => !keys.includes(part.split(':')[0] ?? ''));
    const proxy = `proxy: { ${[keys, ...all].join(', ')} }`;
    const text = written('').replace('operators:', `${proxy}, operators:`);
    const { problems } = loadConfigText(text, {}, { A: LONG, SHORT: LONG.slice(1) });
    expect(problems.map((problem) => problem.message)).toEqual([expect.stringContaining(message)]);
  });

  test.each([
    ['alice: { token: { env: SHORT } }', 'the environment variable "SHORT" is shorter than 32 characters'],
    ['alice: { token: { env: BLANK } }', 'has a blank, or a character that is not ASCII, in it'],
    ['a: { token: { env: A } }, b: { token: { env: A } }', 'has the token of a'],
    ['alice: { role: viewer }', 'token is missing'],
    ['local: { token: { env: A } }', 'local is who uses the token file beside the state file'],
  ])('are refused with a token that is none, or somebody else’s: %s', (operators, message) => {
    const env = { A: LONG, SHORT: LONG.slice(1), BLANK: `${LONG} ${LONG}` };
    const { config, problems } = loadConfigText(written(operators), {}, env);
    expect([config, problems.map((problem) => problem.message).join()]).toEqual([
      null,
      expect.stringContaining(message),
    ]);
    expect(formatProblems(problems)).not.toContain(LONG.slice(1));
  });
});

describe('The page', () => {
  const pageOf = (http: string) =>
    loadConfigText(`
explorers: { playground: { form: sandbox } }
channels: { ops: { type: list, to: [a] } }
http: { ${http} }
`);

  test.each([
    ['listen: "127.0.0.1:0"', true],
    ['listen: "[::1]:0"', true],
    ['public_url: "https://warden.example.com"', false],
    ['public_url: "https://warden.example.com", read: open', true],
    ['read: operators', false],
    ['listen: "0.0.0.0:9797"', false],
  ])('may be read without a token only where nobody else can reach it: %s', (http, isOpen) => {
    expect(pageOf(http).config?.http.page.isOpen).toBe(isOpen);
  });

  test('links to rule files at an address that has a place for the file', () => {
    const url = 'https://git.example.com/ops/blob/main/{file}#L{line}';
    expect(pageOf(`source_url: "${url}"`).config?.http.page.sourceUrl).toBe(url);
    for (const wrong of [
      'javascript:{file}',
      'https://git.example.com/ops',
      'https://{file}/',
      'https://me@git.example.com/{file}',
    ])
      expect(formatProblems(pageOf(`source_url: "${wrong}"`).problems)).toContain('that contains {file}');
  });

  test('is not opened to a network, nor shown in a zone that does not exist', () => {
    const { problems } = pageOf('listen: "0.0.0.0:9797", read: open');
    expect(problems.map(({ message }) => message)).toEqual(['anybody who reaches 0.0.0.0 could read the page']);
    const unknown = pageOf('time_zone: Europe/Berlni').problems;
    expect(formatProblems(unknown)).toContain('no time zone "Europe/Berlni": Write "Europe/Berlin"');
  });
});

describe('A good config', () => {
  test('is read with every default and unit', () => {
    const config = full();
    expect(config).toMatchObject({
      file: '/etc/chainwarden/config.yaml',
      directory: '/etc/chainwarden',
      state: { file: '/etc/chainwarden/data/state.db', maxBytes: 2 ** 31 },
      recording: { file: '/etc/chainwarden/data/recording.db', keepMs: 43_200_000, maxBytes: 64 * 2 ** 20 },
      http: {
        listen: { host: '::1', port: 9000 },
        page: { isServed: true, isOpen: true },
        publicUrl: null,
        operators: [],
        proxy: null,
      },
      rules: ['rules/*.yaml'],
    });
    expect(config.explorers.get('ethereum')).toMatchObject({
      form: 'multichain',
      name: 'ethereum',
      baseUrl: 'https://explorer.example.com',
      chainId: '1',
      auth: 'query',
      coin: { symbol: 'ETH', decimals: 18 },
      pageUrl: 'https://pages.example.com/eth',
      plan: { requestsPerSecond: 5, credits: 100_000, per: 'month', reservePercent: 12.5, enrichPercent: 2 },
      concurrency: 4,
      missing: [],
    });
    expect(config.explorers.get('gnosis')).toMatchObject({
      form: 'instance',
      instanceUrl: 'http://127.0.0.1:4000',
      apiKey: null,
      auth: 'query',
      coin: { symbol: 'coin', decimals: 18 },
      plan: null,
      concurrency: 1,
      headers: {},
    });
    expect(config.explorers.get('playground')).toMatchObject({
      seed: 7,
      blockTime: { ms: 500 },
      control: true,
      as: '11',
      faults: true,
    });
    expect(config.explorers.get('still')).toMatchObject({
      seed: 1,
      blockTime: 'manual',
      control: false,
      as: null,
      faults: false,
    });
    expect(config.channels.get('ops')?.to).toEqual({ url: HOOK, secret: 'whsec_abc' });
  });

  test('sends a key where each form reads it: a bearer token is lost on an instance', () => {
    const config = configOf(`
explorers:
  many: { form: multichain, base_url: 'https://a.example.com', chain_id: '1', api_key: k }
  one: { form: instance, instance_url: 'https://b.example.com', api_key: k }
  guarded: { form: instance, instance_url: 'https://c.example.com', api_key: k, auth: bearer }
channels: { ops: { type: list, to: [a] } }
`);
    const auth = [...config.explorers.values()].map((one) => (one.form === 'sandbox' ? null : one.auth));
    expect(auth).toEqual(['bearer', 'query', 'bearer']);
  });

  test.each(['http://127.0.0.1:4000', 'http://[::1]:4000', 'https://explorer.example'])('sends a key to %s', (url) => {
    const config = configOf(`
explorers: { here: { form: instance, instance_url: '${url}', api_key: k } }
channels: { ops: { type: list, to: [a] } }
`);
    expect(config.explorers.size).toBe(1);
  });

  test('sends a key without encryption only where the operator wants that', () => {
    const text = (more: string): string => `
explorers: { here: { form: instance, instance_url: 'http://10.0.0.1', api_key: k${more} } }
channels: { ops: { type: list, to: [a] } }
rules: [rules/*.yaml]
`;
    expect(loadConfigText(text('')).problems.map(summarize)).toEqual([
      expect.stringMatching(
        /explorers\.here\.instance_url: the API key would cross the network without encryption\. Use https:, or write insecure: true\.$/,
      ),
    ]);
    expect(loadConfigText(text(', insecure: true')).problems).toEqual([]);
  });

  test('knows its groups through other names, without twins', () => {
    const all = full().names.get('all');
    expect(all?.type === 'group' ? all.addresses.map(({ key }) => key) : []).toEqual([
      '0x47ac0fb4f2d84898e4d9e7b4dab3c24507a6d503',
      '0x3333333333333333333333333333333333333333',
    ]);
  });

  test('knows what stands at an address, also as a member of a group', () => {
    const { names } = configOf(`
explorers: { here: { form: sandbox } }
addresses:
  safe: { address: "0x3333333333333333333333333333333333333333", is: safe }
  wallet: "0x4444444444444444444444444444444444444444"
  both: [safe, wallet]
channels: { ops: { type: list, to: [a] } }
`);
    expect(names.get('safe')).toMatchObject({ type: 'address', is: 'safe' });
    expect(names.get('wallet')).toMatchObject({ type: 'address', is: null });
    const both = names.get('both');
    expect(both?.type === 'group' ? both.addresses.map(({ key }) => key.slice(0, 4)) : []).toEqual(['0x33', '0x44']);
  });

  test.each([
    [
      '{ address: "0x3333333333333333333333333333333333333333", is: cat }',
      'addresses.one.is: must be one of contract, safe, token, wallet',
    ],
    [
      '{ address: "0x3333333333333333333333333333333333333333" }',
      'addresses.one: a map of an address has address and is',
    ],
    ['{ is: safe }', 'addresses.one: a map of an address has address and is'],
    ['{ address: "0x33", is: safe, kind: x }', 'addresses.one.kind: unknown key "kind"'],
  ])('refuses %s', (written, problem) => {
    const text = `explorers: { here: { form: sandbox } }\naddresses: { one: ${written} }\nchannels: { ops: { type: list, to: [a] } }\n`;
    expect(loadConfigText(text).problems.map(summarize)).toContainEqual(expect.stringContaining(problem));
  });

  test('reads groups of groups of groups at once', () => {
    const groups = Array.from({ length: 30 }, (_, i) => `  g${i + 1}: [${Array(9).fill(`g${i}`).join(', ')}]`).join(
      '\n',
    );
    const text = `explorers: { here: { form: sandbox } }\nchannels: { ops: { type: list, to: [a] } }\naddresses:\n  g0: ["0x${'1'.repeat(40)}"]\n${groups}\n`;
    const last = configOf(text).names.get('g30');
    expect(last?.type === 'group' ? last.addresses.length : 0).toBe(1);
  });

  test('takes empty sections, as in a file of commented examples', () => {
    const config = configOf(
      'explorers: { here: { form: sandbox } }\naddresses:\ntokens:\n  # none yet\nchannels: { ops: { type: list, to: [a] } }\nhttp:\n',
    );
    expect(config.names.size).toBe(0);
    expect(config.http.listen).toEqual({ host: '127.0.0.1', port: 9797 });
  });

  test('listens where the environment says', () => {
    const text = 'explorers: { here: { form: sandbox } }\nchannels: { ops: { type: list, to: [a] } }\n';
    expect(loadConfigText(text, {}, { CHAINWARDEN_LISTEN: '0.0.0.0:80' }).config?.http.listen).toEqual({
      host: '0.0.0.0',
      port: 80,
    });
    expect(loadConfigText(text, {}, { CHAINWARDEN_LISTEN: 'nonsense' }).problems.map(summarize)).toEqual([
      '/etc/chainwarden/config.yaml:1:1: CHAINWARDEN_LISTEN: "nonsense" is not host:port, such as 127.0.0.1:9797',
    ]);
  });
});

describe('Secrets', () => {
  test('are revealed only on demand', () => {
    const explorer = full().explorers.get('ethereum');
    if (explorer?.form !== 'multichain') throw new Error('no explorer');
    expect(explorer.apiKey?.reveal()).toBe(KEY);
    expect(explorer.headers['x-extra']?.reveal()).toBe('extra-value');
    const shown = [JSON.stringify(explorer), inspect(explorer, { depth: 9 }), String(explorer.apiKey)].join();
    expect(shown).not.toContain(KEY);
    expect(shown).not.toContain('extra-value');
  });

  test('are listed for the logger, those written plainly too', () => {
    expect(secretsOf(full()).toSorted()).toEqual(
      [KEY, 'extra-value', HOOK, 'whsec_abc', 'http://127.0.0.1:1/x?token=written-down'].toSorted(),
    );
  });

  test.each([
    [
      'missing variable',
      {},
      FILES,
      'ethereum',
      'explorers.ethereum.api_key.env: the environment variable "EXPLORER_KEY" is not set. Set it for the daemon.',
    ],
    [
      'empty variable',
      { ...ENV, EXPLORER_KEY: '\n' },
      FILES,
      'ethereum',
      'explorers.ethereum.api_key.env: the environment variable "EXPLORER_KEY" is empty. Put the secret there.',
    ],
    [
      'missing file',
      ENV,
      {},
      'ethereum',
      'explorers.ethereum.headers.X-Extra.file: the file "secrets/extra" cannot be read: no such file. ' +
        'Put the secret there, in a file that the daemon may read.',
    ],
    [
      'header of two lines',
      ENV,
      { ...FILES, '/etc/chainwarden/secrets/extra': 'sekrit\nextra\n' },
      'ethereum',
      'explorers.ethereum.headers.X-Extra.file: the file "secrets/extra" has a line break in it. ' +
        'Put the bare secret there, on one line.',
    ],
    [
      'secret that is a whole file',
      ENV,
      { ...FILES, '/etc/chainwarden/secrets/extra': 'x'.repeat(4097) },
      'ethereum',
      'explorers.ethereum.headers.X-Extra.file: the file "secrets/extra" is longer than 4 KiB. ' +
        'Put the bare secret there, on one line.',
    ],
    [
      'key with a blank',
      { ...ENV, EXPLORER_KEY: 'sekrit key' },
      FILES,
      'ethereum',
      'explorers.ethereum.api_key.env: the environment variable "EXPLORER_KEY" has a blank or a letter with an accent ' +
        'in it. Put the bare secret there, on one line.',
    ],
  ])('a %s is kept until it is known whether it is needed', (_name, env, files, explorer, complaint) => {
    const { config, problems } = loadConfigText(FULL, files, env);
    expect(problems).toEqual([]);
    expect(
      config?.explorers
        .get(explorer)
        ?.missing.map(summarize)
        .map((text) => text.replace(/^\S+ /, '')),
    ).toContain(complaint);
  });
});

test('a file that is not there is a problem with a way out', () => {
  const { problems, config } = loadConfigText('', {});
  expect(config).toBeNull();
  expect(problems.map(summarize)).toEqual(['/etc/chainwarden/config.yaml:1:1: the file is empty']);
});
