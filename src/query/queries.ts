// All queries of pages, the API and the CLI. Each call makes a view of its own.
import type { Matcher } from '../dispatch/model.ts';
import type { EpisodeName } from '../store/contract/alerts.ts';
import { about } from './daemon/about.ts';
import { account } from './watches/account.ts';
import { accounts } from './watches/accounts.ts';
import { alert, alerts } from './alerts/alerts.ts';
import { delivery, deliveries } from './records/deliveries.ts';
import { explorers } from './daemon/explorers.ts';
import { history } from './records/history.ts';
import { overview } from './overview/overview.ts';
import { rules } from './daemon/rules.ts';
import { ruleFile } from './daemon/source.ts';
import { samples } from './values/samples.ts';
import { linkedMessage } from './records/linked.ts';
import { previewSilence } from './silences/preview.ts';
import type { MatcherMistake } from '../operators/reach.ts';
import { silence, silences } from './silences/silences.ts';
import type {
  AccountListFilter,
  AlertListFilter,
  DeliveryListFilter,
  HistoryListFilter,
  OverviewFilter,
  RuleListFilter,
  SamplesFilter,
  WatchListFilter,
} from './shapes.ts';
import type { WatchedAddress } from './shapes/account.ts';
import type { AccountList, Series } from './shapes/accounts.ts';
import type { AlertCard, AlertHistory, Gone } from './shapes/alerts.ts';
import type { List } from './shapes/common.ts';
import type { About, ExplorerList, RuleFileText, RuleList } from './shapes/daemon.ts';
import type { HistoryList } from './shapes/history.ts';
import type {
  DeliveryDetail,
  DeliveryList,
  LinkedMessage,
  SilenceLists,
  SilencePreview,
  SilenceRow,
} from './shapes/operators.ts';
import { summary } from './overview/situation.ts';
import type { Overview, OverviewSummary } from './shapes/overview.ts';
import type { WatchExplanation, WatchList } from './shapes/watches.ts';
import type { QueryContext } from './view.ts';
import { watch } from './watches/watch.ts';
import { watches } from './watches/watches.ts';

/** Each rejects with a `StorageError` if the state does not answer, and lists with a `BadCursor` for a wrong cursor. */
export interface Queries {
  /** A value that changes whenever another query may give a new result. */
  readonly edition: () => Promise<string>;
  /** The open alerts. */
  alerts(filter: AlertListFilter): Promise<List<AlertCard>>;
  /** Null: the state has no message of such an alert. */
  alert(of: EpisodeName): Promise<AlertHistory | Gone | null>;
  /** `filter` does not affect verdict and trust, which are about all watches. */
  overview(filter?: OverviewFilter): Promise<Overview>;
  /** The summary of the overview, at a tenth of its cost. */
  summary(): Promise<OverviewSummary>;
  watches(filter: WatchListFilter): Promise<WatchList>;
  accounts(filter: AccountListFilter): Promise<AccountList>;
  /** One address. Null: no watch is about it. */
  account(address: string): Promise<WatchedAddress | null>;
  /** Null: there is no such watch, or no samples of the field are kept. */
  samples(watch: string, filter: SamplesFilter): Promise<Series | null>;
  history(filter: HistoryListFilter): Promise<HistoryList>;
  deliveries(filter: DeliveryListFilter): Promise<DeliveryList>;
  /** Null: the delivery never existed or is no longer stored. */
  delivery(id: string): Promise<DeliveryDetail | null>;
  /** The message of a delivery that a link names; null if it is no longer stored. */
  linkedMessage(delivery: string): Promise<LinkedMessage | null>;
  silences(): Promise<SilenceLists>;
  /** Null: the silence never existed, or it ended long ago. */
  silence(id: string): Promise<SilenceRow | null>;
  /** The preview of a silence with these matchers, or the mistakes in them. */
  previewSilence(matchers: Matcher): Promise<SilencePreview | readonly MatcherMistake[]>;
  explorers(): Promise<ExplorerList>;
  rules(filter: RuleListFilter): Promise<RuleList>;
  /** Null: the file has no rules in force. */
  ruleFile(file: string): Promise<RuleFileText | null>;
  about(): Promise<About>;
  /** A watch by its name. Null: neither the rules nor the state contain a watch of this name. */
  watch(name: string): Promise<WatchExplanation | Gone | null>;
}

/** `look`: makes a view of the present state. */
export function createQueries(look: () => Promise<QueryContext>, edition: Queries['edition']): Queries {
  return {
    edition,
    overview: async (filter) => overview(await look(), filter),
    summary: async () => summary(await look()),
    watches: async (filter) => watches(await look(), filter),
    accounts: async (filter) => accounts(await look(), filter),
    account: async (address) => account(await look(), address),
    samples: async (name, filter) => samples(await look(), name, filter),
    history: async (filter) => history(await look(), filter),
    deliveries: async (filter) => deliveries(await look(), filter),
    delivery: async (id) => delivery(await look(), id),
    linkedMessage: async (id) => linkedMessage(await look(), id),
    silences: async () => silences(await look()),
    silence: async (id) => silence(await look(), id),
    previewSilence: async (matchers) => previewSilence(await look(), matchers),
    explorers: async () => explorers(await look()),
    rules: async (filter) => rules(await look(), filter),
    ruleFile: async (file) => ruleFile((await look()).runtime, file),
    about: async () => about(await look()),
    watch: async (name) => watch(await look(), name),
    alerts: async (filter) => alerts(await look(), filter),
    alert: async (of) => alert(await look(), of),
  };
}
