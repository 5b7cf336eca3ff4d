// The config as the rest of the program sees it.
import type { PeriodRule } from '../core/spending/plan.ts';
import type { Coin } from '../core/model/watch/target.ts';
import type { Address } from '../core/values/address.ts';
import type { Cap, InhibitRule, Route } from '../dispatch/model.ts';
import type { AnyNotifier } from '../notifiers/notifier.ts';
import type { Problem } from './problem.ts';
import type { Secret } from './values/secret.ts';
import type { SANDBOX_RELEASES } from './shape.ts';
import type { Path } from './yaml/written.ts';
import type { ReadBounds } from '../lib/files/regular-file.ts';
import type { Source } from './yaml/yaml.ts';

/** The text of a file of at most 1 MiB, or of the given limit; throws if there is no such file. */
export type ReadFile = (path: string, bounds?: Partial<ReadBounds>) => string;

export interface Config {
  /** The path as given on the command line. */
  readonly file: string;
  /** The absolute path of the directory of the config file. Relative paths start here. */
  readonly directory: string;
  /** The text of the config file. A mistake that is found with the rules quotes its line. */
  readonly source: Source;
  readonly explorers: ReadonlyMap<string, ExplorerSettings>;
  readonly names: ReadonlyMap<string, Name>;
  readonly channels: ReadonlyMap<string, Channel>;
  readonly routes: readonly ConfigRoute[];
  readonly inhibit: readonly ConfigInhibit[];
  /** The time that a watch may miss its due times before it is blind, if its explorer has no value of its own. */
  readonly blindAfterMs: number;
  /** The channels for alerts about the daemon itself. */
  readonly self: readonly string[];
  /** The service that raises an alarm if the daemon stops calling it; null = none. */
  readonly heartbeat: HeartbeatSettings | null;
  /** The time zone for texts to people. */
  readonly timeZone: string;
  /** The daily report; null = none. */
  readonly digest: DigestSettings | null;
  readonly state: StateSettings;
  /** Where polls are recorded; null = nowhere. */
  readonly recording: RecordingSettings | null;
  readonly http: HttpSettings;
  /** Paths and patterns of rule files, as written. */
  readonly rules: readonly string[];
}

export interface HttpSettings {
  readonly listen: { readonly host: string; readonly port: number };
  readonly page: PageSettings;
  /** The URL of the daemon from elsewhere, without a slash at its end; null: not set. */
  readonly publicUrl: string | null;
  /** True if messages contain a link that acknowledges the alert. */
  readonly hasLinks: boolean;
  readonly operators: readonly Operator[];
  readonly proxy: ProxySettings | null;
}

export interface PageSettings {
  /** False if only the API, metrics and health are served. */
  readonly isServed: boolean;
  /** True if every caller may read pages and API without a token. */
  readonly isOpen: boolean;
  /**
   * The address of a line of a rule file on another site, with `{file}` and `{line}`; null: the page shows the file
   * itself.
   */
  readonly sourceUrl: string | null;
}

/** A proxy that identifies users. */
export interface ProxySettings {
  /** The header that names the user. */
  readonly header: string;
  /** The addresses and networks from which the proxy calls. */
  readonly from: readonly string[];
  readonly secret: Secret;
}

/** A person or program that may use the API. */
export interface Operator {
  readonly name: string;
  readonly role: 'operator' | 'viewer';
  /** Null: the operator has no token, and only the proxy identifies them. */
  readonly token: Secret | null;
}

export interface HeartbeatSettings {
  readonly url: Secret;
  readonly everyMs: number;
  /** Networks that are not public but may be called. */
  readonly allow: readonly string[];
}

/** The time of the daily report, and its channels. */
export interface DigestSettings {
  /** `minutes`: since midnight, as clocks show it in the zone. */
  readonly time: { readonly minutes: number; readonly zone: string };
  readonly notify: readonly string[];
}

export interface DatabaseSettings {
  readonly url: Secret;
  /** The name of the installation. */
  readonly name: string;
}

export interface StateSettings {
  /** Absolute path. The token file of this machine is beside it, also if a database stores the state. */
  readonly file: string;
  /** The database that keeps the state; null if a file keeps it. */
  readonly postgres: DatabaseSettings | null;
  readonly maxBytes: number;
  readonly backup: BackupSettings;
}

export interface BackupSettings {
  /** Absolute path. */
  readonly directory: string;
  /** The number of daily backups that are kept; 0 if none are made. */
  readonly keep: number;
}

