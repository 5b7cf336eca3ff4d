// Which scene is played in which slot of which block, and, the other way round, in which blocks an address takes part.
// Both are arithmetic on the height: no list of past blocks is kept, however old the chain is.
import { FILLER_SCENES } from './filler-scenes.ts';
import { keyOf, type AddressKey } from './keys.ts';
import { CROWD, type People } from './people.ts';
import type { Scene } from './stage.ts';
import { draw, PURPOSE } from './draw.ts';

export const SLOTS = 7;
const FIRST_FILLER = 4;

/** Blocks that come round every `every` blocks: those where height % every == phase. */
export interface Recurrence {
  readonly every: number;
  readonly phase: number;
}

export interface Lane {
  readonly every: number;
  /** It is due where (height + phase) % every == 0. */
  readonly phase: number;
  readonly scenes: readonly Scene[];
}

export interface Timetable {
  sceneAt(height: number, slot: number): Scene | undefined;
  senderAt(height: number, slot: number): string;
  peerAt(height: number, slot: number): string;
  /** Undefined for an address that takes part in nothing. */
  appearancesOf(key: AddressKey): readonly Recurrence[] | undefined;
}

/** `lanes`: the slots with a timetable of their own, from slot 0 on. */
export function createTimetable(seed: number, people: People, lanes: readonly Lane[]): Timetable {
  const recurrences = listRecurrences(lanes);

  return {
    sceneAt(height, slot) {
      if (height <= 0) return undefined;
      const lane = lanes[slot];
      if (lane !== undefined) return sceneOfLane(lane, height);
      if (slot < FIRST_FILLER || slot - FIRST_FILLER >= draw(seed, PURPOSE.fillers, height) % 4) return undefined;
      return FILLER_SCENES[(height + STRIDE.scene * slot) % FILLER_SCENES.length];
    },
    senderAt: (height, slot) => people.account(height + STRIDE.sender * slot),
    peerAt: (height, slot) => people.account(height + STRIDE.peer * slot + PEER_OFFSET),
    appearancesOf(key) {
      const number = people.numberOf(key);
      if (number !== undefined) return crowdRecurrences(number);
      return recurrences.get(key) ?? birthRecurrence(people, key);
    },
  };
}

const STRIDE = { scene: 5, sender: 37, peer: 101 };
const PEER_OFFSET = 250;
/** Longer than any chain gets, and small enough to be added up exactly. */
const ONCE = 2 ** 40;

function sceneOfLane({ every, phase, scenes }: Lane, height: number): Scene | undefined {
  const place = height + phase;
  return place % every === 0 ? scenes[(place / every) % scenes.length] : undefined;
}

function listRecurrences(lanes: readonly Lane[]): Map<AddressKey, Recurrence[]> {
  const byKey = new Map<AddressKey, Recurrence[]>();
  const note = (scene: Scene, recurrence: Recurrence): void => {
    for (const address of new Set(scene.cast))
      byKey.set(keyOf(address), [...(byKey.get(keyOf(address)) ?? []), recurrence]);
  };
  for (const { every, phase, scenes } of lanes)
    for (const [turn, scene] of scenes.entries()) note(scene, turnOf(every * scenes.length, every * turn - phase));
  for (let slot = FIRST_FILLER; slot < SLOTS; slot++)
    for (const [turn, scene] of FILLER_SCENES.entries())
      note(scene, turnOf(FILLER_SCENES.length, turn - STRIDE.scene * slot));
  return byKey;
}

function turnOf(every: number, place: number): Recurrence {
  return { every, phase: modulo(place, every) };
}

function crowdRecurrences(number: number): Recurrence[] {
  return Array.from({ length: SLOTS }, (_, slot) => [
    turnOf(CROWD, number - STRIDE.sender * slot),
    turnOf(CROWD, number - STRIDE.peer * slot - PEER_OFFSET),
  ]).flat();
}

/** A contract that was made on the way appears in the one block that made it. */
function birthRecurrence(people: People, key: AddressKey): Recurrence[] | undefined {
  const birthplace = people.birthplaceOf(key);
  return birthplace === undefined ? undefined : [{ every: ONCE, phase: birthplace.height }];
}

function modulo(value: number, by: number): number {
  return ((value % by) + by) % by;
}

/** Highest height of a recurrence at or below `height`, or a negative number when there is none. */
export function latestAt({ every, phase }: Recurrence, height: number): number {
  return height - modulo(height - phase, every);
}
