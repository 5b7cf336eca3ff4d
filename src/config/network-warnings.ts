// Warnings about explorers that would get secret headers without encryption, or that have a link-local address.
import { bareHost, isLinkLocal, isLoopback } from '../lib/network.ts';
import type { ExplorerSettings } from './model.ts';
import type { Problem } from './problem.ts';
import { isPublicHeader } from './values/secrets.ts';
import type { Source } from './yaml/yaml.ts';

export function networkWarnings(source: Source, explorers: Iterable<ExplorerSettings>): Problem[] {
  return [...explorers].flatMap((explorer) =>
    messagesOf(explorer).map((message) => source.problem(['explorers'], { key: explorer.name, message })),
  );
}

function messagesOf(explorer: ExplorerSettings): string[] {
  if (explorer.form === 'sandbox') return [];
  const { protocol, hostname } = new URL(explorer.form === 'instance' ? explorer.instanceUrl : explorer.baseUrl);
  const host = bareHost(hostname);
  const secretHeaders = Object.keys(explorer.headers).filter((name) => !isPublicHeader(name));
  const isPlain = protocol === 'http:' && !isLoopback(host);
  return [
    ...(isPlain && secretHeaders.length > 0
      ? [`${secretHeaders.join(', ')} would cross the network without encryption: use https:`]
      : []),
    ...(isLinkLocal(host) ? [`${host} is a link-local address, where machines keep what only they should read`] : []),
  ];
}
