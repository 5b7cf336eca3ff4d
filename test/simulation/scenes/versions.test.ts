import { describe, expect, test } from '@jest/globals';
import { createDraw } from '../draw.ts';
import { EDIT_KINDS, FAULT_KINDS, type EditKind } from '../faults/kinds.ts';
import { createFaultField } from '../faults/field.ts';
import { drawHistory, START } from '../history.ts';
import { createLifeLine } from '../life-line.ts';
import { createVirtualTime } from '../machine/clock.ts';
import { sinkNotifiers } from '../machine/sinks.ts';
import type { PlannedFault } from '../model.ts';
import type { ConfigVersion } from '../people/log.ts';
import { EDITS } from './edits.ts';
import { CHANNELS, FIRST_VERSION } from './first-version.ts';
import { createLoad } from './loading.ts';
import { createTryLog } from './tries.ts';
import { createVersions } from './versions.ts';

const time = createVirtualTime(START);
const tries = createTryLog(
  () => time.now(),
  () => undefined,
);
const load = createLoad(sinkNotifiers({ time, line: createLifeLine, field: createFaultField([]), onTry: tries.begun }));

function editedBy(kind: EditKind, version: ConfigVersion = FIRST_VERSION, seed = 1): ConfigVersion {
  return EDITS[kind](version, createDraw(seed, kind), { at: START, path: null });
}

test('the first version loads, and means what its data say', () => {
  const { setup, problems } = load(FIRST_VERSION);
  expect(problems).toEqual([]);
  expect([...(setup?.config.channels.keys() ?? [])]).toEqual(CHANNELS.map(({ name }) => name));
  expect(setup?.config.routes).toMatchObject(
    FIRST_VERSION.routes.map(({ match, add, groupWaitMs, repeatMs, requireAck }) => ({
      match: Object.fromEntries(Object.entries(match).map(([label, value]) => [label, [value].flat()])),
      add,
      groupWaitMs,
      repeatMs,
      requireAck,
    })),
  );
  const loaded = (setup?.watches ?? []).flatMap(({ rule, alerts }) =>
    alerts.map(({ id, severity }) => ({ watch: rule, alert: id, severity })),
  );
  expect(loaded).toEqual(FIRST_VERSION.rules.map(({ watch, alert, severity }) => ({ watch, alert, severity })));
});

describe('an edit', () => {
  const always = EDIT_KINDS.filter((kind) => kind !== 'channel-renamed-back' && kind !== 'channel-returned');

  test.each(always)('"%s" changes the first version in some way', (kind) => {
    const made = [1, 2, 3, 4, 5].map((seed) => editedBy(kind, FIRST_VERSION, seed));
    expect(made.some((version) => JSON.stringify(version) !== JSON.stringify(FIRST_VERSION))).toBe(true);
  });

  test('takes a new name of a channel along to all that name it, and back', () => {
    const renamed = editedBy('channel-renamed');
    const known = renamed.channels.map(({ name }) => name);
    const named = renamed.routes.flatMap(({ notify, add, failover }) => [
      ...(notify ?? []),
      ...add,
      ...(failover ?? []),
    ]);
    expect(named.filter((name) => !known.includes(name))).toEqual([]);
    expect(editedBy('channel-renamed-back', renamed)).toEqual(FIRST_VERSION);
  });

  test('of what is named is undone by the next one of it, also where a channel has another name now', () => {
    const about = (kind: EditKind, version: ConfigVersion, path: string): ConfigVersion =>
      EDITS[kind](version, createDraw(1, kind), { at: START, path });
    const waiting = about('groups-changed', FIRST_VERSION, 'treasury');
    expect(waiting.routes.map(({ groupWaitMs }) => groupWaitMs)).toContain(600_000);
    expect(about('groups-changed', waiting, 'treasury')).toEqual(FIRST_VERSION);
    const channels = CHANNELS.map((one) => (one.name === 'post' ? { ...one, name: 'post2' } : one));
    const tight = about('cap-tightened', { ...FIRST_VERSION, channels }, 'post');
    expect(tight.channels.find(({ name }) => name === 'post2')?.cap).toEqual({ burst: 1, perHour: 7 });
    expect(about('cap-changed', tight, 'post').channels).toEqual(channels);
    expect(about('cap-changed', tight, 'elsewhere')).toBe(tight);
  });

  test('that takes a channel out can be undone', () => {
    const removed = editedBy('channel-removed');
    expect(removed.channels).toHaveLength(CHANNELS.length - 1);
    expect(editedBy('channel-returned', removed).channels).toHaveLength(CHANNELS.length);
  });
});

describe('the versions of a history', () => {
  const history = drawHistory(3, 5, FAULT_KINDS);
  const { faults } = history;
  const versions = createVersions(history, load);
  const isEdit = ({ kind }: PlannedFault): boolean => EDIT_KINDS.some((one) => one === kind);

  test('follow its edits, of which the daemon refuses few', () => {
    const edits = faults.filter(isEdit);
    expect(edits.length).toBeGreaterThan(4 * 5 - 1);
    expect(versions.refused.length).toBeLessThan(edits.length / 10);
    expect(versions.at(START).version).toEqual(FIRST_VERSION);
    expect(new Set(edits.map(({ at }) => versions.at(at).version.id)).size).toBeGreaterThan(edits.length / 2);
  });

  test('are others when one edit is left out', () => {
    const first = faults.filter(isEdit).toSorted((a, b) => a.at - b.at)[0];
    const others = createVersions({ ...history, faults: faults.filter((fault) => fault !== first) }, load);
    const [whole, shorter] = [versions, others].map((one) => one.at(first?.at ?? 0).version);
    expect(shorter).not.toEqual(whole);
  });
});
