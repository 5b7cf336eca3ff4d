// What happens to the replicas and to what is around them. Which, to whom and in what order is drawn from the seed.
import type { Shard } from '../../../src/store/contract/fence.ts';
import { createDraw, type Draw } from '../../simulation/draw.ts';
import type { Fault } from './fault.ts';
import { OF_CONFIGS } from './of-configs.ts';
import { OF_DATABASES } from './of-databases.ts';
import { OF_OTHERS } from './of-others.ts';
import { OF_REPLICAS } from './of-replicas.ts';

export const FAULTS = { ...OF_REPLICAS, ...OF_DATABASES, ...OF_CONFIGS, ...OF_OTHERS } as const;

export type FaultName = keyof typeof FAULTS;
export const ALL_FAULTS = Object.keys(FAULTS) as readonly FaultName[];
export const EVERY_FAULT = ALL_FAULTS.filter((name) => faultOf(name).isUnpromised !== true);

export function faultOf(name: FaultName): Fault {
  return FAULTS[name];
}

export interface Planned {
  readonly name: FaultName;
  /** By its place. */
  readonly replica: number | 'who asked last' | Shard;
  readonly roll: number;
  /** How long after the first one of its round it begins. */
  readonly afterMs: number;
}

/** One fault, or two over each other. */
export type Round = readonly [Planned, ...Planned[]];

const OVER_EACH_OTHER = 1 / 3;
const MOST_AFTER_MS = 3000;

/** Each of the kinds once before any comes again; in a third of the rounds another one is struck meanwhile. */
export function drawRounds(seed: number, count: number, kinds: readonly FaultName[], replicas: number): Round[] {
  const draw = createDraw('nemesis', seed);
  const planned: Planned[] = [];
  while (planned.length < count)
    planned.push(...shuffled(kinds, draw).map((name) => plannedFault(name, draw, { replicas, mostAfterMs: 0 })));
  return planned.slice(0, count).map((first): Round => {
    const beside = kinds.filter((kind) => mayMeet(faultOf(first.name), faultOf(kind)));
    if (beside.length === 0 || !draw.chance(OVER_EACH_OTHER)) return [first];
    const name = beside[draw.below(beside.length)] ?? first.name;
    return [first, plannedFault(name, draw, { replicas, mostAfterMs: MOST_AFTER_MS })];
  });
}

function plannedFault(
  name: FaultName,
  draw: Draw,
  { replicas, mostAfterMs }: { readonly replicas: number; readonly mostAfterMs: number },
): Planned {
  return {
    name,
    replica: faultOf(name).victim ?? (draw.chance(0.6) ? 'who asked last' : draw.below(replicas)),
    roll: draw.below(1000),
    afterMs: draw.between(0, mostAfterMs),
  };
}

/**
 * Which configs live replicas run decides what is retired, and a fault that measures what replicas do needs them as they
 * are: those meet only what leaves replicas and database alone.
 */
function mayMeet(first: Fault, other: Fault): boolean {
  const rooms = [first.room, other.room];
  if (first.room === other.room || first.isUnpromised === true || other.isUnpromised === true) return false;
  const isDisturbing = rooms.includes('replica') || rooms.includes('database');
  return !(isDisturbing && rooms.includes('config'));
}

function shuffled<T>(some: readonly T[], draw: Draw): T[] {
  const rest = [...some];
  const all: T[] = [];
  while (rest.length > 0) all.push(...rest.splice(draw.below(rest.length), 1));
  return all;
}
