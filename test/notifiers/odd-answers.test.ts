// Each of these answers reaches a webhook over a real connection. An error that nobody listens for would fail the test
// that runs, as it would have ended the daemon.
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { webhookWith } from '../../src/notifiers/webhook.ts';
import { createOddServer, ODD_ANSWERS } from '../support/odd-answers.ts';
import { aDelivery, never, someTools } from './samples.ts';

// Nothing but an endless answer waits for it.
const TOTAL_MS = { endless: 1000, other: 30_000 };

test.each(ODD_ANSWERS)('a receiver that answers with $name: $webhook', async (odd) => {
  await using server = await createOddServer(() => odd);
  const { origin } = server;
  const notifier = webhookWith({ totalMs: odd.isEndless ? TOTAL_MS.endless : TOTAL_MS.other });
  await using sender = notifier.open({ url: origin }, someTools());
  expect(await sender.send(aDelivery(), 1, never)).toMatchObject({ type: odd.webhook });
  // What comes after the outcome counts as well.
  await server.whenGone(1);
  await turn();
});
