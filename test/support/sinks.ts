// Receivers of alerts for tests of every room: a real HTTP server and real SMTP servers on the loopback that keep what
// they got and answer as they are told.
import { once } from 'node:events';
import http from 'node:http';
import net, { type AddressInfo, type Socket } from 'node:net';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { mailServers } from './mail-servers.ts';

/** What arrives, in order, and a way to wait for it. */
export interface Arrivals<T> {
  readonly all: readonly T[];
  /** Resolves once at least `count` have arrived. */
  reached(count: number): Promise<readonly T[]>;
}

interface Inbox<T> extends Arrivals<T> {
  push(item: T): void;
}

export function createInbox<T>(): Inbox<T> {
  const all: T[] = [];
  const watchers = new Set<() => void>();
  return {
    all,
    push(item) {
      all.push(item);
      for (const look of watchers) look();
    },
    reached(count) {
      return new Promise((resolve) => {
        const look = (): void => {
          if (all.length < count) return;
          watchers.delete(look);
          resolve(all);
        };
        watchers.add(look);
        look();
      });
    },
  };
}

/** Asks at once, and again after each arrival. Resolves when it is so. */
export async function untilSo(arrivals: Arrivals<unknown>, isSo: () => Promise<boolean>): Promise<void> {
  for (;;) {
    const { length } = arrivals.all;
    if (await isSo()) return;
    await arrivals.reached(length + 1);
  }
}

// --- webhook -------------------------------------------------------------------------------------------------------

export interface WebhookCall {
  readonly method: string;
  readonly path: string;
  readonly headers: http.IncomingHttpHeaders;
  /** The bytes as they came. */
  readonly body: string;
}

/** How one call is answered. The response must be ended, or its socket destroyed, by whoever gets it. */
export type Answer = (response: http.ServerResponse, call: WebhookCall) => void;

export interface WebhookSink extends AsyncDisposable {
  readonly origin: string;
  readonly calls: Arrivals<WebhookCall>;
  /** One answer for each of the next calls, in order; afterwards the usual one again. */
  answerNext(...answers: readonly Answer[]): void;
}

/** `status(503, { 'retry-after': '30' }, 'later')` */
export function status(code: number, headers: http.OutgoingHttpHeaders = {}, body = ''): Answer {
  return (response) => response.writeHead(code, headers).end(body);
}

/** `usual` answers whatever no other answer was named for. */
export async function createWebhookSink(usual: Answer = status(204)): Promise<WebhookSink> {
  const calls = createInbox<WebhookCall>();
  const answers: Answer[] = [];
  const server = http.createServer((request, response) => {
    const took = (body: string): void => {
      const call = { method: request.method ?? '', path: request.url ?? '', headers: request.headers, body };
      calls.push(call);
      (answers.shift() ?? usual)(response, call);
    };
    // A sender that dies in the middle of a request has told nothing.
    const cut = (): void => undefined;
    void readAll(request).then(took, cut);
  });
  const port = await listening(server);
  return {
    origin: `http://127.0.0.1:${port}`,
    calls,
    answerNext: (...next) => void answers.push(...next),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function readAll(request: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

// --- SMTP ----------------------------------------------------------------------------------------------------------

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** The message as it came, dots unstuffed. */
  readonly raw: string;
  readonly parsed: Email;
  readonly user: string | undefined;
  readonly encrypted: boolean;
}

/** Answers other than yes, by stage: an error with `responseCode` refuses with that code. */
export interface SmtpHooks {
  readonly mail?: (address: string) => Error | null;
  readonly rcpt?: (address: string) => Error | null;
  /** After the final dot; the mail is kept in `mails` even so. */
  readonly data?: (mail: ReceivedMail) => Error | null;
  readonly login?: (user: string, password: string) => boolean;
}

export interface SmtpSink extends AsyncDisposable {
  readonly port: number;
  /** `smtp://127.0.0.1:PORT` */
  readonly url: string;
  readonly mails: Arrivals<ReceivedMail>;
}

/** `refusal(450, 'come back later')` */
export function refusal(code: number, text: string): Error {
  return Object.assign(new Error(text), { responseCode: code });
}

/** A real server without STARTTLS and without login, unless the options or hooks say otherwise. */
export async function createSmtpSink(
  hooks: SmtpHooks = {},
  options: SMTPServerOptions = {},
  host = '127.0.0.1',
): Promise<SmtpSink> {
  const mails = createInbox<ReceivedMail>();
  const server = new SMTPServer({
    disableReverseLookup: true,
    authOptional: hooks.login === undefined,
    allowInsecureAuth: true,
    disabledCommands: hooks.login === undefined ? ['AUTH', 'STARTTLS'] : ['STARTTLS'],
    closeTimeout: 1,
    onAuth({ username, password }, _session, done) {
      if (hooks.login?.(username ?? '', password ?? '') === true) done(null, { user: username });
      else done(refusal(535, '5.7.8 authentication failed'));
    },
    onMailFrom: ({ address }, _session, done) => {
      done(hooks.mail?.(address) ?? null);
    },
    onRcptTo: ({ address }, _session, done) => {
      done(hooks.rcpt?.(address) ?? null);
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.once('end', () => {
        const raw = Buffer.concat(chunks);
        void PostalMime.parse(raw).then((parsed) => {
          const { mailFrom, rcptTo } = session.envelope;
          const mail = {
            from: mailFrom === false ? '' : mailFrom.address,
            to: rcptTo.map(({ address }) => address),
            raw: raw.toString(),
            parsed,
            user: typeof session.user === 'string' ? session.user : undefined,
            encrypted: session.secure,
          };
          mails.push(mail);
          done(hooks.data?.(mail) ?? null);
        });
      });
    },
    ...options,
  });
  // A client that breaks off is what some tests are about.
  server.on('error', () => undefined);
  const port = await listening(server.server, () => server.listen(0, host));
  mailServers.add(port);
  return {
    port,
    url: `${options.secure === true ? 'smtps' : 'smtp'}://127.0.0.1:${port}`,
    mails,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
      }),
  };
}

