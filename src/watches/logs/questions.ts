// The questions for the logs of a watch, in each way in which they can be asked.
import { Address } from '../../core/values/address.ts';
import type { ListQuestion, Question } from '../../core/model/watch/question.ts';
import type { Target } from '../../core/model/watch/target.ts';
import { remembered } from '../../lib/remembered.ts';
import { addressLogs, blocks, contractLogs, rpcLogs, topicLogs } from '../../explorer/operations.ts';
import type { Log } from '../../explorer/reading/resources/log.ts';
import { sharedTopic } from './listed.ts';
import { topicsOf } from './option.ts';
import { askedTopics, topicLists, type EventOptions } from './where.ts';

type LogQuestion = ListQuestion<typeof Log.fields>;

export interface LogWatchOptions extends EventOptions {
  /** Set if an alert reads the time of an event, which `eth_getLogs` does not show. */
  readonly readsTime?: true;
}

export interface LogQuestions {
  /** About all rows that are asked for; null if `each` are the only ones. */
  readonly all: LogQuestion | null;
  /** One for each event, and with `where` for the values that one question has. */
  readonly each: readonly LogQuestion[];
  /** Anybody can emit the events of a watch without `of`, but not as these contracts. */
  readonly named: readonly LogQuestion[];
}

/**
 * By the Etherscan-style API: one event is asked for by its topic; of several events, all of the contract are read and
 * filtered here. Made once for each watch, since a poll needs them three times.
 */
export const apiQuestions = remembered((target: Target<LogWatchOptions>): LogQuestions => {
  const { explorer, address, options } = target;
  const asked = askedTopics(options);
  if (address === null) {
    const each = asked.map((topics) => topicLogs(explorer, topics));
    return { all: null, each, named: namedBy(target, asked) };
  }
  const each = asked.map((topics) => contractLogs(explorer, address, topics));
  const others = options.where === undefined ? contractLogs(explorer, address, []) : null;
  return { all: each.length === 1 ? (each[0] ?? null) : others, each, named: [] };
});

/**
 * By `eth_getLogs`, if its lists of topics save questions; null if they do not, or if it must not be asked. It is not asked
 * about all contracts: in a flood the times of its rows would take too many requests.
 */
export const rpcQuestions = remembered((target: Target<LogWatchOptions>): LogQuestions | null => {
  const { explorer, address, options, rpc } = target;
  if (rpc !== true || address === null || options.readsTime === true) return null;
  const events = topicsOf(options);
  if (options.where === undefined && events.length > 1) {
    const each = events.map((topic) => rpcLogs(explorer, address, [topic]));
    return { all: rpcLogs(explorer, address, [events]), each, named: [] };
  }
  const lists = topicLists(options);
  if (lists === null) return null;
  const each = lists.map((topics) => rpcLogs(explorer, address, topics));
  return { all: each.length === 1 ? (each[0] ?? null) : null, each, named: [] };
});

/** The questions that come first. */
export function firstQuestions(target: Target<LogWatchOptions>): LogQuestions {
  return rpcQuestions(target) ?? apiQuestions(target);
}

export function questionOf(target: Target<LogWatchOptions>): LogQuestion {
  const { all, each } = firstQuestions(target);
  return all ?? each[0] ?? listOf(target);
}

/** The questions of a quiet poll. */
export function quietQuestions({ explorer, address }: Target, { all, each }: LogQuestions): readonly Question[] {
  if (address === null) return [...each, blocks(explorer)];
  return all === null ? each : [all];
}

/** The questions of a poll in each other way, and of one by `eth_getLogs` with news, which needs the times of blocks. */
export function otherQuestions(target: Target<LogWatchOptions>): readonly (readonly Question[])[] {
  const { explorer, address } = target;
  const byRpc = rpcQuestions(target);
  const withNews = byRpc === null ? [] : [[...quietQuestions(target, byRpc), blocks(explorer)]];
  const byApi = byRpc === null ? [] : [quietQuestions(target, apiQuestions(target))];
  return [...withNews, ...byApi, ...(address === null ? [] : [[listOf(target)]])];
}

export function listOf({ explorer, address, options }: Target<LogWatchOptions>): LogQuestion {
  if (address === null) throw new TypeError('logs needs an address');
  return addressLogs(explorer, address, sharedTopic(options));
}

function namedBy({ explorer, namedContracts }: Target, asked: ReturnType<typeof askedTopics>): readonly LogQuestion[] {
  const contracts = [...(namedContracts ?? [])].flatMap((key) => Address.parse(key) ?? []);
  return contracts.flatMap((contract) =>
    asked.map((topics) => ({ ...contractLogs(explorer, contract, topics), openTo: 'named' as const })),
  );
}
