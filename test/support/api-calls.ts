// Calls of the API as a client makes them.
import type { RunningApp } from './app.ts';

export const OPERATOR_TOKEN = 'alice-token-alice-token-alice-token';

export interface Call {
  readonly path: string;
  readonly body?: object;
  readonly key?: string;
  readonly token?: string;
}

export interface ApiAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

export async function callApi(
  { app }: { readonly app: Pick<RunningApp['app'], 'url'> },
  { path, body = {}, key = 'k', token = OPERATOR_TOKEN }: Call,
): Promise<ApiAnswer> {
  const answer = await fetch(`${app.url}/api/v1${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'x-chainwarden-request': '1',
      'idempotency-key': key,
    },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: (await answer.json()) as Readonly<Record<string, unknown>> };
}
