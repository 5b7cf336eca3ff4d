import { z } from 'zod';
import type { AnyNotifier, Notifier } from '../../../src/notifiers/notifier.ts';

const Post = z.strictObject({
  url: z.string().regex(/^https?:/, 'must be an http address'),
  secret: z.string().optional(),
});
const List = z.object({ to: z.array(z.string()), port: z.string().optional() });

/** One receiver. */
const post: Notifier<z.output<typeof Post>> = {
  type: 'post',
  summary: 'One receiver.',
  unit: 'alert',
  idempotent: true,
  readBy: 'machines',
  config: Post,
  secrets: ['url', 'secret'],
  giveUpAfterMs: 1000,
  recipients: (_to, channel) => [channel],
  warnings: ({ secret }) => (secret === undefined ? ['unsigned: no secret'] : []),
  open: () => {
    throw new Error('not in these tests');
  },
};

/** One receiver for each that is listed. */
const list: Notifier<z.output<typeof List>> = {
  type: 'list',
  summary: 'Several receivers.',
  unit: 'group',
  idempotent: false,
  readBy: 'people',
  config: List,
  secrets: [],
  giveUpAfterMs: 1000,
  recipients: ({ to }) => to,
  warnings: () => [],
  open: () => {
    throw new Error('not in these tests');
  },
};

export const testNotifiers: readonly AnyNotifier[] = [post, list];
