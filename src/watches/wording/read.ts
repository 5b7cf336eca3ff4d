// The sentences of values that contracts answer.
import { Address } from '../../core/values/address.ts';
import { valueAt } from '../../core/values/fields.ts';
import type { EventOccasion, KindWording, Sentence, StateOccasion } from '../../core/model/watch/wording.ts';
import { changedPaths, plainWording } from '../../core/wording/change-sentence.ts';
import { ownValue } from '../../core/wording/values.ts';

const plain = plainWording({ noun: 'reading', thing: ({ of }) => of ?? '' });

export const readWording: KindWording = {
  ...plain,
  event: (occasion) => addressSentence(occasion) ?? plain.event(occasion),
  state: revertSentence,
};

/** `vault proxy admin is now 0x3c54…b3AB, was timelock`; null for other values. */
function addressSentence(occasion: EventOccasion): Sentence | null {
  const { names, view, before, compared } = occasion;
  const [path] = before === null ? [] : changedPaths(view, before, compared);
  if (path === undefined || before === null || !(valueAt(view, path) instanceof Address)) return null;
  const [now, then] = [ownValue({ names, view }, path), ownValue({ names, view: before }, path)];
  if (now === undefined || then === undefined) return null;
  const detail = `${now}, was ${then}`;
  return { title: `${plain.value(occasion, path)} is now ${detail}`, detail, measured: now, lines: [], shows: [path] };
}

const REVERTED = 'reverted.';

/** `vault price cannot be read: the call reverts`; null for other values. */
function revertSentence(occasion: StateOccasion): Sentence | null {
  const { view, path } = occasion;
  if (!path.startsWith(REVERTED)) return null;
  const words =
    valueAt(view, path) === true ? 'cannot be read: the call reverts' : 'can be read: the call does not revert';
  const title = `${plain.value(occasion, path.slice(REVERTED.length))} ${words}`;
  return { title, detail: null, measured: null, lines: [], shows: [path] };
}
