import { networkInterfaces } from 'node:os';
import tls from 'node:tls';
import { afterEach, describe, expect, test } from '@jest/globals';
import { untrusted } from '../../src/lib/untrusted.ts';
import { newsOf, type Attempt, type Delivery, type Fact, type Outcome } from '../../src/core/model/delivery.ts';
import { email, emailWith } from '../../src/notifiers/email.ts';
import { certificate, certificateKey } from '../support/certificate.ts';
import { freePort } from '../support/free-port.ts';
import { createScriptedSmtp, createSmtpSink, refusal, untilSo, type SmtpHooks } from '../support/sinks.ts';
import {
  aDelivery,
  aMessage,
  aResolvedMessage,
  LOOPBACK,
  aTry,
  holdTimeouts,
  never,
  PATIENT_MS,
  someTools,
} from './samples.ts';

const FROM = 'Chainwarden <watch@alerts.example>';
const ANNE = 'anne@example.com';
const BOB = 'bob@example.com';
// Long enough for a busy machine to get as far as the silence that a test is about.
const QUICK = { connectMs: 1000, greetingMs: 1000, totalMs: 1000 };
const PATIENT = { connectMs: PATIENT_MS, greetingMs: PATIENT_MS, totalMs: PATIENT_MS };

interface Sent {
  readonly smtp: string;
  readonly delivery?: Delivery;
  readonly attempt?: Attempt;
  readonly signal?: AbortSignal;
  readonly limits?: typeof QUICK;
  readonly tls?: 'required' | 'if-offered';
}

async function send({ smtp, delivery = mailed(), attempt = aTry(), ...rest }: Sent): Promise<Outcome> {
  const { signal = never, limits = PATIENT, tls: wanted } = rest;
  const channel = {
    from: FROM,
    to: [ANNE, BOB],
    smtp,
    allow: [...LOOPBACK, '0.0.0.0/0'],
    ...(wanted && { tls: wanted }),
  };
  await using sender = emailWith(limits).open(channel, someTools());
  return await sender.send(delivery, attempt, signal);
}

function mailed(changes: Parameters<typeof aDelivery>[0] = {}): Delivery {
  return aDelivery({ channel: 'oncall', recipient: ANNE, ...changes });
}

async function received(delivery: Delivery) {
  await using sink = await createSmtpSink();
  const outcome = await send({ smtp: sink.url, delivery });
  const [mail] = await sink.mails.reached(1);
  if (mail === undefined) throw new Error('no mail came');
  return { outcome, ...mail };
}

