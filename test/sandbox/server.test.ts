import { Server } from 'node:net';
import { expect, jest, test } from '@jest/globals';
import { runSandbox } from './support.ts';

test('a connection that cannot be accepted, for want of file descriptors, does not end the daemon around it', async () => {
  const listen = jest.spyOn(Server.prototype, 'listen');
  await using running = await runSandbox();
  const [server] = listen.mock.contexts as Server[];
  listen.mockRestore();
  expect(server?.emit('error', new Error('accept EMFILE'))).toBe(true);
  expect((await running.get('blocks')).status).toBe(200);
});
