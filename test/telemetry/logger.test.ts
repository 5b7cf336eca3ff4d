import { expect, test, describe } from '@jest/globals';
import { createLog, type LogOptions } from '../../src/telemetry/logger.ts';
import { createFakeClock } from '../support/fake-clock.ts';

const CLOCK = createFakeClock(Date.UTC(2026, 0, 1, 12, 0, 3));

function aLog(options: Partial<LogOptions> = {}) {
  const lines: string[] = [];
  const write = (line: string): void => void lines.push(line);
  return { lines, log: createLog({ level: 'debug', format: 'json', clock: CLOCK, write, ...options }) };
}

function fieldsOf(line: string | undefined): unknown {
  return JSON.parse(line ?? '');
}

describe('one line per thing that happened', () => {
  test('as JSON: level, time, event, then its fields', () => {
    const { lines, log } = aLog();
    log.info('delivery:sent', { channel: 'ops', attempt: 1, late: false, of: null });
    expect(lines).toEqual([
      '{"level":"info","time":"2026-01-01T12:00:03Z","event":"delivery:sent","channel":"ops","attempt":1,"late":false,"of":null}\n',
    ]);
  });

  test('as text for a terminal', () => {
    const { lines, log } = aLog({ format: 'text' });
    log.info('delivery:sent', { channel: 'ops', attempt: 1, answer: '250 queued', empty: '', list: ['a', 'b'] });
    log.error('poll:failed');
    expect(lines).toEqual([
      '12:00:03 info  delivery:sent channel=ops attempt=1 answer="250 queued" empty="" list=["a","b"]\n',
      '12:00:03 error poll:failed\n',
    ]);
  });

  test('and none below the level', () => {
    const { lines, log } = aLog({ level: 'warn' });
    log.debug('poll:done');
    log.info('poll:done');
    expect(lines).toEqual([]);
    log.warn('poll:missed');
    expect(lines).toHaveLength(1);
  });

  test('a field cannot pass for the level, the time or the event of the line', () => {
    const { lines, log } = aLog();
    log.info('a:b', { level: 'error', time: 'never', event: 'c:d', err: { message: 'ours' } });
    expect(fieldsOf(lines[0])).toEqual({
      level: 'info',
      time: '2026-01-01T12:00:03Z',
      event: 'a:b',
      level_: 'error',
      time_: 'never',
      event_: 'c:d',
      err: { message: 'ours' },
    });
  });
});

describe('errors', () => {
  const error = new Error('cannot read the page', {
    cause: Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), {
      code: 'ECONNREFUSED',
      options: { secret: 1 },
    }),
  });

  test('are said with their causes and codes, without what else hangs on them', () => {
    const { lines, log } = aLog();
    log.warn('poll:missed', { error });
    expect(fieldsOf(lines[0])).toMatchObject({
      error: {
        type: 'Error',
        message: 'cannot read the page',
        cause: { type: 'Error', message: 'connect ECONNREFUSED 127.0.0.1:1', code: 'ECONNREFUSED' },
      },
    });
    expect(lines[0]).not.toMatch(/options|stack/);
  });

  test('are one sentence on a terminal', () => {
    const { lines, log } = aLog({ format: 'text' });
    log.warn('poll:missed', { error });
    log.warn('poll:missed', { error: new AggregateError([new Error('no route'), new Error('refused')]) });
    expect(lines).toEqual([
      '12:00:03 warn  poll:missed error="cannot read the page: connect ECONNREFUSED 127.0.0.1:1"\n',
      '12:00:03 warn  poll:missed error="AggregateError: no route: refused"\n',
    ]);
  });

  test('of the level error say where they come from', () => {
    const { lines, log } = aLog();
    log.error('daemon:failed', { error });
    expect(fieldsOf(lines[0])).toHaveProperty('error.stack.0', expect.stringMatching(/^at .*logger\.test/));
  });
});