describe('a mail', () => {
  test('goes to one recipient, from the address of the config', async () => {
    const { from, to, parsed, outcome } = await received(mailed());
    expect([from, to]).toEqual(['watch@alerts.example', [ANNE]]);
    expect(parsed.from).toEqual({ name: 'Chainwarden', address: 'watch@alerts.example' });
    expect(parsed.to).toEqual([{ name: '', address: ANNE }]);
    expect(outcome).toEqual({ type: 'sent', answer: expect.stringMatching(/^250 /) });
  });

  test('goes to the address as it is written, whose capital letters make no other recipient', async () => {
    await using sink = await createSmtpSink();
    const to = { from: FROM, to: ['Anne@example.com'], smtp: sink.url, allow: LOOPBACK };
    expect(email.recipients(to, 'oncall')).toEqual([ANNE]);
    await using sender = email.open(to, someTools());
    expect(await sender.send(mailed(), aTry(), never)).toMatchObject({ type: 'sent' });
    const [mail] = await sink.mails.reached(1);
    expect(mail).toMatchObject({
      to: ['Anne@example.com'],
      parsed: { to: [{ name: '', address: 'Anne@example.com' }] },
    });
  });

  test('says in text what was seen, what it was before, where, when and why', async () => {
    const { parsed } = await received(mailed());
    expect(parsed.text?.trimEnd()).toBe(
      [
        '[CRITICAL] Treasury USDC is low: 940,000, below 1,000,000',
        'Fell 1,060,000.5 since the last poll. Clears above 1,050,000. ethereum, 00:03 UTC.',
        '',
        'Address: https://explorer.example/address/0x47ac0Fb4F2D84898e4D9E7b4DaB3C24507a6D503',
        '',
        '940000 USDC left at 0x47ac0Fb4F2D84898e4D9E7b4DaB3C24507a6D503',
        '',
        'balance: 940,000 (last poll: 2,000,000.5)',
        'raw: 940,000,000,000',
        'token decimals: 6',
        'token reputation: ok',
        'address: treasury 0x47ac0Fb4F2D84898e4D9E7b4DaB3C24507a6D503',
        'token: “USDC” 0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
        '',
        'Text in “quotes” is as the explorer reports it: anyone may have chosen it.',
        'Names in the text above are as the explorer reports them.',
        '',
        'state: firing, critical, since 00:01 UTC · watch: treasury-usdc / low · explorer: ethereum (chain 1) · observed: 2026-01-01T00:03:00Z · rule: rules/treasury.yaml:17 · condition: balance < 1000000',
      ].join('\n'),
    );
  });

  test('says the same in HTML, with no link but that of the message and nothing to load', async () => {
    const { parsed } = await received(mailed());
    const html = parsed.html ?? '';
    expect(html).toContain('940,000 (last poll: 2,000,000.5)');
    expect(html).toContain('<bdi>“USDC”</bdi>');
    expect(html).toContain('balance &#60; 1000000');
    expect([...html.matchAll(/href="([^"]*)"/g)].map(([, link]) => link)).toEqual(aMessage().links);
    expect(html).not.toMatch(/<img|<script|<link|src=|url\(/i);
  });

  test('of a resolved alert says how long it fired, both values, and why it ended', async () => {
    const { parsed } = await received(mailed({ message: aResolvedMessage({ reason: 'rule removed' }) }));
    expect(parsed.text).toContain('state: resolved, critical, after 12m5s (00:01\u201300:13 UTC)');
    expect(parsed.text).toContain('\nWhen it fired: 940,000.\nRule removed.\n');
    expect(parsed.text).toContain('balance: 1,200,000 (when it fired: 940,000)');
    expect(parsed.subject).toBe('[RESOLVED after 12m5s] Treasury USDC is low: 1,200,000, above 1,050,000');
  });

  test('of a late event says so; ids keep their digits together, and what is gone shows what it was', async () => {
    const message = aMessage({
      type: 'alert.event',
      late: true,
      text: [{ text: 'first\nsecond' }],
      fields: { token_id: { text: '123456789' }, nonce: 1234567, tags: { list: [{ untrusted: untrusted('x') }] } },
      before: { reputation: { text: 'ok' } },
    });
    const { parsed } = await received(mailed({ message }));
    expect(parsed.text).toContain('\n\nfirst\nsecond\n\n');
    expect(parsed.text).toContain('\n\nstate: event, critical · watch: treasury-usdc / low · ');
    expect(parsed.text).toContain(
      'token id: 123456789\nnonce: 1234567\ntags 1: “x”\nreputation: unknown (last poll: ok)\n',
    );
    expect(parsed.text).toContain('Late: it happened');
  });

  test('an address in other letters is the same address; a name in other letters is another name', async () => {
    const at = (hash: string, name: string): Record<string, Fact> => ({
      to: { record: { hash: { text: hash }, name: { untrusted: untrusted(name) } } },
    });
    const fields = at('0xfdC438E7F35Bc3ec308138c8F491E9a34d23784f', 'Vault');
    const before = at('0xfdc438e7f35bc3ec308138c8f491e9a34d23784f', 'vault');
    const { parsed } = await received(mailed({ message: aMessage({ fields, before }) }));
    expect(parsed.text).toContain(
      'to hash: 0xfdC438E7F35Bc3ec308138c8F491E9a34d23784f\nto name: “Vault” (last poll: “vault”)\n',
    );
  });

  test('shows at most sixty values and counts the rest', async () => {
    const fields = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`f${index}`, index]));
    const { parsed } = await received(mailed({ message: aMessage({ fields, before: {} }) }));
    expect(parsed.text).toContain('\nf59: 59\n');
    expect(parsed.text).not.toContain('f60');
    expect(parsed.text).toContain('40 more values are not shown here.');
  });

  test('has the headers of a thread and of a machine', async () => {
    const { parsed } = await received(mailed());
    const header = (key: string) => parsed.headers.filter((one) => one.key === key).map(({ value }) => value);
    expect(parsed.messageId).toBe('<d4gq6yhz7krmtabcxw2ns5v3f1@alerts.example>');
    expect(header('references')).toEqual(['<k7xq2mfd3p5rnabcwz4ty6v1e2.3@alerts.example>']);
    expect(header('in-reply-to')).toEqual(['<k7xq2mfd3p5rnabcwz4ty6v1e2.3@alerts.example>']);
    expect(header('auto-submitted')).toEqual(['auto-generated']);
    expect(header('x-auto-response-suppress')).toEqual(['All']);
    expect(header('x-chainwarden-attempt')).toEqual(['1']);
    expect(parsed.date).toBe('2026-01-01T00:03:00.000Z');
    expect(parsed.subject).toBe('[CRITICAL] Treasury USDC is low: 940,000, below 1,000,000');
  });

  test('is byte for byte the same on every try but for the attempt', async () => {
    await using sink = await createSmtpSink();
    await send({ smtp: sink.url });
    await send({ smtp: sink.url, attempt: aTry(2) });
    const [first, second] = await sink.mails.reached(2);
    expect(first?.raw).toContain('X-Chainwarden-Attempt: 1\r\n');
    expect(second?.raw).toBe(first?.raw.replace('X-Chainwarden-Attempt: 1', 'X-Chainwarden-Attempt: 2'));
  });

  test('that may be a copy says so in the header of the attempt, and has the same id', async () => {
    await using sink = await createSmtpSink();
    await send({ smtp: sink.url, attempt: aTry(2, { maybeCopy: true }) });
    const [{ parsed } = { parsed: undefined }] = await sink.mails.reached(1);
    const attempt = parsed?.headers.find(({ key }) => key === 'x-chainwarden-attempt')?.value;
    expect([attempt, parsed?.messageId]).toEqual(['2; may be a copy', '<d4gq6yhz7krmtabcxw2ns5v3f1@alerts.example>']);
    expect(parsed?.text).not.toContain('copy');
  });

  test('of several alerts answers the thread of each, and lists them with their pages', async () => {
    const members = [newsOf(aMessage()), newsOf(aResolvedMessage({ key: 'other' }))] as const;
    const { parsed } = await received(mailed({ members }));
    const root = '<k7xq2mfd3p5rnabcwz4ty6v1e2.3@alerts.example>';
    expect([parsed.inReplyTo, parsed.references]).toEqual([`${root} <other.3@alerts.example>`, root]);
    expect(parsed.subject).toBe('[CRITICAL] Treasury USDC is low: 940,000, below 1,000,000 (and 1 more)');
    const html = parsed.html ?? '';
    expect([...html.matchAll(/href="([^"]*)"/g)].map(([, link]) => link)).toEqual([
      ...aMessage().links,
      ...aMessage().links,
    ]);
    expect(html).toContain('[RESOLVED after 12m5s] Treasury USDC is low: 1,200,000, above 1,050,000</a>');
  });

  test('of what a silence kept back is in no thread', async () => {
    const { parsed } = await received(mailed({ kind: 'silence_summary' }));
    expect([parsed.subject, parsed.inReplyTo, parsed.references]).toEqual([
      '[INFO] Silence ended: 1 condition',
      undefined,
      undefined,
    ]);
  });

  test('keeps a title that is not ASCII, and none of its line breaks', async () => {
    const { parsed, raw } = await received(mailed({ message: aMessage({ title: 'Trésor\r\nBcc: eve@example.com' }) }));
    expect(parsed.subject).toBe('[CRITICAL] Trésor Bcc: eve@example.com: 940,000, below 1,000,000');
    expect(raw).not.toMatch(/^Bcc:/im);
  });
});

