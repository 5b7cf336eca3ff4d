// A history: a seed and the faults that follow from it. All that happens in it is worked out from these two.
import { inOrder, type Command } from './commands.ts';
import type { Script } from './chain/script.ts';
import { createDraw, type Draw } from './draw.ts';
import { planFault } from './faults/catalogue.ts';
import { commandsOf, forkOf } from './faults/chain.ts';
import { drawScenes } from './scenes/draw.ts';
import { drawRareMeetings } from './scenes/rare-meetings.ts';
import { contractLifeOf } from './contract-life.ts';
import { DAY_MS, lifeOf } from './life.ts';
import { ACK_ALL_KIND, CREDIT_KINDS, READ_KINDS, SCENE_KINDS, type FaultKind } from './faults/kinds.ts';
import { PATHS } from './rules.ts';
import type { History, Instant, PlannedFault, Span, Stretch, Watched } from './model.ts';

/** Ten days after the first block of the chain, in the middle of one. */
export const START: Instant = Date.UTC(2026, 0, 11, 0, 0, 30);
/** The daemon knows where everything begins before anything goes wrong. */
const CALM_MS = 3_600_000;

const FAULTS_A_DAY = { least: 10, most: 40 };
const REORGS_A_DAY = 4;

/** `kinds`: what may go wrong. */
export function drawHistory(seed: number, days: number, kinds: readonly FaultKind[], stretch: Stretch = 'on'): History {
  const isApart = new Set<FaultKind>([...SCENE_KINDS, ...CREDIT_KINDS, ...READ_KINDS]);
  const troubles = kinds.filter((kind) => !isApart.has(kind));
  const faults = Array.from({ length: days }, (_, day) => [
    ...faultsOf(createDraw(seed, 'faults', day), day, troubles),
    ...drawScenes(createDraw(seed, 'scenes', day), spanOf(day), { day, kinds }),
    ...drawRareMeetings(createDraw(seed, 'rare', day), spanOf(day), day).filter(({ kind }) => kinds.includes(kind)),
    ...creditFaultsOf(createDraw(seed, 'credits', day), day, kinds),
    ...sweepsOf(createDraw(seed, 'sweeps', day), day, kinds),
    ...readFaultsOf(createDraw(seed, 'reads', day), day, kinds),
  ]);
  return { seed, days, faults: faults.flat(), stretch, watched: 'accounts' };
}

function faultsOf(draw: Draw, day: number, kinds: readonly FaultKind[]): PlannedFault[] {
  const { from: begin, to: end } = spanOf(day);
  const always = [...Array<FaultKind>(REORGS_A_DAY).fill('reorg'), 'kill' as const, 'late-call' as const].filter(
    (kind) => kinds.includes(kind),
  );
  const count = draw.between(FAULTS_A_DAY.least, FAULTS_A_DAY.most);
  const [first, ...others] = kinds;
  const drawn = first === undefined ? [] : Array.from({ length: count }, () => draw.pick([first, ...others]));
  return [...always, ...drawn].map((kind, n) => {
    const at = begin + draw.below(end - begin);
    return planFault(kind, at, `f${day}.${n}`, createDraw(draw.below(2 ** 31), kind));
  });
}

/** Half of them on each day. */
function creditFaultsOf(draw: Draw, day: number, kinds: readonly FaultKind[]): PlannedFault[] {
  const { from, to } = spanOf(day);
  return CREDIT_KINDS.flatMap((kind) => {
    const [isDrawn, at, seed] = [draw.chance(0.5), from + draw.below(to - from), draw.below(2 ** 31)];
    return isDrawn && kinds.includes(kind) ? [planFault(kind, at, `c${day}.${kind}`, createDraw(seed, kind))] : [];
  });
}

/** Faults of calls of contracts: their own kinds, and some of those that strike any answer. */
function readFaultsOf(draw: Draw, day: number, kinds: readonly FaultKind[]): PlannedFault[] {
  const { from, to } = spanOf(day);
  const [own, others] = [READ_KINDS, OF_ALL_ANSWERS].map((all) => all.filter((kind) => kinds.includes(kind)));
  return Array.from({ length: draw.between(4, 9) }, (_, n) => n).flatMap((n) => {
    const [wanted = [], instead = []] = draw.chance(0.6) ? [own, others] : [others, own];
    const [first, ...more] = wanted.length > 0 ? wanted : instead;
    if (first === undefined) return [];
    const kind = draw.pick([first, ...more]);
    const [at, seed] = [from + draw.below(to - from), draw.below(2 ** 31)];
    return [{ ...planFault(kind, at, `r${day}.${n}`, createDraw(seed, kind)), path: PATHS.rpc }];
  });
}

const OF_ALL_ANSWERS = [
  'server-error',
  'bad-gateway',
  'unavailable',
  'blocked',
  'not-found',
  'unprocessable',
  'html',
  'truncated',
  'cut',
  'oversized',
  'slow-headers',
  'slow-body',
  'array',
  'null',
  'no-calls',
] as const satisfies readonly FaultKind[];

const SWEEPS_A_DAY = 3;

/** Somebody acknowledges the alert of which most is open: what storms have left would be repeated for good. */
function sweepsOf(draw: Draw, day: number, kinds: readonly FaultKind[]): PlannedFault[] {
  const { from, to } = spanOf(day);
  return Array.from({ length: SWEEPS_A_DAY }, (_, n) => {
    const [at, seed] = [from + draw.below(to - from), draw.below(2 ** 31)];
    return planFault(ACK_ALL_KIND, at, `a${day}.${n}`, createDraw(seed, ACK_ALL_KIND));
  }).filter(({ kind }) => kinds.includes(kind));
}

/** In which something may happen on that day. */
function spanOf(day: number): Span {
  return { from: START + day * DAY_MS + (day === 0 ? CALM_MS : 0), to: START + (day + 1) * DAY_MS };
}

export function endOf({ days }: History): Instant {
  return START + days * DAY_MS;
}

const LIVES = { accounts: lifeOf, contracts: contractLifeOf } as const satisfies Readonly<Record<Watched, unknown>>;

export function scriptOf({ seed, days, faults, watched }: History): Script {
  const life = LIVES[watched](seed, START, days);
  const commands: readonly Command[] = inOrder([...life, ...faults.flatMap(commandsOf)]);
  return { seed, start: START - DAY_MS, commands, forks: forksOf(faults) };
}

/** One at a time: a fork that would begin before another one is over does not happen, nor one of a chain that stands. */
function forksOf(faults: readonly PlannedFault[]): Script['forks'] {
  const stalls = faults.filter(({ kind }) => kind === 'stalled');
  const forks = faults.flatMap((fault) => forkOf(fault) ?? []).toSorted((a, b) => a.from - b.from);
  const kept: (typeof forks)[number][] = [];
  for (const fork of forks) {
    const isAlone = fork.from > (kept.at(-1)?.to ?? 0);
    const stands = stalls.some(({ at, ms }) => at < fork.to && fork.from < at + ms);
    if (isAlone && !stands) kept.push(fork);
  }
  return kept;
}
