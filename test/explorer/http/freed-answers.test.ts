// What an answer was read from is given back as soon as nobody looks at it any more, and never before.
import { expect, describe, test } from '@jest/globals';
import type { HttpAnswer } from '../../../src/explorer/http/exchange.ts';
import type { HttpTransport } from '../../../src/explorer/http/http-transport.ts';
import { freeOwnMemory } from '../../../src/explorer/http/body.ts';
import { blockRows, openExplorer, someBlocks } from '../support/open.ts';
import { sendJson, startServer } from '../support/server.ts';

/** Large enough to be known by its digest only. Not the first page, whose rows say where the head is. */
const PAGE = { items: blockRows(100, 50), next_page_params: null };
const CURSOR = { block_number: '101' };

interface Answering {
  readonly transport: HttpTransport;
  /** For each answer, how often its memory was given back. */
  readonly freed: number[];
  /** From now on answers wait; the function lets them go. */
  readonly hold: () => () => void;
}

function answering(): Answering {
  const freed: number[] = [];
  let held = Promise.resolve();
  const transport = {
    async send(): Promise<HttpAnswer> {
      await held;
      const wire = [Buffer.from(JSON.stringify(PAGE))];
      const index = freed.push(0) - 1;
      const free = (): void => {
        freed[index] = (freed[index] ?? 0) + 1;
        freeOwnMemory(wire);
      };
      return { status: 200, headers: {}, wire, free };
    },
    close: () => undefined,
  };
  return {
    transport,
    freed,
    hold() {
      const { promise, resolve } = Promise.withResolvers<undefined>();
      held = promise.then(() => undefined);
      return () => {
        resolve(undefined);
      };
    },
  };
}

/** The promises of a tick that has ended. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the memory of an answer is given back', () => {
  test('at once where it is new; at the end of its tick where it came before', async () => {
    const { transport, freed } = answering();
    await using opened = openExplorer('https://explorer.example/1', { transport });
    const first = opened.explorer.tickReader();
    const { rows } = await first.page(someBlocks, CURSOR);
    expect(freed).toEqual([1]);
    expect(rows).toHaveLength(50);

    const second = opened.explorer.tickReader();
    const again = await second.page(someBlocks, CURSOR);
    expect(freed).toEqual([1, 0]);
    expect(again.rows[0]?.height).toBe(100n);
    second.end?.();
    await settled();
    expect(freed).toEqual([1, 1]);
    expect(again.rows).toHaveLength(50);
  });

  test('and who looks at its rows only then is told so, and not shown an empty list', async () => {
    const { transport } = answering();
    await using opened = openExplorer('https://explorer.example/1', { transport });
    await opened.explorer.tickReader().page(someBlocks, CURSOR);
    const tick = opened.explorer.tickReader();
    const page = await tick.page(someBlocks, CURSOR);
    tick.end?.();
    await settled();
    expect(() => page.rows).toThrow('explorer.example/api/v2/blocks: a page is looked at after its tick has ended');
    expect(() => page.next).toThrow('after its tick has ended');
  });

  test('after the last of the ticks that share it', async () => {
    const { transport, freed, hold } = answering();
    await using opened = openExplorer('https://explorer.example/1', { transport });
    await opened.explorer.tickReader().page(someBlocks, CURSOR);
    const release = hold();
    const [early, late] = [opened.explorer.tickReader(), opened.explorer.tickReader()];
    const asked = [early.page(someBlocks, CURSOR), late.page(someBlocks, CURSOR)];
    early.end?.();
    release();
    const [one, other] = await Promise.all(asked);
    expect(other).toBe(one);
    await settled();
    expect(freed).toEqual([1, 0]);
    expect(other?.rows).toHaveLength(50);
    late.end?.();
    await settled();
    expect(freed).toEqual([1, 1]);
  });

  test('not before a tick that joined the request after another one had ended', async () => {
    const { transport, freed, hold } = answering();
    await using opened = openExplorer('https://explorer.example/1', { transport });
    await opened.explorer.tickReader().page(someBlocks, CURSOR);
    const release = hold();
    const [early, late] = [opened.explorer.tickReader(), opened.explorer.tickReader()];
    const first = early.page(someBlocks, CURSOR);
    await settled();
    early.end?.();
    early.end?.();
    const second = late.page(someBlocks, CURSOR);
    release();
    await first;
    expect((await second).rows).toHaveLength(50);
    late.end?.();
    await settled();
    expect(freed).toEqual([1, 1]);
  });

  test('not where a recording is made of it: that has the body as it came', async () => {
    const { transport, freed } = answering();
    const recorded: Buffer[] = [];
    await using opened = openExplorer('https://explorer.example/1', {
      transport,
      onAnswer: (_answer, body) => recorded.push(body),
    });
    await opened.explorer.tickReader().page(someBlocks, CURSOR);
    await opened.explorer.tickReader().page(someBlocks, CURSOR);
    expect(recorded.map((body) => body.toString())).toEqual([JSON.stringify(PAGE), JSON.stringify(PAGE)]);
    expect(freed).toEqual([1, 1]);
  });
});

test('a refusal is given back too', async () => {
  const { transport, freed } = answering();
  const refusing: HttpTransport = {
    ...transport,
    send: async (...args) => ({ ...(await transport.send(...args)), status: 404 }),
  };
  await using opened = openExplorer('https://explorer.example/1', { transport: refusing });
  await expect(opened.explorer.tickReader().page(someBlocks, CURSOR)).rejects.toThrow('404');
  expect(freed).toEqual([1]);
});

test('what comes over a real connection has memory of its own', async () => {
  await using server = await startServer((_request, response) => {
    sendJson(response, PAGE);
  });
  const bytes = Buffer.byteLength(JSON.stringify(PAGE));
  const [before, polls] = [process.memoryUsage().arrayBuffers, 200];
  await using opened = openExplorer(server.url);
  for (let poll = 0; poll < polls; poll += 1) {
    const tick = opened.explorer.tickReader();
    await tick.page(someBlocks, CURSOR);
    tick.end?.();
  }
  // Without it, all of them would wait for a collection, of which there is none as long as so little is made.
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan((polls * bytes) / 2);
});

test('a part of a larger piece of memory stays as it is', () => {
  const whole = new Uint8Array(16).fill(7);
  const own = new Uint8Array(8).fill(7);
  freeOwnMemory([whole.subarray(0, 8), own]);
  expect([...whole]).toEqual(new Array(16).fill(7));
  expect(own).toHaveLength(0);
});
