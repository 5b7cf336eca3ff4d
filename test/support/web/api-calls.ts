// Calls of the API as a client makes them.
import { expect } from '@jest/globals';
import type { RunningApp } from '../app.ts';
import { differences } from './openapi.ts';

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

/** A call that changes nothing. */
export async function readApi(
  { app }: { readonly app: Pick<RunningApp['app'], 'url'> },
  path: string,
  { token = OPERATOR_TOKEN, etag = '' }: { readonly token?: string; readonly etag?: string } = {},
): Promise<ApiAnswer & { readonly etag: string | null }> {
  const headers = { authorization: `Bearer ${token}`, ...(etag !== '' && { 'if-none-match': etag }) };
  const answer = await fetch(`${app.url}/api/v1${path}`, { headers });
  const body = answer.status === 304 ? {} : await asDescribed('get', path, answer);
  return { status: answer.status, body, etag: answer.headers.get('etag') };
}

/** The body of an answer that is as the document of the API says; of a text: with the key `text`. */
async function asDescribed(method: string, path: string, answer: Response): Promise<ApiAnswer['body']> {
  const type = answer.headers.get('content-type');
  const isJson = type?.includes('json') === true;
  const body = isJson ? ((await answer.json()) as ApiAnswer['body']) : await answer.text();
  expect(differences({ method, path: `/api/v1${path}`, status: answer.status, type, body })).toEqual([]);
  return typeof body === 'string' ? { text: body } : body;
}

export async function callApi(
  { app }: { readonly app: Pick<RunningApp['app'], 'url'> },
  { path, body = {}, key = 'k', token = OPERATOR_TOKEN }: Call,
): Promise<ApiAnswer & { readonly location: string | null }> {
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
  const location = answer.headers.get('location');
  return { status: answer.status, location, body: await asDescribed('post', path, answer) };
}
