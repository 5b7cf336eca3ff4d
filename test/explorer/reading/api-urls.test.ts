import { expect, test } from '@jest/globals';
import type { MissReason } from '../../../src/core/model/observation.ts';
import { Missed } from '../../../src/core/model/watch/question.ts';
import { createApiUrls } from '../../../src/explorer/reading/api-urls.ts';

/** Sends to addresses that refuse for a reason, or answer; tells which were asked. */
function sender(reasonByUrl: Readonly<Record<string, MissReason | null>>) {
  const asked: string[] = [];
  const send = async (url: string): Promise<string> => {
    asked.push(url);
    const reason = reasonByUrl[url] ?? null;
    if (reason !== null) throw new Missed(reason, `${url} refused`);
    return url;
  };
  return { asked, send };
}

test('the first address that answers is asked from then on', async () => {
  const urls = createApiUrls(['a', 'b']);
  const { asked, send } = sender({ a: 'wrong-path' });
  expect(await urls.request(send)).toBe('b');
  expect(await urls.request(send)).toBe('b');
  expect(asked).toEqual(['a', 'b', 'b']);
});

test('an address that refuses later is left, and all are tried again', async () => {
  const urls = createApiUrls(['a', 'b']);
  await urls.request(sender({}).send);
  await expect(urls.request(sender({ a: 'forbidden' }).send)).rejects.toThrow('a refused');
  expect(await urls.request(sender({ a: 'forbidden' }).send)).toBe('b');
});

test('an outage moves to no other address, and a refused question does not after an answer', async () => {
  const urls = createApiUrls(['a', 'b']);
  const { asked, send } = sender({ a: 'timeout' });
  await expect(urls.request(send)).rejects.toThrow('a refused');
  expect(asked).toEqual(['a']);
  expect(await urls.request(sender({ a: 'unprocessable' }).send)).toBe('b');
  await expect(urls.request(sender({ b: 'unprocessable' }).send)).rejects.toThrow('b refused');
  expect(await urls.request(sender({}).send)).toBe('b');
});

test('without an address the question is missed', async () => {
  await expect(createApiUrls([]).request(sender({}).send)).rejects.toThrow('no address for this question');
});
