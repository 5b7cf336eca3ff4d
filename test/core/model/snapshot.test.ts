import { expect, test } from '@jest/globals';
import { Amount } from '../../../src/core/values/amount.ts';
import { amount, json, list, text } from '../../../src/core/values/field-declarations.ts';
import { RecordType } from '../../../src/core/values/record-type.ts';
import { valueAt } from '../../../src/core/values/fields.ts';
import { decodeSnapshot, encodeSnapshot, type StoredSnapshot } from '../../../src/core/model/snapshot.ts';
import { untrusted } from '../../../src/lib/untrusted.ts';

const Thing = new RecordType('Thing', {
  level: amount('plain', 'a number'),
  label: text('a stranger'),
  labels: list(text('a stranger'), 'strangers'),
  extra: json('anything'),
});

const kept = (view: Parameters<typeof Thing.make>[0], before: Parameters<typeof Thing.make>[0] | null = null) =>
  encodeSnapshot({ at: 7, view: Thing.make(view), before: before && Thing.make(before), isStale: true });

test('a look comes back as it was, with what was before', () => {
  const level = Amount.parse('115792089237316195423570985008687907853269984665640564039457584007913129639935.5');
  const back = decodeSnapshot(
    Thing,
    JSON.parse(JSON.stringify(kept({ level }, { label: untrusted('x') }))) as StoredSnapshot,
  );
  expect([back?.at, back?.isStale]).toEqual([7, true]);
  expect(back && valueAt(back.view, 'level')).toEqual(level);
  expect(back?.before && valueAt(back.before, 'label')).toBe('x');
});

test('strangers do not decide how much is kept', () => {
  const long = untrusted('x'.repeat(100_000));
  const snapshot = kept({
    label: long,
    labels: Array.from({ length: 51 }, () => untrusted('x')),
    extra: { a: 'x'.repeat(5000) },
  });
  expect(snapshot.view).toEqual({ label: 'x'.repeat(1000) });
  const crowded = kept({ level: Amount.parse('1'), labels: Array.from({ length: 50 }, () => long), extra: [1] });
  expect(JSON.stringify(crowded).length).toBeLessThan(70_000);
});

test('what is of another shape is no look', () => {
  expect(decodeSnapshot(Thing, { at: 1, view: 'nonsense', before: null, isStale: false })).toBeNull();
});