/** What a scripted server does at one stage: says a line, sense or nonsense, says nothing more, or ends the connection. */
export type Line = `${number} ${string}` | 'nonsense' | 'silence' | 'hang up' | 'reset';

const NONSENSE = Buffer.from('\0\xff\xfe what?\r\n', 'latin1');

export interface ScriptedSmtp extends AsyncDisposable {
  readonly url: string;
  /** Every line that was received, the message's included. */
  readonly lines: Arrivals<string>;
}

const FRIENDLY: Readonly<Record<string, Line>> = {
  greeting: '220 test',
  EHLO: '250 test',
  MAIL: '250 ok',
  RCPT: '250 ok',
  DATA: '354 go on',
  dot: '250 queued',
  QUIT: '221 bye',
};

/** A server for the ends of a conversation that a well-behaved one cannot give: silence, hanging up, odd replies. */
export async function createScriptedSmtp(script: Readonly<Record<string, Line>>): Promise<ScriptedSmtp> {
  const replies = { ...FRIENDLY, ...script };
  const lines = createInbox<string>();
  const sockets = new Set<Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    converse(socket, replies, (line) => {
      lines.push(line);
    });
  });
  const port = await listening(server);
  return {
    url: `smtp://127.0.0.1:${port}`,
    lines,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function converse(socket: Socket, replies: Readonly<Record<string, Line>>, onLine: (line: string) => void): void {
  let isInMessage = false;
  let rest = '';
  const reply = (stage: string): void => {
    const line = replies[stage] ?? '502 what?';
    if (line === 'hang up') socket.destroy();
    else if (line === 'reset') socket.resetAndDestroy();
    else if (line === 'nonsense') socket.write(NONSENSE);
    else if (line !== 'silence') socket.write(`${line}\r\n`);
    isInMessage = stage === 'DATA' && line.startsWith('354');
  };
  reply('greeting');
  socket.on('data', (chunk) => {
    const lines = (rest + chunk.toString()).split('\r\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      onLine(line);
      if (!isInMessage) reply(line.slice(0, 4).toUpperCase());
      else if (line === '.') reply('dot');
    }
  });
}

// --- both ----------------------------------------------------------------------------------------------------------

async function listening(
  server: net.Server,
  listen: () => unknown = () => server.listen(0, '127.0.0.1'),
): Promise<number> {
  const ready = once(server, 'listening');
  listen();
  await ready;
  return (server.address() as AddressInfo).port;
}
