// The config that lies on the disk at a time: the edits of a history, one upon the other. An edit of which the daemon would
// refuse the files is no edit.
import type { Setup } from '../../../src/app/setup/setup.ts';
import { formatProblems } from '../../../src/config/problem.ts';
import { createDraw } from '../draw.ts';
import { EDIT_KINDS, TURN_KINDS, type EditKind } from '../faults/kinds.ts';
import type { History, Instant, PlannedFault, Watched } from '../model.ts';
import type { ConfigVersion } from '../people/log.ts';
import { EDITS } from './edits.ts';
import { FIRST_VERSIONS } from './first-version.ts';
import type { Load } from './loading.ts';

export interface Loaded {
  readonly version: ConfigVersion;
  readonly setup: Setup;
}

export interface Versions {
  readonly at: (moment: Instant) => Loaded;
  /** Ids of edits whose files the daemon would refuse. */
  readonly refused: readonly string[];
}

export function createVersions({ faults, watched }: Pick<History, 'faults' | 'watched'>, load: Load): Versions {
  const first = firstOf(watched, load);
  const all: (Loaded & { readonly from: Instant })[] = [{ ...first, from: -Infinity }];
  const refused: string[] = [];
  for (const edit of faults.filter(isEdit).toSorted((a, b) => a.at - b.at)) {
    const before = (all.at(-1) ?? first).version;
    const edited = EDITS[edit.kind](before, createDraw(edit.amount, edit.kind), edit);
    if (edited === before) continue;
    const version = { ...edited, id: edit.id };
    const { setup } = load(version);
    if (setup === null) refused.push(edit.id);
    else all.push({ version, setup, from: edit.at });
  }
  return { at: (moment) => all.findLast(({ from }) => from <= moment) ?? first, refused };
}

const EDITED = new Set<string>([...EDIT_KINDS, ...TURN_KINDS]);

export function isEdit(fault: PlannedFault): fault is PlannedFault & { readonly kind: EditKind } {
  return EDITED.has(fault.kind);
}

function firstOf(watched: Watched, load: Load): Loaded {
  const version = FIRST_VERSIONS[watched];
  const { setup, problems } = load(version);
  if (setup === null) throw new Error(formatProblems(problems));
  return { version, setup };
}
