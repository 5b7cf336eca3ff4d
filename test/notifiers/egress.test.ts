// Where a channel may connect to: what the config says, what a name leads to, and what is connected to in the end.
import dns from 'node:dns';
import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { loadConfig } from '../../src/config/config.ts';
import { summarize } from '../../src/config/problem.ts';
import { emailWith } from '../../src/notifiers/email.ts';
import { notifiers } from '../../src/notifiers/index.ts';
import { webhookWith } from '../../src/notifiers/webhook.ts';
import { createEgress, EGRESS_REFUSED } from '../../src/notifiers/wire/egress.ts';
import { createSmtpSink, createWebhookSink } from '../support/sinks.ts';
import { aDelivery, LOOPBACK, aTry, never, PATIENT_MS, someTools } from './samples.ts';

const QUARTER_HOUR_MS = 900_000;
const LIMITS = { connectMs: PATIENT_MS, greetingMs: PATIENT_MS, totalMs: PATIENT_MS };

describe('an address', () => {
  test.each([
    '127.0.0.1',
    '127.255.255.254',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::127.0.0.1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '100.64.0.1',
    '100.100.100.200',
    '169.254.169.254',
    '::ffff:169.254.169.254',
    '64:ff9b::a9fe:a9fe',
    '2002:a9fe:a9fe::',
    'fe80::1',
    'fe80::1%2',
    'fc00::1',
    'fd00:ec2::254',
    'fec0::1',
    '0.0.0.0',
    '::',
    '0.1.2.3',
    '192.0.0.192',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '240.0.0.1',
    'ff02::1',
    '64:ff9b:1::1',
    '2001::1',
    '100::1',
    '168.63.129.16',
    '::ffff:0:7f00:1',
    '::ffff:0:a9fe:a9fe',
  ])('%s is refused, and allowed when `allow` names it', (address) => {
    expect(createEgress([]).refusalOf(address)).toContain('`allow` of this channel does not name it');
    const [bare = ''] = address.split('%');
    expect(createEgress([bare]).refusalOf(address)).toBeNull();
  });

  test.each([
    '1.1.1.1',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.0',
    '169.253.255.255',
    '169.255.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '192.167.255.255',
    '192.169.0.0',
    '2606:4700::1111',
    '2a00:1450::1',
    '::ffff:1.1.1.1',
    '64:ff9b::101:101',
    '2002:101:101::',
    '2001:4860::1',
  ])('%s is public, and needs no mention', (address) => {
    expect(createEgress([]).refusalOf(address)).toBeNull();
  });

  test('of an allowed network is allowed in every form, its neighbours are not', () => {
    const { refusalOf } = createEgress(['10.1.0.0/16', 'fd00:1::/32']);
    expect(['10.1.2.3', '::ffff:10.1.2.3', 'fd00:1::5'].map(refusalOf)).toEqual([null, null, null]);
    expect(['10.2.0.1', '::ffff:10.2.0.1', 'fd00:2::5', '127.0.0.1'].map(refusalOf)).not.toContain(null);
  });
});

describe('a name', () => {
  type Found = readonly string[];

  /** What the name server says, and then what is left for the connection. */
  async function lookedUp(found: Found, allow: readonly string[] = []): Promise<string[] | string> {
    const addresses: LookupAddress[] = found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    const resolve = ((_name: string, _options: object, done: (error: null, all: LookupAddress[]) => void) => {
      done(null, addresses);
    }) as unknown as typeof dns.lookup;
    const { lookup } = createEgress(allow, resolve);
    return new Promise((done) => {
      lookup('hooks.example.com', { all: true }, (error, all) => {
        done(
          error === null ? (all as LookupAddress[]).map(({ address }) => address) : `${error.code}: ${error.message}`,
        );
      });
    });
  }

  test('that leads outside is connected to', async () => {
    expect(await lookedUp(['1.1.1.1', '2606:4700::1111'])).toEqual(['1.1.1.1', '2606:4700::1111']);
  });

  test('that leads inside as well is connected to outside only', async () => {
    expect(await lookedUp(['169.254.169.254', '1.1.1.1', '::ffff:10.0.0.1'])).toEqual(['1.1.1.1']);
  });

  test.each(['127.0.0.1', '10.0.0.1', '::1', '::ffff:169.254.169.254'])(
    'that leads to %s only is refused',
    async (address) => {
      expect(await lookedUp([address])).toMatch(
        new RegExp(`^${EGRESS_REFUSED}: hooks.example.com leads to an address inside: ${address}`),
      );
    },
  );

  test('that leads where `allow` says is connected to', async () => {
    expect(await lookedUp(['10.0.0.1', '127.0.0.1'], ['10.0.0.0/8'])).toEqual(['10.0.0.1']);
  });

  test('that nobody knows fails as ever, and one address is given where one is asked for', async () => {
    const { lookup } = createEgress(LOOPBACK);
    const one = await new Promise<Parameters<Parameters<LookupFunction>[2]>>((done) => {
      lookup('localhost', { family: 4 }, (...all) => {
        done(all);
      });
    });
    expect(one).toEqual([null, '127.0.0.1', 4]);
    const missing = await new Promise<string | undefined>((done) => {
      lookup('nobody.invalid', {}, (error) => {
        done(error?.code);
      });
    });
    expect(['ENOTFOUND', 'EAI_AGAIN']).toContain(missing);
  });
});

