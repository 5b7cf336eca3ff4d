// The words of `check` about the events of a watch, and about how they are asked for.
import { eventOf } from '../../core/events/catalogue.ts';
import type { Target } from '../../core/model/watch/target.ts';
import { shortHex } from '../../core/values/address.ts';
import { canonicalSignature, eventTopicOf } from '../../lib/abi/signature.ts';
import { rpcQuestions, type LogWatchOptions } from './questions.ts';
import { askedTopics, topicLists } from './where.ts';

const OF_ANY = 'of any contract, at most 1,000 blocks a request';
const LISTED = 'addresses/{address}/logs, 30 credits a page';

/** `reads Paused(address) 0x62e7…a258; …`: each event once, whatever its layouts index. */
export function describeEvents(options: LogWatchOptions, target: Target<LogWatchOptions>): string {
  const words = options.events.map(({ name, signature: text }) => {
    const signature = eventOf(text);
    const own = name === signature.name ? '' : `${name}: `;
    if (signature.topic !== undefined) return `${own}${shortHex(signature.topic)} (not decoded: only topics and data)`;
    return `${own}${canonicalSignature(signature)} ${shortHex(eventTopicOf(signature))}`;
  });
  const refused = otherWays(target);
  const ways = [
    ...(target.address === null ? [OF_ANY] : []),
    ...(refused.length === 0 ? [] : [`where the explorer refuses this, ${refused.join(', and then ')}`]),
  ];
  return `reads ${[...new Set(words)].join(', ')}${askedWords(target)}; ${ways.join('; ')}`;
}

function askedWords(target: Target<LogWatchOptions>): string {
  const { address, options, rpc } = target;
  const byRpc = rpcQuestions(target);
  if (byRpc !== null) return `, ${questionsIn(byRpc.all === null ? byRpc.each.length : 1)} a poll by eth_getLogs`;
  if (options.where === undefined) return '';
  const saving = rpc === true || address === null ? null : topicLists(options);
  const hint = saving === null ? '' : ` (${saving.length} with rpc: true at the explorer)`;
  return `, ${questionsIn(askedTopics(options).length)} a poll${hint}`;
}

function otherWays(target: Target<LogWatchOptions>): readonly string[] {
  const { address, options } = target;
  const count = options.where === undefined ? 1 : askedTopics(options).length;
  const byApi = rpcQuestions(target) === null ? [] : [`${questionsIn(count)} to api?module=logs`];
  return address === null ? [] : [...byApi, LISTED];
}

function questionsIn(count: number): string {
  return `${count} ${count === 1 ? 'question' : 'questions'}`;
}
