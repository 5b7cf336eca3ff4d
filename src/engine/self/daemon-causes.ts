// Causes that lie with the daemon itself: its state file, its config, its loops, and the clock of its machine.
import type { Severity } from '../../core/model/ids.ts';
import { showDuration, type Instant } from '../../lib/clock.ts';
import type { BackupTrouble } from '../upkeep/backup-health.ts';
import { showLoop } from '../upkeep/supervisor.ts';
import type { DaemonHealth } from '../reporting/daemon-health.ts';
import { counted, type Cause } from './cause.ts';
import { showTime } from '../../core/wording/words.ts';
import type { Moment } from '../../lib/time-zone.ts';
import { sinceText } from './words.ts';

/** A time in which the store refused writes. */
export interface Outage {
  readonly since: Instant;
  /** Null while it lasts. */
  readonly until: Instant | null;
  readonly what: 'fails' | 'full';
}

export interface DaemonCauseFacts
  extends
    Moment,
    Pick<
      DaemonHealth,
      'restoredAt' | 'lowDisk' | 'recovered' | 'clockJumps' | 'rejected' | 'failingLoops' | 'cluster'
    > {
  /** The last outage of the storage, if it lasts or ended within the last minute. */
  readonly outage: Outage | null;
  /** The reason why there is no backup of today; null while there is one, or none is wanted. */
  readonly backup: BackupTrouble | null;
  /** The highest severity of all alerts. */
  readonly severity: Severity;
}

export function daemonCauses(facts: DaemonCauseFacts): Cause[] {
  const { severity } = facts;
  const cause = { severity, watches: null, isExplained: false } as const;
  const parts = [
    ...outageOf(facts),
    ...restoredIn(facts),
    ...lowDiskIn(facts),
    ...recoveredIn(facts),
    ...backupIn(facts),
    ...jumpsIn(facts),
    ...rejectedIn(facts),
    ...outvotedIn(facts),
    ...failingIn(facts),
  ];
  return parts.map((one) => ({ ...cause, ...one }));
}

type Part = Pick<Cause, 'alert' | 'subject' | 'since' | 'title' | 'text'> & { readonly severity?: Severity };

function outageOf({ outage, ...moment }: DaemonCauseFacts): Part[] {
  if (outage === null) return [];
  const { since, until, what } = outage;
  const when =
    until === null ? sinceText(since, moment) : `From ${showTime(since, moment)} to ${showTime(until, moment)}`;
  const told =
    until === null ? 'Critical alerts are sent from memory, others later.' : 'Delayed messages are sent now.';
  return [
    {
      alert: 'storage',
      subject: 'outage',
      since,
      title: what === 'full' ? 'the state file reached state.max_size' : 'the state could not be written',
      text: [{ text: `${when}. ${told} The log says why.` }],
    },
  ];
}

function restoredIn({ restoredAt, ...moment }: DaemonCauseFacts): Part[] {
  if (restoredAt === null) return [];
  return [
    {
      alert: 'storage',
      subject: 'restored',
      since: restoredAt,
      title: 'the state file was deleted or replaced, and was put back',
      text: [
        { text: `At ${showTime(restoredAt, moment)}. Nothing is lost. Files found in its place are kept as *.found.` },
      ],
    },
  ];
}

/** A warning only, since nothing is lost yet. */
function lowDiskIn({ lowDisk, ...moment }: DaemonCauseFacts): Part[] {
  if (lowDisk === null) return [];
  const { since, freeBytes } = lowDisk;
  const free = `${Math.floor(freeBytes / 1e6)} MB are free`;
  const effect = 'When the disk is full, nothing is stored, and the watches are blind. Free some space.';
  return [
    {
      alert: 'storage',
      subject: 'disk',
      severity: 'warning',
      since,
      title: 'the disk of the state file is nearly full',
      text: [{ text: `${sinceText(since, moment)}: ${free}. ${effect}` }],
    },
  ];
}