describe('the server decides', () => {
  async function answered(hooks: SmtpHooks): Promise<Outcome> {
    await using sink = await createSmtpSink(hooks);
    return await send({ smtp: sink.url });
  }

  test.each([
    ['MAIL FROM', 450, 60_000],
    ['MAIL FROM', 550, 300_000],
    ['RCPT TO', 451, 60_000],
    ['RCPT TO', 550, 300_000],
    ['DATA', 452, 60_000],
    ['DATA', 554, 300_000],
  ])('%s refused with %i: again, not before %i ms', async (command, code, atLeastMs) => {
    const no = () => refusal(code, 'not now');
    const hooks = command === 'MAIL FROM' ? { mail: no } : command === 'RCPT TO' ? { rcpt: no } : { data: no };
    expect(await answered(hooks)).toEqual({
      type: 'again',
      why: `127.0.0.1 answered ${code} not now to ${command}`,
      atLeastMs,
    });
  });

  test('one refused recipient stops no other', async () => {
    await using sink = await createSmtpSink({ rcpt: (to) => (to === ANNE ? refusal(550, 'unknown user') : null) });
    expect(await send({ smtp: sink.url, delivery: mailed({ recipient: ANNE }) })).toMatchObject({ type: 'again' });
    expect(await send({ smtp: sink.url, delivery: mailed({ recipient: BOB }) })).toMatchObject({ type: 'sent' });
    expect(sink.mails.all.map(({ to }) => to)).toEqual([[BOB]]);
  });

  test.each([
    ['421 at the greeting', { greeting: '421 busy' }, 60_000],
    ['554 at the greeting', { greeting: '554 go away' }, 300_000],
    ['421 at RCPT', { RCPT: '421 closing' }, 60_000],
    ['503 at DATA', { DATA: '503 what?' }, 300_000],
    ['421 after the final dot', { dot: '421 closing' }, 60_000],
  ] as const)('%s: again', async (_what, script, atLeastMs) => {
    await using server = await createScriptedSmtp(script);
    expect(await send({ smtp: server.url })).toMatchObject({ type: 'again', atLeastMs });
  });

  test('someone who is no longer in the config gets nothing', async () => {
    await using sink = await createSmtpSink();
    const outcome = await send({ smtp: sink.url, delivery: mailed({ recipient: 'eve@example.com' }) });
    expect(outcome).toEqual({ type: 'rejected', why: expect.stringContaining('eve@example.com is no longer in `to`') });
    expect(sink.mails.all).toEqual([]);
  });
});

