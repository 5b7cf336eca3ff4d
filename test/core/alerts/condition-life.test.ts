import { describe, expect, test } from '@jest/globals';
import { blankMemory, retire, step } from '../../../src/core/step.ts';
import type { Memory } from '../../../src/core/model/memory.ts';
import type { ConditionAlert } from '../../../src/core/model/watch/watch.ts';
import type { Decision } from '../../../src/core/model/decision.ts';
import type { Observation } from '../../../src/core/model/observation.ts';
import { idOf } from '../../../src/core/model/watch/identity.ts';
import { runPolls } from '../../support/engine/run-polls.ts';
import { above, aWatch, below, missed, saw, whileAlert } from '../../support/engine/watch.ts';

type Row = readonly [when: string, level: string | null, state: string, said?: string];

/** Every row is a poll: when, the number seen (null = unknown), the state afterwards, and what is said, if anything. */
function story(alert: Partial<ConditionAlert>, rows: readonly Row[]): void {
  const polls = rows.map(([when, level]) => (level === 'missed' ? missed(when) : saw({ level }, when)));
  const { decisions } = runPolls(aWatch([whileAlert(alert)]), polls);
  expect(decisions.map(stateAndWords)).toEqual(rows.map(([, , state, sent = '']) => `${state} ${sent}`.trim()));
}

function stateAndWords({ memory, transitions }: Decision): string {
  const alert = memory.alerts['low']?.[''];
  const state = alert?.type === 'condition' ? alert.state : 'inactive';
  return [state, ...transitions.map(({ message }) => message.type.replace('alert.', ''))].join(' ');
}

describe('a condition without `for`', () => {
  test('fires at once, says so once, and resolves once', () => {
    story({}, [
      ['0m', '200', 'inactive'],
      ['1m', '90', 'firing', 'firing'],
      ['2m', '80', 'firing'],
      ['3m', '150', 'inactive', 'resolved'],
      ['4m', '150', 'inactive'],
    ]);
  });

  test('is told when it already holds at the first poll: it is true now', () => {
    story({}, [['0m', '90', 'firing', 'firing']]);
  });

  test('stays as it is while its value is unknown or its poll is missed', () => {
    story({}, [
      ['0m', null, 'inactive'],
      ['1m', 'missed', 'inactive'],
      ['2m', '90', 'firing', 'firing'],
      ['3m', null, 'firing'],
      ['4m', 'missed', 'firing'],
      ['5m', '150', 'inactive', 'resolved'],
    ]);
  });
});

describe('`for`', () => {
  const alert = { forMs: 120_000 };

  test('a dip shorter than `for` is not said', () => {
    story(alert, [
      ['0m', '200', 'inactive'],
      ['1m', '90', 'pending'],
      ['2m', '90', 'pending'],
      ['2m30s', '200', 'inactive'],
      ['3m', '90', 'pending'],
    ]);
  });

  test('fires when it has held for long enough', () => {
    story(alert, [
      ['0m', '90', 'pending'],
      ['1m', '90', 'pending'],
      ['2m', '90', 'firing', 'firing'],
    ]);
  });

  test('a missed poll stops the count: time that nobody saw is not held', () => {
    story(alert, [
      ['0m', '90', 'pending'],
      ['1m', '90', 'pending'],
      ['2m', 'missed', 'pending'],
      ['3m', '90', 'pending'],
      ['4m', '90', 'firing', 'firing'],
    ]);
  });

  test('of a long hole at most three intervals are counted', () => {
    story({ forMs: 300_000 }, [
      ['0m', '90', 'pending'],
      ['60m', '90', 'pending'],
      ['61m', '90', 'pending'],
      ['62m', '90', 'firing', 'firing'],
    ]);
  });
});

describe('`until`', () => {
  test('holds between the two thresholds what was before', () => {
    story({ until: above('120') }, [
      ['0m', '110', 'inactive'],
      ['1m', '90', 'firing', 'firing'],
      ['2m', '110', 'firing'],
      ['3m', '121', 'inactive', 'resolved'],
      ['4m', '110', 'inactive'],
    ]);
  });

  test('nobody is woken by a dip that ended before `for` was over, though `until` was not reached yet', () => {
    story({ until: above('120'), forMs: 120_000 }, [
      ['0m', '99', 'pending'],
      ['1m', '110', 'inactive'],
      ['2m', '110', 'inactive'],
      ['3m', '99', 'pending'],
      ['4m', '99', 'pending'],
      ['5m', '99', 'firing', 'firing'],
      ['6m', '110', 'firing'],
      ['7m', '121', 'inactive', 'resolved'],
    ]);
  });

  test('still holds between the thresholds while `keep_firing_for` runs', () => {
    story({ until: above('120'), keepFiringForMs: 120_000 }, [
      ['0m', '99', 'firing', 'firing'],
      ['1m', '121', 'recovering'],
      ['2m', '110', 'recovering'],
      ['3m', '110', 'inactive', 'resolved'],
    ]);
  });
});