describe('over the wire', () => {
  const refused = { type: 'again', auth: true, atLeastMs: QUARTER_HOUR_MS };

  test.each(['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]'])(
    'a webhook at %s gets nothing, and the log says why',
    async (host) => {
      await using sink = await createWebhookSink();
      const url = sink.origin.replace('127.0.0.1', host);
      await using sender = webhookWith({ totalMs: PATIENT_MS }).open({ url, allow: [] }, someTools());
      expect(await sender.send(aDelivery(), aTry(), never)).toEqual({
        ...refused,
        why: expect.stringMatching(
          /^not connected: .* is a loopback address, and `allow` of this channel does not name it$/,
        ),
      });
      expect(sink.calls.all).toEqual([]);
    },
  );

  test('a webhook by name is reached where it is allowed', async () => {
    await using sink = await createWebhookSink();
    const url = sink.origin.replace('127.0.0.1', 'localhost');
    await using sender = webhookWith({ totalMs: PATIENT_MS }).open({ url, allow: LOOPBACK }, someTools());
    expect(await sender.send(aDelivery(), aTry(), never)).toMatchObject({ type: 'sent' });
  });

  test.each(['127.0.0.1', 'localhost', '0x7f000001', '2130706433', '127.1'])(
    'a mail server at %s gets nothing',
    async (host) => {
      await using sink = await createSmtpSink();
      const smtp = sink.url.replace('127.0.0.1', host);
      const to = { from: 'a@example.com', to: ['b@example.com'], smtp, tls: 'if-offered' as const };
      await using sender = emailWith(LIMITS).open({ ...to, allow: [] }, someTools());
      const delivery = aDelivery({ recipient: 'b@example.com' });
      expect(await sender.send(delivery, aTry(), never)).toEqual({
        ...refused,
        why: expect.stringContaining('not connected: '),
      });
      expect(sink.mails.all).toEqual([]);
      await using allowed = emailWith(LIMITS).open({ ...to, allow: LOOPBACK }, someTools());
      expect(await allowed.send(delivery, aTry(), never)).toMatchObject({ type: 'sent' });
    },
  );
});

describe('the config', () => {
  function problemsOf(channel: string): string[] {
    const config = `explorers: { chain: { form: sandbox } }\nchannels: { ops: { ${channel} } }\n`;
    const { problems } = loadConfig('config.yaml', { env: {}, readFile: () => config, notifiers });
    return problems.map(summarize);
  }
  const webhook = (host: string, rest = '') => `type: webhook, url: 'https://${host}/hook'${rest}`;
  const mail = (host: string, rest = '') =>
    `type: email, from: a@example.com, to: [b@example.com], smtp: 'smtp://${host}'${rest}`;

  test.each([
    [webhook('127.0.0.1:8080'), 'url: 127.0.0.1 is a loopback address', 'add `allow: [127.0.0.1/32]` to it'],
    [webhook('localhost'), 'url: localhost is this machine', 'add `allow: [127.0.0.0/8]` to it'],
    [webhook('hooks.localhost'), 'url: hooks.localhost is this machine', 'add `allow: [127.0.0.0/8]` to it'],
    [webhook('10.1.2.3'), 'url: 10.1.2.3 is an address of a private network', 'add `allow: [10.1.2.3/32]` to it'],
    [webhook('0x7f.1'), 'url: 127.0.0.1 is a loopback address', 'add `allow: [127.0.0.1/32]` to it'],
    [webhook('[::1]'), 'url: ::1 is a loopback address', "add `allow: ['::1/128']` to it"],
    [
      webhook('169.254.169.254'),
      'url: 169.254.169.254 is a link-local address',
      'add `allow: [169.254.169.254/32]` to it',
    ],
    [mail('localhost:25'), 'smtp: localhost is this machine', 'add `allow: [127.0.0.0/8]` to it'],
    [mail('127.0.0.1'), 'smtp: 127.0.0.1 is a loopback address', 'add `allow: [127.0.0.1/32]` to it'],
    [
      'type: ntfy, url: http://192.168.1.5, topic: x',
      'url: 192.168.1.5 is an address',
      'add `allow: [192.168.1.5/32]` to it',
    ],
  ])('{ %s } names the line to add', (channel, what, line) => {
    const [problem = '', ...more] = problemsOf(channel);
    expect(problem).toContain(`channels.ops.${what}`);
    expect(problem).toContain(line);
    expect(more).toEqual([]);
  });

  test.each([
    webhook('127.0.0.1', ', allow: [127.0.0.1/32]'),
    webhook('127.0.0.1', ', allow: [127.0.0.1]'),
    webhook('localhost', ', allow: [127.0.0.0/8]'),
    webhook('[::1]', ", allow: ['::1/128']"),
    webhook('hooks.example.com'),
    webhook('1.1.1.1'),
    mail('localhost:25', ', allow: [127.0.0.0/8]'),
    mail('mail.example.com'),
  ])('{ %s } loads', (channel) => {
    expect(problemsOf(channel)).toEqual([]);
  });

  test.each(['10.0.0.0/33', '10.0.0/8', 'example.com', '10.0.0.0/8/8', '::/129', "'fe80::1%2'", '10.0.0.0/', '/8'])(
    'refuses the network %s',
    (network) => {
      expect(problemsOf(webhook('hooks.example.com', `, allow: [${network}]`))[0]).toContain(
        'must be a network such as',
      );
    },
  );
});