describe('when the conversation breaks', () => {
  test.each([
    ['before the greeting', { greeting: 'hang up' }],
    ['at MAIL', { MAIL: 'hang up' }],
    ['at DATA', { DATA: 'hang up' }],
  ] as const)('%s, tries again', async (_what, script) => {
    await using server = await createScriptedSmtp(script);
    expect(await send({ smtp: server.url })).toEqual({ type: 'again', why: expect.stringMatching(/^127.0.0.1: /) });
  });

  test('after the final dot it is unknown, and the next try has the same id', async () => {
    await using server = await createScriptedSmtp({ dot: 'hang up' });
    expect(await send({ smtp: server.url })).toEqual({
      type: 'unknown',
      why: '127.0.0.1: the connection broke after the message had left (ECONNECTION)',
    });
    expect(await send({ smtp: server.url, attempt: aTry(2) })).toMatchObject({ type: 'unknown' });
    const ids = server.lines.all.filter((line) => line.startsWith('Message-ID:'));
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
  });

  test.each([
    ['never greets', { greeting: 'silence' }, 'again'],
    ['falls silent at RCPT', { RCPT: 'silence' }, 'again'],
  ] as const)('a server that %s is left after the limit', async (_what, script, type) => {
    await using server = await createScriptedSmtp(script);
    expect(await send({ smtp: server.url, limits: QUICK })).toEqual({ type, why: expect.stringContaining('in time') });
  });

  test('a server that falls silent after the final dot is left after the limit', async () => {
    await using server = await createScriptedSmtp({ dot: 'silence' });
    using timeouts = holdTimeouts();
    const outcome = send({ smtp: server.url });
    await untilSo(server.lines, () => Promise.resolve(server.lines.all.includes('.')));
    timeouts.pass(PATIENT_MS);
    expect(await outcome).toEqual({ type: 'unknown', why: expect.stringContaining('in time') });
  });

  const stages = [
    ['greeting', 'again'],
    ['EHLO', 'again'],
    ['MAIL', 'again'],
    ['RCPT', 'again'],
    ['DATA', 'again'],
    ['dot', 'unknown'],
    ['QUIT', 'sent'],
  ] as const;
  const odd = ['reset', 'nonsense', '421 4.7.0 \r\n250 ok\r\n250 ok'] as const;

  test.each(odd.flatMap((line) => stages.map(([stage, type]) => ({ line, stage, type }))))(
    'a server that answers $line at $stage ends the conversation, not the daemon',
    async ({ line, stage, type }) => {
      await using server = await createScriptedSmtp({ [stage]: line });
      // A refusal after the final dot is an answer.
      const isRefused = stage === 'dot' && line.startsWith('421');
      expect(await send({ smtp: server.url })).toMatchObject({ type: isRefused ? 'again' : type });
    },
  );

  test('a server that nobody runs: again', async () => {
    expect(await send({ smtp: `smtp://127.0.0.1:${await freePort()}` })).toEqual({
      type: 'again',
      why: '127.0.0.1: no connection (ECONNREFUSED)',
    });
  });

  test('stopping the daemon before the message went leaves it for later', async () => {
    await using sink = await createSmtpSink();
    expect(await send({ smtp: sink.url, signal: AbortSignal.abort() })).toMatchObject({ type: 'again' });
    expect(sink.mails.all).toEqual([]);
  });

  test('stopping the daemon after the final dot leaves it unknown', async () => {
    await using server = await createScriptedSmtp({ dot: 'silence' });
    const stop = new AbortController();
    const outcome = send({ smtp: server.url, signal: stop.signal });
    while (!server.lines.all.includes('.')) await server.lines.reached(server.lines.all.length + 1);
    stop.abort();
    expect(await outcome).toEqual({ type: 'unknown', why: '127.0.0.1: stopped before an answer came' });
  });
});