/** A warning only, since a missing backup matters only when the state file is damaged. */
function backupIn({ backup, ...moment }: DaemonCauseFacts): Part[] {
  if (backup === null) return [];
  const since = sinceText(backup.since, moment);
  const isFailed = backup.type === 'failed';
  return [
    {
      alert: 'backup',
      subject: 'daily',
      severity: 'warning',
      since: backup.since,
      title: isFailed
        ? 'the daily backup of the state file failed'
        : 'no backup of the state file was made for two days',
      text: [{ text: isFailed ? `${since}: ${backup.why}` : `${since}. Restart the daemon; the log may say why.` }],
    },
  ];
}

function jumpsIn({ clockJumps, ...moment }: DaemonCauseFacts): Part[] {
  return clockJumps.map(({ at, byMs }) => ({
    alert: 'clock-jump',
    subject: byMs > 0 ? 'forward' : 'back',
    severity: 'warning',
    since: at,
    title: `the clock jumped ${byMs > 0 ? 'forward' : 'back'} by ${showDuration(Math.abs(byMs))}`,
    text: [{ text: `At ${showTime(at, moment)} ${byMs > 0 ? SET_FORWARD : SET_BACK}` }],
  }));
}

const SET_FORWARD =
  "the machine's clock was set forward, or the machine slept. Polls and messages that were due in between are due now.";
const SET_BACK = "the machine's clock was set back. Pauses, silences and acknowledgements end by the new time.";

function recoveredIn({ recovered, ...moment }: DaemonCauseFacts): Part[] {
  if (recovered === null) return [];
  const { how, at } = recovered;
  const isLost = how === 'lost';
  return [
    {
      alert: 'storage',
      subject: `state-${how}`,
      since: at,
      title: isLost
        ? 'the state was lost, and a new one begins'
        : 'the state file was damaged, and a backup took its place',
      text: [
        { text: `At ${showTime(at, moment)}. ${isLost ? BEGINS_ANEW : IS_OLDER} The log says which files were kept.` },
      ],
    },
  ];
}

const BEGINS_ANEW = 'Every watch starts with a new baseline, and deliveries that were owed are not sent.';
const IS_OLDER =
  'Later events are found again if the explorer still shows them; messages sent after that backup may be sent again.';

/** A warning only, since the former config stays in force and no alert is affected yet. */
function rejectedIn({ rejected, ...moment }: DaemonCauseFacts): Part[] {
  if (rejected === null) return [];
  return [
    {
      alert: 'reload',
      subject: 'config',
      severity: 'warning',
      since: rejected.since,
      title: 'the config or the rules on disk are not in force',
      text: [{ text: `${sinceText(rejected.since, moment)}: ${rejected.why}` }],
    },
  ];
}

/** Another replica reports this, since the outvoted one must not write. */
function outvotedIn({ cluster, ...moment }: DaemonCauseFacts): Part[] {
  const outvoted = cluster?.replicas.filter(({ outvotedSince }) => outvotedSince !== null) ?? [];
  if (outvoted.length === 0) return [];
  const since = Math.min(...outvoted.map(({ outvotedSince }) => outvotedSince ?? moment.now));
  const waiting = outvoted.filter(({ counts }) => !counts).map(({ name }) => name);
  const names = outvoted.map(({ name }) => name);
  const told = `${sinceText(since, moment)}: ${names.join('; ')}. A replica with that config does no work.`;
  return [
    {
      alert: 'outvoted',
      subject: 'config',
      severity: 'warning',
      since,
      title: `${counted(outvoted.length, 'replica')} ${outvoted.length === 1 ? 'runs' : 'run'} another config than the one in force`,
      text: [{ text: waiting.length === 0 ? told : `${told} ${UNKNOWN_CONFIG} ${waiting.join('; ')}.` }],
    },
  ];
}

const UNKNOWN_CONFIG = 'It names no watch that the database remembers. It counts after chainwarden state accept:';

function failingIn({ failingLoops, ...moment }: DaemonCauseFacts): Part[] {
  return failingLoops.map((loop) => ({
    alert: 'loop-failing',
    subject: [loop.name, ...Object.values(loop.about ?? {}).map(String)].join('/'),
    since: loop.since,
    title: `${showLoop(loop)} fails again and again`,
    text: [{ text: `${sinceText(loop.since, moment)}: ${loop.failures} times in a row. The log says why.` }],
  }));
}
