import { showInstant } from '../../lib/clock.ts';
import { plain } from '../../lib/untrusted.ts';
import type { Delivery, Message } from '../../core/model/delivery.ts';
import { toPlain } from './facts.ts';
import { linesOf, ours, pagesOf } from './wording.ts';

/**
 * The JSON of one alert, as webhooks carry it and `format: json` prints it; always one alert. Amounts are decimal text
 * in whole units, unknown fields are left out. The same delivery gives the same bytes every time.
 */
export function toBody({ id, message }: Delivery): string {
  return JSON.stringify({
    type: message.type,
    timestamp: showInstant(message.at),
    data: {
      id,
      key: message.key,
      episode: message.episode,
      seq: message.seq,
      watch: ours(message.watch),
      alert: ours(message.alert),
      kind: message.kind,
      severity: message.severity,
      explorer: ours(message.explorer),
      chain_id: message.chainId === null ? null : ours(message.chainId),
      of: ofIn(message),
      token: tokenIn(message),
      title: ours(message.title),
      text: linesOf(message).join('\n'),
      condition: ours(message.condition),
      rule: ours(message.rule),
      observed_at: showInstant(message.observedAt),
      since: showInstant(message.since),
      resolved_at: message.resolvedAt === null ? null : showInstant(message.resolvedAt),
      reason: message.reason === null ? null : ours(message.reason),
      late: message.late,
      fields: toPlain(message.fields),
      before: Object.keys(message.before).length === 0 ? null : toPlain(message.before),
      links: pagesOf(message),
      ...(message.summary === null ? {} : { summary: message.summary }),
    },
  });
}

function ofIn({ of }: Message) {
  return of === null ? null : { name: of.name === null ? null : ours(of.name), address: ours(of.address) };
}

function tokenIn({ token }: Message) {
  if (token === null) return null;
  const symbol = token.symbol === null ? null : plain(token.symbol);
  return { address: ours(token.address), symbol, decimals: token.decimals };
}
