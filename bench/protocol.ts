// What the processes of the bench tell each other.

/** The lists that are polled, in equal shares. */
export const LISTS = ['token', 'holdings', 'internal-transactions'] as const;
export type ListName = (typeof LISTS)[number];

/** Requests under way at a time, of the daemon and of the bare client. */
export const CONCURRENCY = 8;

/** Paths begin with who asks, so that each client has lists of its own. */
export const CLIENTS = ['daemon', 'bare'] as const;
export type Client = (typeof CLIENTS)[number];

/** When a path is due: at k x interval + phase, in milliseconds since 1970. */
export interface Due {
  readonly path: string;
  readonly list: ListName;
  readonly phaseMs: number;
}

/** From the bench to the server. */
export type Order =
  | { readonly type: 'lists'; readonly intervalMs: number; readonly dues: readonly Due[] }
  /** `isTold`: whether a changed list of calls makes an alert. */
  | { readonly type: 'changes'; readonly share: number; readonly isTold: boolean }
  /** What was due in this time. */
  | { readonly type: 'report'; readonly from: number; readonly to: number };

/** From the server to the bench, one for each order; the first comes when it listens. */
export interface Report {
  readonly port: number;
  readonly polls: Readonly<Record<Client, number>>;
  readonly late: Percentiles;
  /** From the last byte of an answer to the first of its webhook. */
  readonly answerToWebhook: Percentiles;
  /** Alerts that an answer called for and no webhook brought. */
  readonly untold: number;
}

/** Milliseconds; null where nothing was counted. */
export interface Percentiles {
  readonly count: number;
  readonly p50: number | null;
  readonly p99: number | null;
}