describe('the password', () => {
  const hooks = { login: (user: string, password: string) => user === 'watch' && password === 's3cret@/pass' };
  const withLogin = (url: string, password: string) => url.replace('//', `//watch:${password}@`);

  test('logs in, percent-decoded', async () => {
    await using sink = await createSmtpSink(hooks);
    expect(await send({ smtp: withLogin(sink.url, 's3cret%40%2Fpass') })).toMatchObject({ type: 'sent' });
    expect((await sink.mails.reached(1))[0]?.user).toBe('watch');
  });

  test('when wrong is tried again slowly, and stays inside', async () => {
    await using sink = await createSmtpSink(hooks);
    const outcome = await send({ smtp: withLogin(sink.url, 'wr0ngpassword') });
    expect(outcome).toMatchObject({ type: 'again', atLeastMs: 900_000, why: expect.stringContaining('535') });
    expect(JSON.stringify(outcome)).not.toContain('wr0ngpassword');
  });

  test('is not shown when the server repeats it', async () => {
    const repeating = { ...hooks, rcpt: () => refusal(550, 'no entry for s3cret@/pass czNjcmV0QC9wYXNz') };
    await using sink = await createSmtpSink(repeating);
    const outcome = await send({ smtp: withLogin(sink.url, 's3cret%40%2Fpass') });
    expect(outcome).toMatchObject({ why: expect.stringContaining('no entry for [redacted] [redacted]') });
  });
});

describe('encryption', () => {
  const offering = { key: certificateKey, cert: certificate, disabledCommands: ['AUTH'] };
  const known = tls.getCACertificates('default');
  afterEach(() => {
    tls.setDefaultCACertificates(known);
  });

  test('is used with smtp: when the server offers it', async () => {
    tls.setDefaultCACertificates([...known, certificate]);
    await using sink = await createSmtpSink({}, offering);
    expect(await send({ smtp: sink.url })).toMatchObject({ type: 'sent' });
    expect((await sink.mails.reached(1))[0]?.encrypted).toBe(true);
  });

  test('is used from the first byte with smtps:', async () => {
    tls.setDefaultCACertificates([...known, certificate]);
    await using sink = await createSmtpSink({}, { ...offering, secure: true });
    expect(await send({ smtp: sink.url })).toMatchObject({ type: 'sent' });
    expect((await sink.mails.reached(1))[0]?.encrypted).toBe(true);
  });

  test.each([false, true])('with a certificate that nobody vouches for sends nothing (smtps: %p)', async (secure) => {
    await using sink = await createSmtpSink({}, { ...offering, secure });
    expect(await send({ smtp: sink.url })).toMatchObject({
      type: 'again',
      why: expect.stringContaining('SELF_SIGNED'),
    });
    expect(sink.mails.all).toEqual([]);
  });
});

