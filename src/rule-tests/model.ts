// A test of one watch, or of one report: polls over time, and all messages that are expected.
import type { Address } from '../core/values/address.ts';
import type { SyntheticRow } from '../core/model/watch/script.ts';
import type { Head, MissReason } from '../core/model/observation.ts';
import type { Instant } from '../lib/clock.ts';
import type { Labels, Severity } from '../core/model/ids.ts';
import type { Report } from '../core/reports/model.ts';
import type { Watch } from '../core/model/watch/watch.ts';
import type { Route } from '../dispatch/model.ts';

export type RuleTest = WatchTest | ReportTest;

interface TestParts {
  /** The path of the test file, as it is printed. */
  readonly file: string;
  readonly line: number;
  readonly name: string;
  /** The routes of the config that the test names; empty without a config. */
  readonly routes: readonly Route[];
  readonly expected: readonly Expected[];
  /** Returns the address that a name stands for; undefined for other names. */
  readonly addressOf: AddressOf;
}

export interface WatchTest extends TestParts {
  readonly watch: Watch;
  /** True if the list counts as empty before the first poll, so that all rows of the first poll are new. */
  readonly isWithoutBaseline: boolean;
  readonly polls: readonly WrittenPoll[];
}

export interface ReportTest extends TestParts {
  readonly report: Report;
  readonly rows: readonly ReportRow[];
}

export type AddressOf = (name: string) => Address | undefined;

/** A row of `saw`. */
export interface WrittenMoment {
  readonly at: Instant;
  /** `1m30s`, as written. */
  readonly offset: string;
  /** The values of the poll as written, on one line that is safe to print. */
  readonly shown: string;
}

/** The polls of some watches of a report at one moment. */
export interface ReportRow extends WrittenMoment {
  readonly polls: readonly { readonly watch: Watch; readonly poll: WrittenPoll }[];
}

export interface WrittenPoll extends WrittenMoment {
  readonly head: Head | null;
  readonly input: PollInput;
}

export type PollInput =
  | { readonly type: 'missed'; readonly reason: MissReason; readonly detail: string }
  | { readonly type: 'rows'; readonly rows: readonly SyntheticRow[]; readonly partial: string | null }
  | { readonly type: 'answers'; readonly answers: readonly AnswerFixture[] };

export interface AnswerFixture {
  /** The path after `/api/v2/`, with addresses in lower case and without its query. */
  readonly path: string;
  readonly status: number;
  readonly body: string;
}

export interface Expected {
  readonly at: Instant;
  readonly offset: string;
  readonly line: number;
  readonly alert: string;
  readonly state: string;
  readonly severity: Severity | null;
  readonly title: Wanted | null;
  readonly text: Wanted | null;
  /** The expected text by path, such as `token.reputation`; null: the message must not have the field. */
  readonly fields: readonly (readonly [path: string, text: string | null])[];
  readonly to: readonly string[] | null;
  /** The labels that alerts in one message share; null: they are not compared. */
  readonly group: Labels | null;
}

export type Wanted = { readonly exactly: string } | { readonly contains: string };
