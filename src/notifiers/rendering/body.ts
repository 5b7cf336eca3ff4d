import { showInstant } from '../../lib/clock.ts';
import { plain } from '../../lib/untrusted.ts';
import type { Delivery, Message } from '../../core/model/delivery.ts';
import { linesOf, type OwnLinks } from './alert-content.ts';
import { toPlain } from './facts.ts';
import { memberSubject } from './member.ts';
import { asOne, messageOf } from './one.ts';
import { pagesOf, runbookOf } from '../../core/wording/words.ts';
import { ours, textOf } from './wording.ts';

/**
 * The JSON of one alert, as webhooks carry it and `format: json` prints it; for several alerts, an `alert.summary`.
 * Amounts are decimal text in whole units, unknown fields are left out. The same delivery gives the same bytes every
 * time.
 */
export function toBody(delivery: Delivery, links: OwnLinks = {}): string {
  return JSON.stringify(bodyOf(delivery, links));
}

type Body = ReturnType<typeof bodyOf>;

/** Every field of a body by its bare name, with the fields inside it; `any` if they differ from alert to alert. */
export const BODY_FIELDS: Readonly<
  Record<Exclude<keyof Body, 'data'> | keyof Body['data'], readonly string[] | 'any' | 'one value'>
> = {
  type: 'one value',
  timestamp: 'one value',
  id: 'one value',
  key: 'one value',
  episode: 'one value',
  seq: 'one value',
  watch: 'one value',
  alert: 'one value',
  kind: 'one value',
  severity: 'one value',
  explorer: 'one value',
  chain_id: 'one value',
  of: ['name', 'address'],
  token: ['address', 'symbol', 'decimals'],
  subject: 'one value',
  title: 'one value',
  lines: 'any',
  text: 'one value',
  condition: 'one value',
  rule: 'one value',
  observed_at: 'one value',
  since: 'one value',
  fired_at: 'one value',
  resolved_at: 'one value',
  reason: 'one value',
  late: 'one value',
  claim: 'one value',
  fields: 'any',
  before: 'any',
  page: 'one value',
  links: 'any',
  runbook: 'one value',
  summary: ['of', 'count', 'keys'],
};

/** The body of `toBody` as an object. */
export function bodyOf(delivery: Delivery, { pageOf }: OwnLinks = {}) {
  const { id, at } = delivery;
  const [member, message] = [asOne(delivery), messageOf(delivery)];
  const runbook = runbookOf(message);
  return {
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
      subject: memberSubject(member, at),
      title: ours(message.title),
      lines: linesOf(member, at).map(({ text }) => text),
      text: textOf(message).join('\n'),
      condition: ours(message.condition),
      rule: ours(message.rule),
      observed_at: showInstant(message.observedAt),
      since: showInstant(message.since),
      fired_at: message.firedAt === null ? null : showInstant(message.firedAt),
      resolved_at: message.resolvedAt === null ? null : showInstant(message.resolvedAt),
      reason: message.reason === null ? null : ours(message.reason),
      late: message.late,
      ...(message.isClaim === true ? { claim: true } : {}),
      fields: toPlain(message.fields),
      before: Object.keys(message.before).length === 0 ? null : toPlain(message.before),
      page: pageOf?.(message) ?? null,
      links: [...(runbook === null ? [] : [runbook]), ...pagesOf(message)],
      runbook,
      ...(message.summary === null ? {} : { summary: message.summary }),
    },
  };
}

function ofIn({ of }: Message) {
  return of === null ? null : { name: of.name === null ? null : ours(of.name), address: ours(of.address) };
}

function tokenIn({ token }: Message) {
  if (token === null) return null;
  const symbol = token.symbol === null ? null : plain(token.symbol);
  return { address: ours(token.address), symbol, decimals: token.decimals };
}
