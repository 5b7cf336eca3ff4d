// Compiles the reports of all files. Their watches keep the samples that the reports read.
import { parseAt } from '../../config/issues.ts';
import { hintFor } from '../../config/values/nearest.ts';
import { quote } from '../../config/values/scalars.ts';
import type { Path, ProblemAt } from '../../config/yaml/written.ts';
import type { Labels } from '../../core/model/ids.ts';
import type { Watch } from '../../core/model/watch/watch.ts';
import {
  REPORT_ALERT,
  REPORT_KIND,
  REPORT_LOOK_MS,
  reportWatchId,
  spansOf,
  type Report,
} from '../../core/reports/model.ts';
import { formatDuration } from '../../lib/durations.ts';
import { ReportShape, type WrittenReport } from '../schema/shape.ts';
import { claimId } from '../compile/claim-id.ts';
import type { Loading, WatchSource, WrittenSource } from '../compile/model.ts';
import { complainOfNobody, complainOfUnknown, itemPath } from '../compile/named-channels.ts';
import { totalOf, valuesOf } from './report-values.ts';
import { cronSchedule, type CronSchedule } from '../compile/schedule.ts';
import { channelsIn } from '../compile/targets.ts';

type ReportLoading = Pick<Loading, 'catalogue' | 'problems' | 'watches' | 'ids' | 'routes'>;

/** The reports, and all watches. Everything that is wrong is added to the problems. */
export function compileReports(
  written: readonly WrittenSource[],
  loading: ReportLoading,
): { readonly watches: readonly Watch[]; readonly reports: readonly Report[] } {
  const { watches } = loading;
  if (written.length === 0) return { watches, reports: [] };
  const names = namesOf(watches);
  const reports = written.flatMap((one) => new ReportCompiler(one.place, loading, names).compile(one.written) ?? []);
  for (const { place } of written) place.source.release();
  return withSamples(watches, reports);
}

type NamedWatches = ReadonlyMap<string, readonly Watch[]>;

/** Watches by the id of their rule, and by their own name. */
function namesOf(watches: readonly Watch[]): NamedWatches {
  const ofRules = Map.groupBy(watches, ({ rule }) => rule);
  const ofNames = Map.groupBy(watches, ({ name }) => name);
  return new Map([...ofNames, ...ofRules]);
}

/** The same watches. Those that a report reads also keep samples for it. */
function withSamples(
  all: readonly Watch[],
  reports: readonly Report[],
): { readonly watches: readonly Watch[]; readonly reports: readonly Report[] } {
  const byWatch = new Map<Watch, Watch>();
  for (const report of reports)
    for (const watch of report.members) byWatch.set(watch, sampledFor(report, byWatch.get(watch) ?? watch));
  const now = (watch: Watch): Watch => byWatch.get(watch) ?? watch;
  return { watches: all.map(now), reports: reports.map((one) => ({ ...one, members: one.members.map(now) })) };
}

function sampledFor(report: Report, watch: Watch): Watch {
  const spans = spansOf(report, watch);
  const { kind, target } = watch;
  const reads = spans.map(({ path }) => path);
  const options = kind.forReads?.(target.options, reads) ?? target.options;
  return { ...watch, target: { ...target, options }, sampled: [...watch.sampled, ...spans] };
}

const MOST_WATCHES = 200;

class ReportCompiler {
  readonly #place: WatchSource;
  readonly #loading: ReportLoading;
  readonly #names: NamedWatches;

  constructor(place: WatchSource, loading: ReportLoading, names: NamedWatches) {
    this.#place = place;
    this.#loading = loading;
    this.#names = names;
  }