describe('a secret', () => {
  const SECRET = 'k3y/with+odd "chars"&ümläut\\$1';
  const spellings: [string, string][] = [
    ['as it is', SECRET],
    ['in a URL', `https://e.example/api?apikey=${encodeURIComponent(SECRET)}&x=1`],
    ['in a URL, lower-case', encodeURIComponent(SECRET).replace(/%../g, (code) => code.toLowerCase())],
    ['in a form', new URLSearchParams({ apikey: SECRET }).toString()],
    ['in JSON', JSON.stringify({ key: SECRET })],
    ['in HTML', SECRET.replaceAll('&', '&amp;').replaceAll('"', '&quot;')],
    ['in base64', Buffer.from(SECRET).toString('base64')],
    ['in base64url', Buffer.from(SECRET).toString('base64url')],
    ['in basic authentication', `Basic ${Buffer.from(`user:${SECRET}`).toString('base64')}`],
    ['in basic authentication of another length', `Basic ${Buffer.from(`me:${SECRET}`).toString('base64')}`],
    ['in AUTH PLAIN', Buffer.from(`\0ops\0${SECRET}`).toString('base64')],
  ];

  test.each(spellings)('is taken out %s, wherever it stands', (_where, text) => {
    for (const format of ['json', 'text'] as const) {
      const { lines, log } = aLog({ format, secrets: [SECRET] });
      log.error(`event:${text}`, {
        text,
        nested: [{ deep: text }],
        error: new Error('outer', { cause: new Error(text) }),
      });
      log.error('key', { [text]: 1 });
      expect(lines).toHaveLength(2);
      for (const line of lines) {
        expect(line).toContain('[redacted]');
        expect(line).not.toMatch(/k3y|odd|chars|ml.{0,6}ut|azN5|a3kv|N5L3|M3kvd2/);
      }
    }
  });

  test('that a reload brings is taken out from then on', () => {
    const { lines, log } = aLog({ secrets: ['first-secret'] });
    log.info('a:b', { text: 'first-secret second-secret' });
    log.addSecrets(['second-secret', '']);
    log.info('a:b', { text: 'first-secret second-secret' });
    expect(lines.map((line) => fieldsOf(line))).toMatchObject([
      { text: '[redacted] second-secret' },
      { text: '[redacted] [redacted]' },
    ]);
  });

  test('that is a URL hides its password and its path where they are quoted alone', () => {
    const { lines, log } = aLog({
      secrets: ['smtp://ops:p%40ss@mail.example:587', 'https://hooks.example/services/T00/B00/xyz'],
    });
    log.info('a:b', { smtp: 'login p@ss refused', hook: 'POST /services/T00/B00/xyz 404', host: 'mail.example' });
    expect(fieldsOf(lines[0])).toMatchObject({
      smtp: 'login [redacted] refused',
      hook: 'POST [redacted] 404',
      host: 'mail.example',
    });
  });

  test('that is short is taken out where it stands alone, and eats no other word', () => {
    const { lines, log } = aLog({ secrets: ['no', '1234'] });
    log.info('a:b', { text: 'no, nobody knows', pin: 1234, height: 12345n });
    expect(fieldsOf(lines[0])).toMatchObject({
      text: '[redacted], nobody knows',
      pin: '[redacted]',
      height: '12345',
    });
  });

  test('that lies across the place where a long text is cut is not half told', () => {
    const { lines, log } = aLog({ secrets: ['a-long-secret-value'] });
    log.info('a:b', { text: `${'x'.repeat(2040)}a-long-secret-value` });
    expect(lines[0]).not.toContain('a-long');
  });
});

describe('whatever it is given', () => {
  const circular: Record<string, unknown> = { name: 'ring' };
  circular['self'] = circular;
  const hostile = {
    get broken(): string {
      throw new Error('no');
    },
  };

  test('it never throws, and says what it can', () => {
    const { lines, log } = aLog();
    log.info('a:b', {
      circular,
      hostile,
      big: 2n ** 256n,
      nan: NaN,
      call: () => 1,
      symbol: Symbol('s'),
      gone: undefined,
      date: new Date(0),
      map: new Map([['k', 1n]]),
      set: new Set([1]),
      bytes: new Uint8Array(3),
      bad: new Date(NaN),
      proto: JSON.parse('{"__proto__":{"x":1}}'),
    });
    expect(fieldsOf(lines[0])).toMatchObject({
      circular: { name: 'ring', self: '[circular]' },
      hostile: '[unreadable]',
      big: (2n ** 256n).toString(),
      nan: 'NaN',
      call: '[function]',
      symbol: '[symbol]',
      date: '1970-01-01T00:00:00.000Z',
      map: { k: '1' },
      set: [1],
      bytes: '[3 bytes]',
      bad: null,
    });
  });

  test('fields that cannot even be listed make a line all the same', () => {
    const { lines, log } = aLog();
    log.info(
      'a:b',
      new Proxy(
        {},
        {
          ownKeys() {
            throw new Error('no');
          },
        },
      ),
    );
    expect(fieldsOf(lines[0])).toMatchObject({ event: 'a:b', fields: '[unreadable]' });
  });

  test.each(['json', 'text'] as const)('a line of %s stays bounded', (format) => {
    const { lines, log } = aLog({ format });
    const wide = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`key${n}`, '\u0000'.repeat(1000)]));
    let deep: unknown = 'bottom';
    for (let n = 0; n < 10_000; n++) deep = [deep];
    log.info('a:b', { long: 'x'.repeat(10_000_000), wide, deep, list: Array.from({ length: 100_000 }, () => 'item') });
    expect(lines).toHaveLength(1);
    expect(lines[0]?.length).toBeLessThan(80_000);
  });

  test('text that forges lines, turns them around or drives the terminal is shown as what it is', () => {
    const evil =
      'x\n2026 info forged\r\u001b[31m\u202etxt\u200b\u0085\u2028\u3164é\u{e0041}' + String.fromCharCode(0xd800);
    for (const format of ['json', 'text'] as const) {
      const { lines, log } = aLog({ format });
      log.info(`a:b${evil}`, { evil, [evil]: evil, list: [evil] });
      expect(lines).toHaveLength(1);
      const body = (lines[0] ?? '').slice(0, -1);
      // eslint-disable-next-line no-control-regex -- none of them may be there
      expect(body).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u3164\ud800-\udfff]/);
      if (format === 'json') expect(fieldsOf(body)).toMatchObject({ evil });
      else expect(body).toContain('é');
    }
  });
});

describe('when nobody takes the lines', () => {
  test('they are dropped and counted, and the daemon goes on', () => {
    let dropped = 0;
    let isBroken = true;
    const lines: string[] = [];
    const { log } = aLog({
      write: (line) => {
        if (isBroken) throw Object.assign(new Error('write EPIPE'), { code: 'EPIPE' });
        lines.push(line);
      },
      onDropped: (count) => (dropped += count),
    });
    log.info('a:b');
    log.info('a:b');
    isBroken = false;
    log.info('c:d');
    expect([dropped, lines.length]).toEqual([2, 1]);
  });
});
