// A server that answers as no well-behaved one does, byte by byte over plain TCP, and the table of what it plays: what
// proxies, old servers, other protocols behind the same port and hostile receivers do to a client.
import { once } from 'node:events';
import net, { type AddressInfo, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import type { Outcome } from '../../src/core/model/delivery.ts';
import type { MissReason } from '../../src/core/model/observation.ts';

/** Bytes to say (latin1), or what to do with the connection; `pause` lets the client read what was said so far. */
type Step = { readonly say: string } | 'pause' | 'hang up' | 'reset';

/** What is left open at the end ends with the client. */
export interface OddAnswer {
  readonly name: string;
  readonly steps: readonly Step[];
  /** What a webhook makes of it. */
  readonly webhook: Outcome['type'];
  /** What an explorer makes of it: data, or the reason why there is none. */
  readonly explorer: MissReason | 'data';
  /** Nothing more comes, and only the client's own deadline ends it. */
  readonly isEndless: boolean;
}

const say = (text: string): Step => ({ say: text });
const head = (status: string, ...headers: string[]): string =>
  [`HTTP/1.1 ${status}`, ...headers].map((line) => `${line}\r\n`).join('') + '\r\n';

const CHUNKED = head('200 OK', 'Transfer-Encoding: chunked');
const EMPTY = 'Content-Length: 0';
const TOKEN = '{"symbol":"USDC"}';
const LENGTH = `Content-Length: ${TOKEN.length}`;

type Row = readonly [
  name: string,
  webhook: Outcome['type'],
  explorer: OddAnswer['explorer'],
  ...steps: readonly Step[],
];

// A good status decides, whatever comes after it; without any status nobody knows whether the call was taken.
const ENDING: readonly Row[] = [
  ['204 with a length and a body', 'sent', 'truncated', say(head('204 No Content', 'Content-Length: 5') + 'hello')],
  ['204 with a body', 'sent', 'truncated', say(head('204 No Content') + 'hello')],
  ['204 and later a body', 'sent', 'http', say(head('204 No Content')), 'pause', say('hello')],
  ['205 with a body', 'sent', 'http', say(head('205 Reset Content', LENGTH) + TOKEN)],
  ['304 with a body', 'again', 'truncated', say(head('304 Not Modified') + 'hello')],
  ['bytes behind its length', 'sent', 'truncated', say(head('200 OK', LENGTH) + TOKEN + 'more')],
  ['bytes later behind its length', 'sent', 'data', say(head('200 OK', LENGTH) + TOKEN), 'pause', say('more')],
  ['a bad chunk size', 'sent', 'truncated', say(`${CHUNKED}zz\r\nhello\r\n0\r\n\r\n`)],
  ['a bad chunk size after a good one', 'sent', 'truncated', say(`${CHUNKED}2\r\n{}\r\n`), 'pause', say('zz\r\n')],
  ['a chunk longer than its size', 'sent', 'truncated', say(`${CHUNKED}2\r\n{}hello\r\n0\r\n\r\n`)],
  ['an endless chunk extension', 'sent', 'truncated', say(`${CHUNKED}2;${'a'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`)],
  ['a bad trailer', 'sent', 'truncated', say(`${CHUNKED}0\r\nno colon\0\r\n\r\n`)],
  ['a bad trailer later', 'sent', 'truncated', say(`${CHUNKED}2\r\n{}\r\n0\r\n`), 'pause', say('no colon\0\r\n\r\n')],
  ['chunks that end in the middle', 'sent', 'truncated', say(`${CHUNKED}5\r\n{"`), 'pause', 'hang up'],
  ['a second answer at once', 'sent', 'data', say(head('200 OK', LENGTH) + TOKEN + head('500 Oh', EMPTY))],
  [
    'a second answer later',
    'sent',
    'data',
    say(head('200 OK', 'Connection: keep-alive', LENGTH) + TOKEN),
    'pause',
    say(head('500 Oh', EMPTY)),
  ],
  [
    'a body that ends too early',
    'sent',
    'truncated',
    say(head('200 OK', 'Content-Length: 50') + '{"'),
    'pause',
    'hang up',
  ],
  ['a body that is reset', 'sent', 'truncated', say(head('200 OK', 'Content-Length: 50') + '{"'), 'pause', 'reset'],
  ['a refusal that is reset', 'again', 'truncated', say(head('500 Oh', 'Content-Length: 50') + 'no'), 'pause', 'reset'],
  [
    'an encoding that it is not',
    'sent',
    'encoding',
    say(head('200 OK', 'Content-Encoding: gzip', 'Content-Length: 5') + 'hello'),
  ],
  [
    'a transfer encoding that nobody knows',
    'sent',
    'not-json',
    say(head('200 OK', 'Transfer-Encoding: gzip') + 'hello'),
    'hang up',
  ],
  [
    'an upgrade in a good answer',
    'sent',
    'data',
    say(head('200 OK', 'Upgrade: h2c', 'Connection: Upgrade', LENGTH) + TOKEN),
    'pause',
    'reset',
  ],
  [
    '101 and silence',
    'unknown',
    'http',
    say(head('101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade')),
  ],
  [
    '101 and a reset',
    'unknown',
    'http',
    say(head('101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade')),
    'pause',
    'reset',
  ],
  ['100 and an end', 'unknown', 'network', say(head('100 Continue')), 'pause', 'hang up'],
  ['100 with a body', 'unknown', 'http', say(head('100 Continue', 'Content-Length: 3') + 'abc'), 'hang up'],
  [
    '100 five times, then an answer',
    'sent',
    'data',
    say(head('100 Continue').repeat(5) + head('200 OK', LENGTH) + TOKEN),
  ],
  ['103, then an answer', 'sent', 'data', say(head('103 Early Hints', 'Link: </x>') + head('200 OK', LENGTH) + TOKEN)],
  [
    'two kinds of length',
    'unknown',
    'http',
    say(head('200 OK', 'Content-Length: 3', 'Transfer-Encoding: chunked') + '3\r\nabc\r\n0\r\n\r\n'),
  ],
  ['two lengths', 'unknown', 'http', say(head('200 OK', 'Content-Length: 3', 'Content-Length: 4') + 'abcd')],
  ['a negative length', 'unknown', 'http', say(head('200 OK', 'Content-Length: -1') + 'abcd')],
  ['a length beyond all bounds', 'unknown', 'http', say(head('200 OK', `Content-Length: ${'9'.repeat(30)}`) + 'abcd')],
  ['a header of 40 kB', 'unknown', 'too-large', say(head('200 OK', `X: ${'a'.repeat(40_000)}`))],
  ['3,000 headers', 'unknown', 'too-large', say(head('200 OK', ...Array.from({ length: 3000 }, (_, n) => `X${n}: 1`)))],
  ['a header without a colon', 'unknown', 'http', say(head('200 OK', 'nothing', EMPTY))],
  ['a header with a zero byte', 'unknown', 'http', say(head('200 OK', 'X: a\0b', EMPTY))],
  ['a folded header', 'unknown', 'http', say(head('200 OK', 'X: a', ' b', EMPTY))],
  ['bare line feeds', 'unknown', 'http', say('HTTP/1.1 200 OK\nContent-Length: 2\n\n{}')],
  ['a cookie of nonsense', 'sent', 'data', say(head('200 OK', 'Set-Cookie: \xff=;;;=', LENGTH) + TOKEN)],
  ['a target of nonsense', 'again', 'redirect', say(head('302 Found', 'Location: http://[::1', EMPTY))],
  ['a wait of nonsense', 'again', 'rate-limited', say(head('429 Slow', `Retry-After: ${'9'.repeat(30)}`, EMPTY))],
  ['status 42', 'unknown', 'http', say(head('42 Odd', EMPTY))],
  ['status 099', 'again', 'http', say(head('099 Odd', EMPTY))],
  ['status 999', 'again', 'server-error', say(head('999 Odd', EMPTY))],
  ['no words for the status', 'sent', 'data', say(`HTTP/1.1 200\r\n${LENGTH}\r\n\r\n${TOKEN}`)],
  ['HTTP/1.0', 'sent', 'data', say(`HTTP/1.0 200 OK\r\n\r\n${TOKEN}`), 'hang up'],
  ['HTTP/3.0', 'unknown', 'http', say(`HTTP/3.0 200 OK\r\n${LENGTH}\r\n\r\n${TOKEN}`)],
  ['HTTP/0.9', 'unknown', 'http', say('<html>hello</html>'), 'hang up'],
  ['HTTP/2', 'unknown', 'http', say('\0\0\0\x04\0\0\0\0\0')],
  ['SSH', 'unknown', 'http', say('SSH-2.0-OpenSSH_9.6\r\n')],
  ['SMTP', 'unknown', 'http', say('220 mail.example.com ESMTP\r\n')],
  ['an alert of TLS', 'unknown', 'http', say('\x15\x03\x01\0\x02\x02\x46')],
  ['an end at once', 'unknown', 'network', 'hang up'],
  ['a reset at once', 'unknown', 'network', 'reset'],
  ['an end in the status', 'unknown', 'network', say('HTTP/1.1 2'), 'pause', 'hang up'],
  ['a reset in the headers', 'unknown', 'network', say('HTTP/1.1 200 OK\r\nContent-Le'), 'pause', 'reset'],
];

const ENDLESS: readonly Row[] = [
  ['silence', 'unknown', 'timeout'],
  ['headers that never end', 'unknown', 'timeout', say('HTTP/1.1 200 OK\r\nX: ')],
  ['100 and silence', 'unknown', 'timeout', say(head('100 Continue'))],
  ['a body that never ends', 'sent', 'timeout', say(head('200 OK', 'Content-Length: 50') + '{"')],
];

export const ODD_ANSWERS: readonly OddAnswer[] = [
  ...ENDING.map((row) => oddAnswer(row, false)),
  ...ENDLESS.map((row) => oddAnswer(row, true)),
];

function oddAnswer([name, webhook, explorer, ...steps]: Row, isEndless: boolean): OddAnswer {
  return { name, webhook, explorer, steps, isEndless };
}

/** An answer that nobody could object to. */
export const NO_CONTENT: Pick<OddAnswer, 'steps'> = { steps: [say(head('204 No Content'))] };

export interface OddServer extends AsyncDisposable {
  readonly origin: string;
  /** Resolves when `count` connections have come and all of them have gone again. */
  whenGone(count: number): Promise<void>;
}

/** `answer` is asked once for each whole request, and told its text. */
export async function createOddServer(answer: (request: string) => Pick<OddAnswer, 'steps'>): Promise<OddServer> {
  const open = new Set<Socket>();
  const watchers = new Set<() => void>();
  let come = 0;
  const server = net.createServer((socket) => {
    come += 1;
    open.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => {
      open.delete(socket);
      for (const look of watchers) look();
    });
    readRequests(socket, (request) => void play(socket, answer(request).steps));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    whenGone: (count) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (come < count || open.size > 0) return;
          watchers.delete(look);
          resolve();
        };
        watchers.add(look);
        look();
      }),
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Calls back with each request once its body is there too. */
function readRequests(socket: Socket, onRequest: (request: string) => void): void {
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
    const [, size = '0'] = /^content-length: (\d+)\r$/im.exec(text) ?? [];
    const end = text.indexOf('\r\n\r\n');
    if (end === -1 || text.length < end + 4 + Number(size)) return;
    onRequest(text);
    text = '';
  });
}

async function play(socket: Socket, steps: readonly Step[]): Promise<void> {
  for (const step of steps) {
    if (step === 'hang up') socket.end();
    else if (step === 'reset') socket.resetAndDestroy();
    else if (step === 'pause') for (let turns = 0; turns < 10; turns++) await turn();
    else socket.write(Buffer.from(step.say, 'latin1'));
  }
}
