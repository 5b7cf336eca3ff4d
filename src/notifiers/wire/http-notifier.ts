// The common part of all channels that post over HTTP. A channel defines its posts and how it reads answers.
import type { Notifier, NotifierTools, OpenNotifier, SendingPace } from '../notifier.ts';
import { createPoster, type Poster } from './post-json.ts';

const GIVE_UP_AFTER_MS = 3 * 24 * 3_600_000;

interface HttpChannel<D> extends Pick<
  Notifier<D>,
  'type' | 'summary' | 'unit' | 'idempotent' | 'readBy' | 'config' | 'secrets' | 'warnings'
> {
  /** The limit of one attempt, from the first packet to the last byte of the answer. */
  readonly totalMs: number;
  /** The option of `createPoster` with the same name. */
  readonly mostAnswerBytes?: number | undefined;
  readonly pace?: SendingPace;
  /** Texts that no outcome may show: the channel's secrets, and parts of them that a server may quote alone. */
  secretsIn(to: D): readonly string[];
  senderOf(to: D, poster: Poster, tools: NotifierTools): OpenNotifier['send'];
  readonly acknowledgerOf?: (to: D, poster: Poster) => NonNullable<OpenNotifier['acknowledge']>;
}

/** A channel with one receiver, which gets every alert in a POST. */
export function httpNotifier<D extends { readonly allow: readonly string[] }>(channel: HttpChannel<D>): Notifier<D> {
  const { type, summary, unit, idempotent, readBy, config, secrets, totalMs, mostAnswerBytes } = channel;
  return {
    type,
    summary,
    unit,
    idempotent,
    readBy,
    config,
    secrets,
    pace: channel.pace,
    giveUpAfterMs: GIVE_UP_AFTER_MS,
    recipients: (_to, name) => [name],
    warnings: channel.warnings,
    open(to, tools) {
      const poster = createPoster({ tools, totalMs, allow: to.allow, secrets: channel.secretsIn(to), mostAnswerBytes });
      return {
        send: channel.senderOf(to, poster, tools),
        ...(channel.acknowledgerOf && { acknowledge: channel.acknowledgerOf(to, poster) }),
        [Symbol.asyncDispose]: () => poster[Symbol.asyncDispose](),
      };
    },
  };
}
