// Makes and drops the databases of stories, while the thread of the story waits.
import { randomUUID } from 'node:crypto';
import { workerData, type MessagePort } from 'node:worker_threads';
import { execute } from './postgres-server.ts';
import { TEMPLATE, type Request } from './story-state.ts';

const { server, port, answered } = workerData as { server: string; port: MessagePort; answered: Int32Array };

port.on('message', (request: Request) => {
  if (request.type === 'drop') void execute(server, `DROP DATABASE "${nameIn(request.url)}" WITH (FORCE)`);
  else void create();
});

async function create(): Promise<void> {
  const name = `story-${randomUUID()}`;
  await execute(server, `CREATE DATABASE "${name}" TEMPLATE ${TEMPLATE}`);
  const url = new URL(server);
  url.pathname = name;
  port.postMessage(url.href);
  Atomics.store(answered, 0, 1);
  Atomics.notify(answered, 0);
}

function nameIn(url: string): string {
  return new URL(url).pathname.slice(1);
}
