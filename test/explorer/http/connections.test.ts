import tls from 'node:tls';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { tokenDetails } from '../../../src/explorer/operations.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { certificate } from '../../support/certificate.ts';
import { addressOf, openExplorer } from '../support/open.ts';
import { sendJson, startServer } from '../support/server.ts';
import { aBudget } from '../../support/spending.ts';

const trusted = tls.getCACertificates('default');

beforeAll(() => {
  tls.setDefaultCACertificates([...trusted, certificate]);
});

afterAll(() => {
  tls.setDefaultCACertificates(trusted);
});

const tokens = ['a1', 'a2', 'a3'].map((end) => `0x${end.padStart(40, '0')}`);

test.each(['http', 'https'] as const)(
  'over %s, answers that arrive in many pieces, several at a time, are each read whole, and connections are kept',
  async (scheme) => {
    await using server = await startServer(({ path }, response) => {
      const token = path.split('/').at(-1) ?? '';
      // The name stands behind more bytes than one read brings, other ones for each token.
      sendJson(response, { padding: token.repeat(5000), name: `the token ${token}` });
    }, scheme);
    const budget = aBudget({ clock: systemClock, requestsPerSecond: null, concurrency: tokens.length });
    await using opened = openExplorer(server.url, { budget });
    const readAll = (): Promise<unknown[]> => {
      const reader = opened.explorer.tickReader();
      const nameOf = async (token: string): Promise<unknown> =>
        (await reader.one(tokenDetails('ethereum', addressOf(token)))).name;
      return Promise.all(tokens.map(nameOf));
    };
    const names = tokens.map((token) => `the token ${token}`);
    for (let round = 0; round < 3; round += 1) expect(await readAll()).toEqual(names);
    expect(server.requests).toHaveLength(3 * tokens.length);
    expect(server.connections).toBe(tokens.length);
  },
);