export interface RecordingSettings {
  /** Absolute path. */
  readonly file: string;
  readonly keepMs: number;
  readonly maxBytes: number;
}

interface ExplorerBase {
  readonly name: string;
  readonly coin: Coin;
  /** Null: `blindAfterMs` of the config applies. */
  readonly blindAfterMs: number | null;
  /** The address of the explorer's pages, without a slash at its end; null: not set. */
  readonly pageUrl: string | null;
  /** True if its JSON-RPC may be asked. */
  readonly rpc: boolean;
  readonly path: Path;
  /** Problems of secrets that cannot be read or sent. They are reported only if a watch uses this explorer. */
  readonly missing: readonly Problem[];
}

interface RemoteExplorer extends ExplorerBase {
  readonly apiKey: Secret | null;
  readonly auth: 'bearer' | 'query';
  readonly plan: ExplorerPlan | null;
  readonly concurrency: number;
  readonly headers: Readonly<Record<string, Secret>>;
}

interface MultichainExplorer extends RemoteExplorer {
  readonly form: 'multichain';
  readonly baseUrl: string;
  readonly chainId: string;
}

interface InstanceExplorer extends RemoteExplorer {
  readonly form: 'instance';
  readonly instanceUrl: string;
}

export interface SandboxExplorer extends ExplorerBase {
  readonly form: 'sandbox';
  readonly seed: number;
  readonly blockTime: { readonly ms: number } | 'manual';
  readonly control: boolean;
  /** True if it also makes faults, chosen by the seed. */
  readonly faults: boolean;
  /** The release of an explorer that it imitates; null = the specification. */
  readonly as: (typeof SANDBOX_RELEASES)[number] | null;
  /** The simulated plan, within which the daemon spends; null: the explorer counts no credits. */
  readonly plan: ExplorerPlan | null;
}

export type ExplorerSettings = MultichainExplorer | InstanceExplorer | SandboxExplorer;

export interface ExplorerPlan extends PeriodRule {
  readonly requestsPerSecond: number | null;
  readonly credits: number | null;
  /** Percent of the credits, from 0 to 100. */
  readonly reservePercent: number;
  /** Percent of the credits that details of events may cost. */
  readonly enrichPercent: number;
  /** Whether intervals become longer when the plan does not suffice. */
  readonly isStretched: boolean;
}

/** The kinds of accounts. All but a wallet are contracts, which sign no transactions. */
export const ADDRESS_FORMS = ['contract', 'safe', 'token', 'wallet'] as const;
export type AddressForm = (typeof ADDRESS_FORMS)[number];

/** A name that rules may use. A token has the address `everywhere` on each explorer that `byExplorer` does not list. */
export type Name =
  | {
      readonly type: 'address';
      readonly path: Path;
      readonly address: Address;
      /** The kind of account, if the config says it; else null. */
      readonly is: AddressForm | null;
    }
  | { readonly type: 'group'; readonly path: Path; readonly addresses: readonly Address[] }
  | {
      readonly type: 'token';
      readonly path: Path;
      readonly everywhere: Address | null;
      readonly byExplorer: ReadonlyMap<string, Address>;
    };

export interface Channel {
  readonly name: string;
  readonly type: string;
  readonly path: Path;
  readonly notifier: AnyNotifier;
  /** The value parsed by the notifier's schema; undefined while a secret is missing. */
  readonly to: unknown;
  /** The limits as written; null: the default of the channel type. */
  readonly cap: Cap | null;
  readonly missing: readonly Problem[];
  readonly secrets: readonly string[];
}

/** `path`: its place in the file; null for the default route to the only channel. */
export interface ConfigRoute extends Route {
  readonly path: Path | null;
}

export interface ConfigInhibit extends InhibitRule {
  readonly path: Path;
}

export interface ConfigTools {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly readFile: ReadFile;
  /** True if every user of the machine can read the file. If the function is absent, no file is checked. */
  readonly isReadableByAll?: (path: string) => boolean;
  readonly notifiers: readonly AnyNotifier[];
  /**
   * True for commands that only read the state. They do not use the secrets of operators, heartbeat and proxy, so
   * these may be absent.
   */
  readonly isToRead?: boolean;
}

export type Loaded =
  | { readonly config: Config; readonly problems: readonly []; readonly warnings: readonly Problem[] }
  | { readonly config: null; readonly problems: readonly Problem[]; readonly warnings: readonly Problem[] };