describe('the config', () => {
  const good = { from: FROM, to: [ANNE, BOB], smtp: 'smtps://watch:p%40ss@mail.example.com', allow: [] };

  test('names recipients by their addresses, and gives up after five days', () => {
    expect(email.config.parse(good)).toEqual(good);
    expect(email.recipients(good, 'oncall')).toEqual([ANNE, BOB]);
    expect(email.giveUpAfterMs).toBe(5 * 24 * 3_600_000);
  });

  test.each([
    ['from', 'a\r\nBcc: eve@example.com <watch@example.com>'],
    ['from', 'Name\u0000 <watch@example.com>'],
    ['from', 'Name\u202e <watch@example.com>'],
    ['from', '"A" <watch@example.com>'],
    ['from', 'watch@example.com, eve@example.com'],
    ['from', 'watch'],
    ['to', []],
    ['to', [ANNE, 'Anne@example.com']],
    ['to', ['Anne <anne@example.com>']],
    ['to', ['anne@example.com\r\nRCPT TO:<eve@example.com>']],
    ['to', ['group: anne@example.com;']],
    ['to', ['anne(comment)@example.com']],
    ['to', ['"anne@evil.example"@example.com']],
    ['to', ['anne@exa mple.com']],
    ['smtp', 'mail.example.com'],
    ['smtp', 'http://mail.example.com'],
    ['smtp', 'smtp://'],
    ['smtp', 'smtp://mail.example.com/?tls.rejectUnauthorized=false'],
    ['smtp', 'smtp://user:p%ZZsecret@mail.example.com'],
    ['smtp', 'smtp://mail.example.com\r\nx'],
    ['cc', [ANNE]],
  ])('refuses %s: %j without repeating a secret', (key, value) => {
    const { error } = email.config.safeParse({ ...good, [key]: value });
    expect(error?.issues).toHaveLength(1);
    if (key === 'smtp') expect(error?.message).not.toContain('secret');
  });
});

describe('a server that offers no STARTTLS, or whose offer somebody in between struck', () => {
  const own = Object.values(networkInterfaces())
    .flat()
    .find((one) => one?.family === 'IPv4' && !one.internal)?.address;

  test('gets nothing where TLS is required, on this machine too', async () => {
    await using sink = await createSmtpSink();
    expect(await send({ smtp: sink.url, tls: 'required' })).toMatchObject({ type: expect.not.stringMatching('sent') });
    expect(sink.mails.all).toEqual([]);
    expect(await send({ smtp: sink.url, tls: 'if-offered' })).toMatchObject({ type: 'sent' });
    expect(sink.mails.all).toHaveLength(1);
  });

  (own === undefined ? test.skip : test)('gets nothing off this machine unless the config says so', async () => {
    await using sink = await createSmtpSink({}, {}, '0.0.0.0');
    const smtp = sink.url.replace('127.0.0.1', own ?? '');
    expect(await send({ smtp })).toMatchObject({ type: expect.not.stringMatching('sent') });
    expect(sink.mails.all).toEqual([]);
    expect(await send({ smtp, tls: 'if-offered' })).toMatchObject({ type: 'sent' });
    expect(sink.mails.all).toHaveLength(1);
  });

  test.each([
    ['smtp://mail.example.com', 'if-offered', 1],
    ['smtp://mail.example.com', undefined, 0],
    ['smtps://mail.example.com', 'if-offered', 0],
    ['smtp://localhost:25', 'if-offered', 0],
  ] as const)('%s with tls: %s has %d warnings', (smtp, wanted, count) => {
    const channel = { from: FROM, to: [ANNE], smtp, allow: [], ...(wanted && { tls: wanted }) };
    expect(email.warnings(channel)).toHaveLength(count);
  });
});
