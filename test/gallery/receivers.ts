// The receivers of every channel type, as their vendors publish them, and what they are sent.
import { Document, isCollection, isPair } from 'yaml';
import type { OpenMirror, OpenNotifier } from '../../src/notifiers/notifier.ts';
import { alertmanagerWith } from '../../src/notifiers/alertmanager.ts';
import { email } from '../../src/notifiers/email.ts';
import { log } from '../../src/notifiers/log.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { LOOPBACK } from '../notifiers/samples.ts';
import { serve, serviceNamed, type ServedService } from '../notifiers/services.ts';
import { createSmtpSink, type ReceivedMail, type SmtpSink, type WebhookCall } from '../support/sinks.ts';

const TOTAL_MS = 20_000;

/** One message as it crossed the wire. */
export interface Payload {
  readonly channel: string;
  /** `POST /api/chat.postMessage`, a subject */
  readonly head: string;
  /** The JSON as YAML, which people read more easily; or the text. */
  readonly text: string;
  /** Null: it is no mail. */
  readonly html: string | null;
}

/** The names of services whose channels have another name than the type. */
const SERVICE_OF: Readonly<Record<string, string>> = { slack: 'slack bot' };
const SERVED = ['alertmanager', 'discord', 'ntfy', 'pagerduty', 'slack', 'teams', 'telegram', 'webhook'];

export interface Receivers extends AsyncDisposable {
  /** Opens every channel type but the mirror. */
  open(clock: Clock): ReadonlyMap<string, OpenNotifier>;
  openMirror(clock: Clock): OpenMirror;
  /** The arrivals since the last call, by channel and in order. Throws where a vendor would have refused a call. */
  take(): Payload[];
}

export async function serveAll(): Promise<Receivers> {
  await using opened = new AsyncDisposableStack();
  const services = new Map<string, ServedService>();
  for (const channel of SERVED) services.set(channel, opened.use(await serve(serviceFor(channel))));
  const smtp = opened.use(await createSmtpSink());
  const printed: string[] = [];
  const taken = new Map<string, number>();
  const print = async (line: string): Promise<void> => void printed.push(line);
  const all = opened.move();
  const since = <T>(channel: string, arrived: readonly T[]): readonly T[] => {
    const fresh = arrived.slice(taken.get(channel) ?? 0);
    taken.set(channel, arrived.length);
    return fresh;
  };
  return {
    open: (clock) => openAll(services, smtp, (channel) => ({ channel, clock, print, version: '0.1.0' })),
    openMirror(clock) {
      const to = { url: originOf(services, 'alertmanager') + '/prefix/', refresh: 60_000, hold: 86_400_000 };
      const login = { user: 'warden', password: 'a-password', token: undefined, allow: LOOPBACK };
      const { mirror } = alertmanagerWith({ totalMs: TOTAL_MS });
      if (mirror === undefined) throw new Error('an Alertmanager is shown what is open');
      return mirror.open({ ...to, ...login }, { channel: 'alertmanager', clock, print, version: '0.1.0' });
    },
    take() {
      const refused = [...services.values()].flatMap((service) => service.refused);
      if (refused.length > 0) throw new Error(refused.join('\n'));
      const payloads = [
        ...[...services].flatMap(([channel, { calls }]) =>
          since(channel, calls.all).map((call) => payloadOfCall(channel, call)),
        ),
        ...since('email', smtp.mails.all).map(payloadOfMail),
        ...since('log', printed).map((text) => ({ channel: 'log', head: '', text, html: null })),
      ];
      return payloads.toSorted((a, b) => a.channel.localeCompare(b.channel));
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

function serviceFor(channel: string) {
  return serviceNamed(SERVICE_OF[channel] ?? channel);
}

function originOf(services: ReadonlyMap<string, ServedService>, channel: string): string {
  return services.get(channel)?.origin ?? '';
}

type ToolsOf = (channel: string) => Parameters<typeof log.open>[1];

function openAll(
  services: ReadonlyMap<string, ServedService>,
  smtp: SmtpSink,
  toolsOf: ToolsOf,
): ReadonlyMap<string, OpenNotifier> {
  const address = { from: 'Chainwarden <chainwarden@example.com>', to: ['ops@example.com'], smtp: smtp.url };
  return new Map<string, OpenNotifier>([
    ...SERVED.filter((channel) => channel !== 'alertmanager').map(
      (channel) =>
        [channel, serviceFor(channel).open(originOf(services, channel), toolsOf(channel), TOTAL_MS)] as const,
    ),
    ['email', email.open({ ...address, allow: LOOPBACK }, toolsOf('email'))],
    ['log', log.open({ format: 'text' }, toolsOf('log'))],
  ]);
}

function payloadOfCall(channel: string, { method, path, body }: WebhookCall): Payload {
  const text = yamlOf(JSON.parse(body));
  return { channel, head: `${method} ${path.replace(/\?sig=.*|\/bot[^/]+|\/d{20,}/g, '')}`, text, html: null };
}

const WIDEST = 150;

/** A short value takes one line. */
function yamlOf(value: unknown): string {
  const document = new Document(value);
  foldIn(document.contents);
  return document.toString({ lineWidth: 0 }).trimEnd();
}

function foldIn(node: unknown): void {
  if (!isCollection(node)) return;
  const text = JSON.stringify(node);
  if (text.length <= WIDEST && !text.includes('\\n')) node.flow = true;
  else for (const item of node.items) foldIn(isPair(item) ? item.value : item);
}

function payloadOfMail({ parsed: { subject = '', text = '', html = '' } }: ReceivedMail): Payload {
  return { channel: 'email', head: `Subject: ${subject}`, text: text.trimEnd(), html };
}
