// Each of these answers reaches every channel over a real connection. An error that nobody listens for would fail the
// test that runs, as it would have ended the daemon.
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { createOddServer, ODD_ANSWERS, type OddAnswer } from '../support/odd-answers.ts';
import { aDelivery, aTry, never, someTools } from './samples.ts';
import { SERVICES, type Service } from './services.ts';

// Nothing but an endless answer waits for it.
const TOTAL_MS = { endless: 4000, other: 30_000 };

test.each(ODD_ANSWERS)('a receiver that answers with $name: $webhook', async (odd) => {
  const ends = await Promise.all(SERVICES.map((service) => endOf(service, odd)));
  expect(ends).toEqual(SERVICES.map((service) => [service.name, expectedOf(service, odd)]));
});

// Where the service says in words whether it took the message, a good status with other words proves nothing.
function expectedOf({ saysWhether }: Service, { webhook }: OddAnswer): OddAnswer['webhook'] {
  return saysWhether && webhook === 'sent' ? 'unknown' : webhook;
}

async function endOf(service: Service, odd: OddAnswer): Promise<[string, OddAnswer['webhook']]> {
  await using server = await createOddServer(() => odd);
  await using sender = service.open(server.origin, someTools(), odd.isEndless ? TOTAL_MS.endless : TOTAL_MS.other);
  const { type } = await sender.send(aDelivery(), aTry(), never);
  // What comes after the outcome counts as well.
  await server.whenGone(1);
  await turn();
  return [service.name, type];
}