describe('`keep_firing_for`', () => {
  const alert = { keepFiringForMs: 120_000 };

  test('resolves only after it was clear for long enough; a relapse is not said again', () => {
    story(alert, [
      ['0m', '90', 'firing', 'firing'],
      ['1m', '150', 'recovering'],
      ['2m', '90', 'firing'],
      ['3m', '150', 'recovering'],
      ['4m', '150', 'recovering'],
      ['5m', '150', 'inactive', 'resolved'],
    ]);
  });

  test('unknown stops the count, and resolves nothing', () => {
    story(alert, [
      ['0m', '90', 'firing', 'firing'],
      ['1m', '150', 'recovering'],
      ['2m', 'missed', 'recovering'],
      ['9m', 'missed', 'recovering'],
      ['10m', '150', 'recovering'],
      ['11m', '150', 'recovering'],
      ['12m', '150', 'inactive', 'resolved'],
    ]);
  });
});

describe('what is said', () => {
  /** Polls a minute apart. */
  const levels = (...all: string[]): Observation[] => all.map((level, minute) => saw({ level }, `${minute}m`));
  const low = (): Memory => runPolls(aWatch([whileAlert()]), levels('90')).memory;

  test('each episode has its own ids in one alert, in order', () => {
    const { decisions } = runPolls(aWatch([whileAlert()]), levels('90', '150', '80', '150'));
    const transitions = decisions.flatMap(({ transitions }) => transitions);
    expect(transitions.map(({ message }) => [message.type, message.episode, message.seq])).toEqual([
      ['alert.firing', 1, 1],
      ['alert.resolved', 1, 2],
      ['alert.firing', 2, 3],
      ['alert.resolved', 2, 4],
    ]);
    expect(new Set(transitions.map(({ message: { key, episode, seq } }) => idOf(key, episode, seq))).size).toBe(4);
    expect(new Set(transitions.map(({ message }) => message.key)).size).toBe(1);
  });

  test('the end carries both values, and the labels that the firing had', () => {
    const [firing] = runPolls(aWatch([whileAlert()]), levels('90')).decisions.flatMap(({ transitions }) => transitions);
    const { transitions } = step(aWatch([whileAlert()]), low(), saw({ level: '150' }, '1m'));
    expect(transitions.map(({ labels }) => labels)).toEqual([firing?.labels]);
    expect(transitions[0]?.message).toMatchObject({
      fields: { level: { text: '150' } },
      before: { level: { text: '90' } },
    });
  });

  test('an alert taken out of its rule is resolved, with the reason', () => {
    const { transitions, memory } = step(aWatch([]), low(), saw({ level: '90' }, '1m'));
    expect(transitions.map(({ message }) => [message.type, message.reason])).toEqual([
      ['alert.resolved', 'rule removed'],
    ]);
    expect(memory.alerts).toEqual({});
  });

  test('a watch taken out of the rules is resolved, and one that was quiet is not', () => {
    const watch = aWatch([whileAlert()]);
    const quiet = runPolls(watch, levels('150')).memory;
    expect(retire(watch.id, low(), 1).transitions.map(({ message }) => message.reason)).toEqual(['rule removed']);
    expect(retire(watch.id, quiet, 1).transitions).toEqual([]);
  });

  test('a rule taken out and put back does not repeat ids that were told: its next firing is news', () => {
    const watch = aWatch([whileAlert()]);
    const keyAt = (when: string): string | undefined =>
      step(watch, blankMemory(watch), saw({ level: '90' }, when)).transitions[0]?.message.key;
    expect(keyAt('0m')).not.toBe(keyAt('60m'));
  });

  test('two processes that go on from the same quiet memory give what begins the same key, at whatever poll they see it', () => {
    const watch = aWatch([whileAlert()]);
    const quiet = runPolls(watch, levels('150')).memory;
    const keyAt = (when: string): string | undefined =>
      step(watch, quiet, saw({ level: '90' }, when)).transitions[0]?.message.key;
    expect(keyAt('3m')).toMatch(/^[a-z2-7]+$/);
    expect(keyAt('3m')).toBe(keyAt('4m'));
  });

  test('editing the threshold keeps the episode: nothing is said again', () => {
    const edited = aWatch([whileAlert({ while: below('95') })]);
    expect(step(edited, low(), saw({ level: '90' }, '1m')).transitions).toEqual([]);
  });

  test('observing another thing ends what fired and starts anew', () => {
    const other = aWatch([whileAlert()], { checksum: 'another-thing' });
    const { transitions } = step(other, low(), saw({ level: '150' }, '1m'));
    expect(transitions.map(({ message }) => message.reason)).toEqual(['rule changed']);
  });

  test('a stale head makes it unknown, unless it reads only the head', () => {
    const head = { height: 1n, timestamp: 0, readAt: 600_000, staleAfterMs: 180_000 };
    const stale: Observation = {
      type: 'seen',
      paceMs: 0,
      at: 600_000,
      head,
      chain: 'not-asked',
      seen: { level: '90' },
      partial: null,
    };
    const plain = aWatch([whileAlert()]);
    const headOnly = aWatch([whileAlert({ while: { ...below('100'), headOnly: true } })]);
    expect(step(plain, blankMemory(plain), stale).transitions).toEqual([]);
    expect(step(headOnly, blankMemory(headOnly), stale).transitions).toHaveLength(1);
  });

  test('a poll that saw the same again has learned nothing', () => {
    const { decisions } = runPolls(aWatch([whileAlert({ forMs: 600_000 })]), levels('90', '90', '90'));
    expect(decisions.map(({ hasChanged }) => hasChanged)).toEqual([true, false, false]);
  });
});
