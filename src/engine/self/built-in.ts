// Code that all built-in watches share. They send no requests: the daemon gives its findings to `step` as observations.
import { z } from 'zod';
import { BUILT_IN, BUILT_IN_RULE, type WatchId } from '../../core/model/ids.ts';
import type { Kind } from '../../core/model/watch/kind.ts';
import { Missed } from '../../core/model/watch/question.ts';
import type { Segment, Template } from '../../core/model/watch/condition.ts';
import type { AlertRule, Watch } from '../../core/model/watch/watch.ts';
import { plainWording } from '../../core/wording/values.ts';
import type { AnyRecord } from '../../core/values/fields.ts';

/** A built-in watch always observes the same thing, so its checksum is constant. */
const CHECKSUM = 'v1';
const ASKS_NOBODY = 'the built-in watch asks nobody';

interface Parts<S, O> extends Pick<Kind<unknown, S, O>, 'events' | 'while' | 'state' | 'shown' | 'detect'> {
  readonly fields: AnyRecord;
  /** The result of a poll without findings. */
  readonly nothing: O;
}

export function builtInKind<S, O>({ fields, nothing, ...parts }: Parts<S, O>): Kind<unknown, S, O> {
  return {
    ...parts,
    name: BUILT_IN_RULE,
    summary: 'The daemon itself: whether it polls, stores and sends.',
    noun: 'daemon',
    fields,
    of: 'none',
    token: 'none',
    options: z.object({}),
    comparedByDefault: [],
    fleeting: [],
    wording: plainWording({ noun: 'cause', thing: () => 'the daemon' }),
    question: () => {
      throw new Missed('no-explorer', ASKS_NOBODY);
    },
    head: () => null,
    page: () => null,
    observe: () => Promise.reject(new Missed('no-explorer', ASKS_NOBODY)),
    history: null,
    examples: {},
    rowsOf: () => ({ rows: [] }),
    sourceOf: () => null,
    script: { rows: null, record: fields, synthesize: () => nothing },
  };
}

interface Given {
  readonly id: WatchId;
  readonly kind: Watch['kind'];
  /** The explorer of the cause; null: none. */
  readonly explorer: string | null;
  readonly intervalMs: number;
  /** The zone of the times in messages. */
  readonly zone: string;
  readonly alert: AlertRule;
}

export function builtInWatch({ id, kind, explorer, intervalMs, zone, alert }: Given): Watch {
  return {
    id,
    name: BUILT_IN_RULE,
    rule: BUILT_IN_RULE,
    source: BUILT_IN,
    kind,
    target: {
      explorer: explorer ?? BUILT_IN_RULE,
      coin: { symbol: '', decimals: 0 },
      address: null,
      token: null,
      maxPages: 1,
      options: null,
    },
    of: null,
    token: null,
    nameOf: () => null,
    lookAlikeOf: () => null,
    chainId: null,
    place: null,
    pageUrl: null,
    schedule: { type: 'every', intervalMs },
    zone,
    blindAfterMs: intervalMs,
    alerts: [alert],
    tracked: [],
    judged: [],
    readFields: [],
    senders: [],
    windows: [],
    sampled: [],
    checksum: CHECKSUM,
    exported: false,
  };
}

/** A template that always renders these segments. No rule has it. */
export function says(segments: readonly Segment[]): Template {
  return { written: '', reads: [], windows: [], render: () => segments };
}
