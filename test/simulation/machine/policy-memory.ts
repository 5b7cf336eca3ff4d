// What operators have decided, as the store said it last. Its upkeep asks for it every ten seconds of virtual time, and
// little changes it: it is asked for again after a write that may have.
import type { Announceable, StoredPolicy } from '../../../src/store/contract/operators.ts';
import type { Store } from '../../../src/store/contract/store.ts';
import type { Instant } from '../model.ts';

export interface PolicyMemory extends Pick<Store, 'policy' | 'announceable'> {
  /** A write that may change it. */
  readonly changing: <T>(work: () => Promise<T>) => Promise<T>;
}

interface Known<T> {
  readonly at: Instant;
  readonly said: T;
}

export function createPolicyMemory(inner: Pick<Store, 'policy' | 'announceable'>): PolicyMemory {
  let policy: Known<StoredPolicy> | null = null;
  let announceable: Known<Announceable[]> | null = null;
  let changes = 0;

  function forget(): void {
    changes += 1;
    policy = null;
    announceable = null;
  }

  return {
    async changing(work) {
      forget();
      try {
        return await work();
      } finally {
        forget();
      }
    },
    async policy(at) {
      if (policy !== null && policy.at <= at) return lastingAt(policy.said, at);
      const before = changes;
      const said = await inner.policy(at);
      if (before === changes) policy = { at, said };
      return said;
    },
    async announceable(at) {
      if (announceable !== null && announceable.at <= at)
        return announceable.said.filter((one) => isAnnounceable(one, at));
      const before = changes;
      const said = await inner.announceable(at);
      if (before === changes) announceable = { at, said };
      return said;
    },
  };
}

function lastingAt(policy: StoredPolicy, at: Instant): StoredPolicy {
  const isLasting = ({ until }: { readonly until: Instant }): boolean => until > at;
  return { ...policy, silences: policy.silences.filter(isLasting), acks: policy.acks.filter(isLasting) };
}

/** It is not over, or nobody was told of its end. */
function isAnnounceable({ silence: { until }, announcedAt }: Announceable, at: Instant): boolean {
  return until > at || announcedAt < until;
}
