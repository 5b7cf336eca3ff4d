import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import {
  createVerifier,
  GENESIS,
  nextAnchor,
  parseAnchor,
  showAnchor,
  type JournalAnchor,
  type ChainedText,
  type ChainCheck,
} from '../../../src/core/journal/chain.ts';
import { textOf, type JournalEntry } from '../../../src/core/journal/entry.ts';
import { canonicalJson } from '../../../src/lib/canonical-json.ts';

const entry = (n: number): JournalEntry => ({
  at: 1000 + n,
  kind: 'decided',
  subject: `watch-${n}`,
  actor: 'daemon',
  data: { n, last: null },
});

function chainOf(count: number, previous: JournalAnchor = GENESIS): ChainedText[] {
  const lines: ChainedText[] = [];
  for (let n = 1; n <= count; n += 1) {
    const text = textOf(entry(n));
    lines.push({ ...text, ...nextAnchor(lines.at(-1) ?? previous, text) });
  }
  return lines;
}

function verdictOf(
  lines: readonly ChainedText[],
  start: JournalAnchor | null = null,
  anchor: JournalAnchor | null = null,
): ChainCheck {
  const verifier = createVerifier(start, anchor);
  for (const line of lines) verifier.add(line);
  return verifier.end();
}

test('a hash is what anybody can compute: SHA-256 over the parts with U+001F between them', () => {
  const parts = ['', 1, 1001, 'decided', 'watch-1', 'daemon', '{"last":null,"n":1}'];
  const hash = createHash('sha256').update(parts.join('\u001f')).digest('hex');
  expect(nextAnchor(GENESIS, textOf(entry(1)))).toEqual({ position: 1, hash });
});

describe('a broken chain is named by its first wrong position', () => {
  const lines = chainOf(5);
  const changes: [string, (line: ChainedText) => Partial<ChainedText>][] = [
    ['time', ({ at }) => ({ at: at + 1 })],
    ['kind', () => ({ kind: 'told' })],
    ['subject', ({ subject }) => ({ subject: `${subject} ` })],
    ['actor', () => ({ actor: 'ada' })],
    ['data', ({ data }) => ({ data: data.replace('null', '  null') })],
    ['hash', ({ hash }) => ({ hash: hash.replace(/.$/, (last) => (last === '0' ? '1' : '0')) })],
  ];

  test.each(changes)('another %s', (_name, change) => {
    const changed = lines.map((line) => (line.position === 3 ? { ...line, ...change(line) } : line));
    expect(verdictOf(changed)).toMatchObject({ type: 'broken', position: 3 });
  });

  test('a line that is gone, doubled, or from elsewhere', () => {
    expect(verdictOf(lines.filter(({ position }) => position !== 2))).toMatchObject({ type: 'broken', position: 2 });
    expect(verdictOf(lines.toSpliced(2, 0, ...lines.slice(1, 2)))).toMatchObject({ type: 'broken', position: 3 });
    expect(verdictOf(lines.slice(1))).toMatchObject({ type: 'broken', position: 1 });
  });

  test('text that was moved from one column to the next', () => {
    const text = textOf({ ...entry(1), subject: 'a', actor: 'b c' });
    const chained = { ...text, ...nextAnchor(GENESIS, text) };
    const joined = { ...text, subject: 'a\u001fb', actor: 'c' };
    const moved = { ...joined, ...nextAnchor(GENESIS, joined) };
    expect(verdictOf([chained])).toMatchObject({ type: 'intact' });
    expect(verdictOf([moved])).toMatchObject({ type: 'broken', position: 1 });
    expect(textOf({ ...entry(1), subject: 'a\u001fb' }).subject).toBe('a b');
  });
});

