import { expect, test } from '@jest/globals';
import { serveTestPages } from '../support/pages.ts';
import { createInbox } from '../support/sinks.ts';
import { someQueries } from '../support/web.ts';

test('pages that are kept current are counted, and those that were closed are not any more', async () => {
  const counted = createInbox<number>();
  const web = await serveTestPages({
    isOpen: true,
    queries: someQueries({ edition: async () => 'first' }),
    onStreams: (open) => {
      counted.push(open);
    },
  });
  const closing = new AbortController();
  const answer = await fetch(`${web.url}/events`, { signal: closing.signal });
  expect(answer.headers.get('content-type')).toMatch(/^text\/event-stream/);
  await counted.reached(2);
  closing.abort();
  await counted.reached(3);
  expect(counted.all).toEqual([0, 1, 0]);
  await web.close();
});
