// The control API over HTTP: POST /control/<verb> with a JSON object. Served only if it is switched on.
import type { IncomingMessage } from 'node:http';
import { hostNameOf, LOOPBACK_NAMES } from '../../lib/network.ts';
import { answer, type SandboxAnswer } from '../answer.ts';
import { ControlProblem } from '../problem.ts';
import type { Sandbox } from '../sandbox.ts';
import type { Control } from './control.ts';

export const CONTROL_PATH = '/control/';

const VERBS = {
  mine: 'mine',
  'set-balance': 'setBalance',
  'move-balance': 'moveBalance',
  'fail-call': 'failCall',
  call: 'callContract',
  'add-transaction': 'addTransaction',
  emit: 'emit',
  'drop-transaction': 'dropTransaction',
  'change-transaction': 'changeTransaction',
  'flag-token': 'flagToken',
  'set-price': 'setPrice',
  'give-token': 'giveToken',
  'transfer-token': 'transferToken',
  upgrade: 'upgrade',
  'revert-call': 'revertCall',
  'set-slot': 'setSlot',
  'set-result': 'setResult',
  reorganise: 'reorganise',
  freeze: 'freeze',
  unfreeze: 'unfreeze',
  'delay-internals': 'delayInternals',
  'release-internals': 'releaseInternals',
  'hide-traces': 'hideTraces',
  lag: 'lag',
  spend: 'spend',
  fail: 'fail',
  'clear-faults': 'clearFaults',
} as const satisfies Record<string, keyof Control>;

export async function answerControl(sandbox: Pick<Sandbox, 'calls'>, request: IncomingMessage): Promise<SandboxAnswer> {
  // A page in a browser could reach the loopback address under a host name of its own (DNS rebinding), and send any
  // request. So other host names are refused.
  if (!LOOPBACK_NAMES.includes(hostNameOf(request.headers.host)))
    return refuse(request, 421, 'misdirected request: control is for 127.0.0.1, localhost and [::1]');
  const verb = (request.url ?? '').slice(CONTROL_PATH.length);
  if (!Object.hasOwn(VERBS, verb)) return unknownVerb(request, verb);
  if (request.method !== 'POST') return refuse(request, 405, `send POST to ${CONTROL_PATH}${verb}`);
  // A page in a browser can send a form to any server, but not JSON: that needs the server's consent, which is never
  // given.
  const type = request.headers['content-type'] ?? '';
  if (!type.startsWith('application/json')) return refuse(request, 415, 'send content-type: application/json');
  try {
    return answer(200, sandbox.calls[VERBS[verb as keyof typeof VERBS]](await readJson(request)));
  } catch (error) {
    if (error instanceof ControlProblem) return answer(422, { message: error.message });
    throw error;
  }
}

function unknownVerb(request: IncomingMessage, verb: string): SandboxAnswer {
  const known = Object.keys(VERBS).join(', ');
  return refuse(request, 404, `no control verb ${JSON.stringify(verb.slice(0, 40))}: there are ${known}`);
}

function refuse(request: IncomingMessage, status: number, message: string): SandboxAnswer {
  request.resume();
  return answer(status, { message });
}

const MOST_BYTES = 65_536;

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MOST_BYTES) throw new ControlProblem(`the body is over ${MOST_BYTES} bytes`);
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString('utf8');
  try {
    return text.trim() === '' ? {} : JSON.parse(text);
  } catch {
    throw new ControlProblem('the body is no JSON');
  }
}
