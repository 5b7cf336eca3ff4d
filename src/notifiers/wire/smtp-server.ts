// The server that a mail channel names: `smtp://user:password@host:port`.
import { bareHost } from '../../lib/network.ts';

export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** True: TLS from the first byte. False: STARTTLS, if the server offers it. */
  readonly secure: boolean;
  readonly login: { readonly user: string; readonly pass: string } | null;
}

const DEFAULT_PORT = 587;
const DEFAULT_TLS_PORT = 465;

/** Undefined unless the text is `smtp:` or `smtps:`, a host, and at most a port, a user and a password. */
export function parseSmtpUrl(text: string): SmtpServer | undefined {
  const url = /^smtps?:\/\/[\u0021-\u007e]+$/.test(text) ? URL.parse(text) : null;
  if (url === null || !/^[\w.:[\]-]+$/.test(url.hostname) || !/^\/?$/.test(url.pathname + url.search + url.hash))
    return undefined;
  const secure = url.protocol === 'smtps:';
  const login = loginOf(url);
  if (login === undefined) return undefined;
  return {
    host: bareHost(url.hostname),
    port: url.port === '' ? (secure ? DEFAULT_TLS_PORT : DEFAULT_PORT) : Number(url.port),
    secure,
    login,
  };
}

function loginOf(url: URL): SmtpServer['login'] | undefined {
  if (url.username === '' && url.password === '') return null;
  try {
    return { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) };
  } catch {
    return undefined;
  }
}
