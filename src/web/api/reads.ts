// Read-only calls: the results of queries, as JSON.
import { z } from 'zod';
import { UnavailableError } from '../../lib/unavailable.ts';
import { alertIn } from '../../operators/acks.ts';
import { BadCursor } from '../../query/cursor.ts';
import type { Queries } from '../../query/queries.ts';
import { accountsCsv, CSV_TYPE } from '../../query/watches/accounts-csv.ts';
import {
  AccountListFilter,
  AlertListFilter,
  DeliveryListFilter,
  HistoryListFilter,
  OverviewFilter,
  RuleListFilter,
  SamplesFilter,
  WatchListFilter,
} from '../../query/shapes.ts';
import { WatchedAddress } from '../../query/shapes/account.ts';
import { AccountList, Series } from '../../query/shapes/accounts.ts';
import { AlertHistory, AlertList, type Gone } from '../../query/shapes/alerts.ts';
import { HistoryList } from '../../query/shapes/history.ts';
import { About, ExplorerList, RuleList } from '../../query/shapes/daemon.ts';
import { DeliveryDetail, DeliveryList, SilenceLists, SilenceRow } from '../../query/shapes/operators.ts';
import { Overview } from '../../query/shapes/overview.ts';
import { WatchExplanation, WatchList, WatchRow } from '../../query/shapes/watches.ts';
import type { Parameters } from '../parameters.ts';
import { problemOf, type ApiProblem } from '../problem.ts';
import type { PathParameter, ReadResult, ReadRoute } from './route.ts';
import { parseQuery } from './parsing.ts';

const WholeList = AccountListFilter.omit({ after: true, limit: true });

export function readRoutes(queries: Queries): readonly ReadRoute[] {
  return [
    list('/overview', {
      tag: 'overview',
      summary:
        'The alerts that fire, whether a person has to act, and whether the data can be trusted. Labels filter the lists; verdict, headline and trust cover all watches.',
      query: OverviewFilter,
      shape: Overview,
      look: (filter) => queries.overview(filter),
    }),
    ...routesToWatches(queries),
    ...routesToAlerts(queries),
    ...routesToMessages(queries),
    ...routesToDaemon(queries),
  ];
}

function routesToWatches(queries: Queries): ReadRoute[] {
  return [
    list('/watches', {
      tag: 'watches',
      summary: 'The watches, with their values and how far they are from firing.',
      query: WatchListFilter,
      shape: WatchList,
      look: (filter) => queries.watches(filter),
    }),
    one('/watches/:name', {
      tag: 'watches',
      summary: 'One watch, with its value and how far it is from firing.',
      shape: WatchRow,
      look: async (parameter) => rowOf(await queries.watch(parameter('name'))),
      missing: NO_WATCH,
    }),
    one('/watches/:name/explain', {
      tag: 'watches',
      summary:
        'The reason why each alert of a watch fires or not: each part of its condition with the values that it reads.',
      shape: WatchExplanation,
      look: (parameter) => queries.watch(parameter('name')),
      missing: NO_WATCH,
    }),
    list('/accounts', {
      tag: 'watches',
      summary: 'Watched balances by account, those nearest to their limit first.',
      query: AccountListFilter,
      shape: AccountList,
      look: (filter) => queries.accounts(filter),
    }),
    one('/accounts/:address', {
      tag: 'watches',
      summary:
        'One watched address: the code behind it, the changes of owner, roles and code with a message, its open alerts and its watches.',
      shape: WatchedAddress,
      look: (parameter) => queries.account(parameter('address')),
      missing: NO_ACCOUNT,
    }),
    reading(
      '/accounts.csv',
      {
        tag: 'watches',
        summary: 'All watched balances as a file for spreadsheets.',
        type: CSV_TYPE,
        query: WholeList,
        shape: z.string(),
        problems: [],
      },
      async (_parameter, given) => {
        const read = parseQuery(WholeList, given);
        if ('problem' in read) return read;
        return { body: await accountsCsv((filter) => queries.accounts(filter), read.query) };
      },
    ),
    reading(
      '/watches/:name/samples',
      {
        tag: 'watches',
        summary: 'A value of a watch over time, with its limits and the times at which nothing was known.',
        query: SamplesFilter,
        shape: Series,
        problems: ['not-found'],
      },
      async (parameter, given) => {
        const read = parseQuery(SamplesFilter, given);
        if ('problem' in read) return read;
        const found = await queries.samples(parameter('name'), read.query);
        return found === null ? { problem: { problem: 'not-found', detail: NO_SAMPLES } } : { body: found };
      },
    ),
  ];
}

function routesToAlerts(queries: Queries): ReadRoute[] {
  return [
    list('/alerts', {
      tag: 'alerts',
      summary: 'Open alerts: critical ones first, then the oldest.',
      query: AlertListFilter,
      shape: AlertList,
      look: (filter) => queries.alerts(filter),
    }),
    one('/alerts/:key/:episode', {
      tag: 'alerts',
      summary: 'One episode of an alert: what happened, who was notified, who acknowledged it.',
      shape: AlertHistory,
      look: async (parameter) => {
        const of = alertIn({ parameter });
        return of.episode < 0 ? null : queries.alert(of);
      },
      missing: 'There is no such episode of an alert: GET /api/v1/alerts names those that are open.',
    }),
    list('/history', {
      tag: 'history',
      summary: 'The journal: decisions, messages and changes, newest first.',
      query: HistoryListFilter,
      shape: HistoryList,
      look: (filter) => queries.history(filter),
    }),
  ];
}