  /** Null: there is a problem. */
  compile(written: unknown): Report | null {
    const { source, path } = this.#place;
    const parsed = parseAt(ReportShape, written, { source, path });
    if ('problems' in parsed) {
      this.#loading.problems.push(...parsed.problems);
      return null;
    }
    const report = parsed.value;
    claimId(this.#loading, this.#place, report.id);
    const members = this.#membersOf(report);
    const complain = this.#complain.bind(this);
    const schedule = this.#scheduleOf(report, members);
    const values = members.length === 0 ? null : valuesOf(report, members, complain);
    const total = values === null ? null : totalOf(report, { values, members }, complain);
    const labels = this.#labelsOf(report, members);
    const notify = this.#channelsOf(report, labels);
    if (schedule === null || values === null || total === null) return null;
    return {
      id: report.id,
      watchId: reportWatchId(report.id),
      source: `${source.file}:${source.lineOf(path)}`,
      schedule,
      members,
      values,
      total: total.path,
      severity: severityOf(report),
      labels,
      notify,
      explorer: explorersOf(members),
      zone: this.#loading.catalogue.config.timeZone,
    };
  }

  #complain(path: Path, at: ProblemAt): void {
    this.#loading.problems.push(this.#place.source.problem([...this.#place.path, ...path], at));
  }

  #membersOf({ watches }: WrittenReport): readonly Watch[] {
    const found = watches.flatMap((name, i) => this.#watchesNamed(name, itemPath('watches', watches, i)));
    const members = [...new Set(found)];
    if (members.length > MOST_WATCHES)
      this.#complain(['watches'], {
        message: `a report reads at most ${MOST_WATCHES} watches, and these are ${members.length}`,
        hint: 'Write several reports.',
      });
    return members;
  }

  #watchesNamed(name: string, path: Path): readonly Watch[] {
    const found = this.#names.get(name) ?? [];
    // A watch with a mistake has an id, and no instance.
    if (found.length === 0 && !this.#loading.ids.has(name))
      this.#complain(path, { message: `no watch ${quote(name)}`, hint: hintFor(name, this.#names.keys()) });
    const [watch] = found;
    if (watch === undefined || watch.kind.while !== null) return found;
    this.#complain(path, {
      message: `${quote(name)} has no present values, since it is of the kind ${watch.kind.name}`,
      hint: `Kinds that have: ${this.#kindsWithValues().join(', ')}.`,
    });
    return [];
  }

  #kindsWithValues(): readonly string[] {
    return this.#loading.catalogue.kinds.flatMap(({ name, while: values }) => (values === null ? [] : name));
  }

  #scheduleOf({ cron, zone }: WrittenReport, members: readonly Watch[]): CronSchedule | null {
    const schedule = cronSchedule(cron, zone);
    if (!('type' in schedule)) {
      this.#complain(['cron'], { message: schedule.complaint });
      return null;
    }
    if (schedule.intervalMs < REPORT_LOOK_MS) {
      const least = formatDuration(REPORT_LOOK_MS);
      this.#complain(['cron'], {
        message: `its messages come every ${formatDuration(schedule.intervalMs)}, and a report is sent every ${least} at most`,
      });
      return null;
    }
    const slow = members.find((watch) => watch.schedule.intervalMs > schedule.intervalMs);
    if (slow !== undefined)
      this.#complain(['cron'], {
        message: `its messages come every ${formatDuration(schedule.intervalMs)}, and ${slow.name} polls every ${formatDuration(slow.schedule.intervalMs)}`,
        hint: 'Send less often, or poll more often.',
      });
    return schedule;
  }

  #labelsOf(report: WrittenReport, members: readonly Watch[]): Labels {
    return {
      ...this.#place.defaults.labels,
      ...report.labels,
      watch: report.id,
      alert: REPORT_ALERT,
      kind: REPORT_KIND,
      severity: severityOf(report),
      explorer: explorersOf(members),
    };
  }

  /** The channels that the report, its file or the routes name. */
  #channelsOf({ notify }: WrittenReport, labels: Labels): readonly string[] {
    const { catalogue, routes } = this.#loading;
    const names = notify ?? this.#place.defaults.notify ?? null;
    const complain = this.#complain.bind(this);
    complainOfUnknown({ catalogue, complain }, names ?? [], (at) => (notify === undefined ? [] : at));
    const routing = routes.route(labels, names);
    for (const name of channelsIn(routing)) catalogue.channel(name);
    if (routing.channels.length === 0) complainOfNobody({ catalogue, complain }, []);
    return routing.channels;
  }
}

function severityOf({ severity = 'info' }: WrittenReport) {
  return severity;
}

function explorersOf(members: readonly Watch[]): string {
  return [...new Set(members.map(({ target }) => target.explorer))].toSorted().join(', ');
}