describe('an anchor that was kept elsewhere', () => {
  const lines = chainOf(5);
  const at = (position: number): JournalAnchor => lines[position - 1] ?? GENESIS;

  test('agrees with the chain that it was taken from, also by its first digits', () => {
    expect(verdictOf(lines, null, at(4))).toMatchObject({ type: 'intact', head: { position: 5 } });
    const written = parseAnchor(showAnchor(at(4)).slice(0, 12));
    expect(verdictOf(lines, null, written)).toMatchObject({ type: 'intact' });
  });

  test('shows that the end was cut off, which the chain itself cannot', () => {
    expect(verdictOf(lines.slice(0, 3))).toMatchObject({ type: 'intact' });
    expect(verdictOf(lines.slice(0, 3), null, at(5))).toEqual({
      type: 'broken',
      position: 5,
      why: 'the journal ends at 3',
    });
  });

  test('shows that all was written anew, which the chain itself cannot', () => {
    const forged = chainOf(5, { position: 0, hash: 'another beginning' });
    const start = { position: 0, hash: 'another beginning' };
    expect(verdictOf(forged, start)).toMatchObject({ type: 'intact' });
    expect(verdictOf(forged, start, at(2))).toMatchObject({ type: 'broken', position: 2 });
  });

  test('before the checkpoint cannot be compared, and that is not taken for agreement', () => {
    expect(verdictOf(lines.slice(2), at(2), at(2))).toMatchObject({ type: 'intact', after: 2 });
    expect(verdictOf(lines.slice(2), at(2), at(1))).toMatchObject({ type: 'broken', position: 1 });
  });

  test.each(['', '5', '5:', ':abcdef01', '5:abc', '5:xyzxyzxyz', '-1:abcdef0123', `1:${'a'.repeat(65)}`])(
    '"%s" is none',
    (text) => {
      expect(parseAnchor(text)).toBeNull();
    },
  );
});

test('a line takes no more room than a line may', () => {
  const long = textOf({ ...entry(1), subject: 's'.repeat(500), actor: 'a'.repeat(500), data: { x: '"'.repeat(5000) } });
  expect([long.subject.length, long.actor.length]).toEqual([220, 100]);
  expect(long.data.length).toBeLessThanOrEqual(900);
  expect(JSON.parse(long.data)).toEqual({
    cut: expect.stringContaining('{"x":"'),
    sha256: createHash('sha256')
      .update(canonicalJson({ x: '"'.repeat(5000) }))
      .digest('hex'),
  });
});

test('a long comment hides neither what was silenced nor until when, and the whole is in the chained digest', () => {
  const matchers = Object.fromEntries(['watch', 'alert', 'severity'].map((label) => [label, ['pattern*'.repeat(4)]]));
  const whole = { comment: 'because '.repeat(75), from: 'now', matchers, until: '2026-01-31T18:00:00Z' };
  const { data } = textOf({ ...entry(1), kind: 'silence', data: whole });
  const sha256 = createHash('sha256').update(canonicalJson(whole)).digest('hex');
  expect(data.length).toBeLessThanOrEqual(780);
  expect(JSON.parse(data)).toEqual({ ...whole, comment: expect.stringMatching(/^because .*…$/), sha256 });
  expect(textOf({ ...entry(1), data: { ...whole, comment: `${whole.comment}!` } }).data).not.toBe(data);
});

test('where the matchers alone are too long, a line holds the end and the beginning of the matchers', () => {
  const matchers = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`label-${i}`, [`pattern-number-${i}*`]]));
  const whole = { comment: 'x'.repeat(490), matchers, until: '2026-01-31T18:00:00Z' };
  const { data } = textOf({ ...entry(1), kind: 'silence', data: whole });
  expect(data.length).toBeLessThanOrEqual(780);
  expect(JSON.parse(data)).toEqual({
    until: whole.until,
    cut: expect.stringContaining('"label-0":["pattern-number-0*"]'),
    sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
});

test('what became of the watch of a token was not found again under its long id', () => {
  const address = `0x${'11'.repeat(20)}`;
  const subject = ['rule'.repeat(16), 'e'.repeat(64), address, address].join('/');
  expect(textOf({ ...entry(1), subject }).subject).toBe(subject);
});
