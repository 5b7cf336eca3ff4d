import type { Problem } from '../problem.ts';
import type { Source } from '../yaml/yaml.ts';

/** The address to listen on: the environment wins over the config. */
export function readListen(
  source: Source,
  override: string | undefined,
  written: string,
): { value: { host: string; port: number } | null; problems: readonly Problem[] } {
  const isOverride = override !== undefined && override !== '';
  const text = isOverride ? override : written;
  const match = /^(\[[0-9A-Fa-f:.]+\]|[^\s:[\]]*):(\d{1,5})$/.exec(text);
  const port = Number(match?.[2]);
  if (match !== null && port <= 65_535) {
    const host = (match[1] ?? '').replace(/^\[|\]$/g, '');
    return { value: { host: host === '' ? '0.0.0.0' : host, port }, problems: [] };
  }
  const message = `${isOverride ? 'CHAINWARDEN_LISTEN: ' : ''}"${text.slice(0, 60)}" is not host:port, such as 127.0.0.1:9797`;
  return { value: null, problems: [source.problem(isOverride ? [] : ['http', 'listen'], { message })] };
}