/** Messages to people, and the silences that hold them back. */
function routesToMessages(queries: Queries): ReadRoute[] {
  return [
    list('/deliveries', {
      tag: 'deliveries',
      summary: 'Messages by recipient: given-up ones first, then pending ones, then sent ones.',
      query: DeliveryListFilter,
      shape: DeliveryList,
      look: (filter) => queries.deliveries(filter),
    }),
    one('/deliveries/:id', {
      tag: 'deliveries',
      summary: 'One message to one recipient, with its content.',
      shape: DeliveryDetail,
      look: (parameter) => queries.delivery(parameter('id')),
      missing: 'There is no such delivery. A delivery is kept for 30 days after it ended.',
    }),
    whole('/silences', {
      tag: 'silences',
      summary: 'Silences and pauses that are in force or will be, and those that are over.',
      shape: SilenceLists,
      look: () => queries.silences(),
    }),
    one('/silences/:id', {
      tag: 'silences',
      summary: 'One silence or pause.',
      shape: SilenceRow,
      look: (parameter) => queries.silence(parameter('id')),
      missing: 'There is no such silence or pause: GET /api/v1/silences lists them.',
    }),
  ];
}

function routesToDaemon(queries: Queries): ReadRoute[] {
  return [
    whole('/explorers', {
      tag: 'daemon',
      summary:
        'The explorers: the age of their newest block, their answers, and the cost of the requests of each rule.',
      shape: ExplorerList,
      look: () => queries.explorers(),
    }),
    list('/rules', {
      tag: 'daemon',
      summary: 'The alerts of the rules with their health; if the files on the disk are not in force, the reason.',
      query: RuleListFilter,
      shape: RuleList,
      look: (filter) => queries.rules(filter),
    }),
    whole('/about', {
      tag: 'daemon',
      summary: 'The release, the state and the heartbeat of the daemon.',
      shape: About,
      look: () => queries.about(),
    }),
  ];
}

type Described = Pick<ReadRoute, 'tag' | 'summary'>;

interface Whole<T> extends Described {
  readonly shape: z.ZodType<T>;
  readonly look: () => Promise<T>;
}

function whole<T extends object>(path: string, { look, ...about }: Whole<T>): ReadRoute {
  return reading(path, { ...about, query: null, problems: [] }, async () => ({ body: await look() }));
}

interface Filtered<T, Q extends z.ZodObject> extends Described {
  readonly query: Q;
  readonly shape: z.ZodType<T>;
  readonly look: (filter: z.output<Q>) => Promise<T>;
}

/** A list that is filtered by parameters of the query. */
function list<T extends object, Q extends z.ZodObject>(
  path: string,
  { look, query, ...about }: Filtered<T, Q>,
): ReadRoute {
  return reading(path, { ...about, query, problems: [] }, async (_parameter, given) => {
    const read = parseQuery(query, given);
    return 'problem' in read ? read : { body: await look(read.query) };
  });
}

interface Named<T> extends Described {
  readonly shape: z.ZodType<T>;
  /** Null: neither the rules nor the state contain it. */
  readonly look: (parameter: PathParameter) => Promise<T | Gone | null>;
  /** The advice in the answer if nothing is found. */
  readonly missing: string;
}

/** A route to the one thing that the path names. */
function one<T extends object>(path: string, { look, missing, ...about }: Named<T>): ReadRoute {
  return reading(path, { ...about, query: null, problems: ['not-found', 'gone'] }, async (parameter) => {
    const found = await look(parameter);
    if (found === null) return { problem: { problem: 'not-found', detail: missing } };
    return isGone(found) ? { problem: { problem: 'gone', detail: GONE, more: found } } : { body: found };
  });
}

const NO_WATCH = 'There is no watch of that name: GET /api/v1/watches lists them. Names are percent-encoded in paths.';
const NO_ACCOUNT = 'No watch is about this address: GET /api/v1/watches lists the watches.';
const NO_SAMPLES =
  'There is no watch of that name, or no values of that field are stored: `explain` names the fields of a watch.';
const GONE = 'It no longer exists. `history` has what is stored about it.';

function isGone(found: object): found is Gone {
  return 'history' in found;
}

function rowOf(found: WatchExplanation | Gone | null): WatchRow | Gone | null {
  return found !== null && 'watch' in found ? found.watch : found;
}

type Look = (parameter: PathParameter, query: Parameters) => Promise<ReadResult>;

function reading(path: string, about: Omit<ReadRoute, 'path' | 'method' | 'role' | 'answer'>, look: Look): ReadRoute {
  return {
    ...about,
    path,
    method: 'get',
    role: 'viewer',
    answer: ({ parameter, query }) =>
      look(parameter, query).catch((error: unknown) => ({ problem: problemFor(error) })),
  };
}

const NOT_READABLE = 'The state cannot be read now. The log of the daemon says why.';

/** The problem of a query that failed. An error that neither the caller nor the storage caused is thrown again. */
export function problemFor(error: unknown): ApiProblem {
  if (error instanceof UnavailableError) return problemOf({ type: 'not-storable', detail: NOT_READABLE });
  if (!(error instanceof BadCursor)) throw error;
  const detail = 'is not `next` of a page of this list: leave it out to begin with the first page';
  return problemOf({ type: 'invalid', mistakes: [{ pointer: '/after', detail }] });
}
