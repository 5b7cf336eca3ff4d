// Who is told by a daemon that is killed again and again: real receivers that outlive it and keep everything they were told.
import type { IncomingHttpHeaders } from 'node:http';
import {
  createInbox,
  createSmtpSink,
  createWebhookSink,
  type Arrivals,
  type ReceivedMail,
  type WebhookCall,
} from '../sinks.ts';

/** One message, as one recipient got it. */
export interface Told {
  readonly recipient: string;
  /** Two messages with the same one are one message that was sent twice; null: the medium carries none. */
  readonly id: string | null;
  readonly text: string;
  /** It says that it may be a copy. */
  readonly saysCopy: boolean;
}

export interface Receivers extends AsyncDisposable {
  readonly told: Arrivals<Told>;
  /** Every alert that the mirror was shown, once for each time it was. */
  readonly shown: Arrivals<string>;
  readonly beats: Arrivals<WebhookCall>;
  /** Messages in the chat that were changed. */
  readonly edits: Arrivals<WebhookCall>;
  /** `channels:` and `heartbeat:` of the config. `spare` names a channel that another config does not have. */
  yaml(spare: string): string;
}

/** Those who hear of the watches. `ops` hears of the daemon itself. */
export const RECIPIENTS = ['hook', 'ada@example.org', 'bob@example.org', 'chat'] as const;

const ALLOW = 'allow: [127.0.0.0/8]';
const ANY_NUMBER = 'cap: { per_hour: 100000, burst: 100000 }';

export async function createReceivers(): Promise<Receivers> {
  await using opened = new AsyncDisposableStack();
  const [told, shown] = [createInbox<Told>(), createInbox<string>()];
  const [beats, edits] = [createInbox<WebhookCall>(), createInbox<WebhookCall>()];

  const web = opened.use(
    await createWebhookSink((response, call) => {
      const [, receiver = ''] = call.path.split('/');
      const answer = answers[receiver]?.(call) ?? {};
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    }),
  );
  let posts = 0;
  const answers: Readonly<Record<string, (call: WebhookCall) => object | undefined>> = {
    hook(call) {
      told.push(toldIn('hook', call));
      return undefined;
    },
    ops(call) {
      told.push(toldIn('ops', call));
      return undefined;
    },
    beats(call) {
      beats.push(call);
      return undefined;
    },
    mirror: ({ body }) => {
      const alerts = JSON.parse(body) as { annotations: { summary: string; description: string } }[];
      for (const { annotations } of alerts) shown.push(`${annotations.summary}\n${annotations.description}`);
      return undefined;
    },
    chat(call) {
      if (call.method === 'PATCH') edits.push(call);
      else told.push(toldInChat(call));
      posts += 1;
      return { id: String(posts), channel_id: '1' };
    },
  };
  const post = opened.use(
    await createSmtpSink({
      data(mail) {
        told.push(toldInMail(mail));
        return null;
      },
    }),
  );
  const all = opened.move();
  return {
    told,
    shown,
    beats,
    edits,
    yaml: (spare) => `
channels:
  ${spare}: { type: webhook, url: '${web.origin}/spare', ${ALLOW} }
  hook: { type: webhook, url: '${web.origin}/hook', ${ALLOW} }
  ops: { type: webhook, url: '${web.origin}/ops', ${ALLOW} }
  chat: { type: discord, url: '${web.origin}/chat/webhooks/1/token', ${ALLOW}, ${ANY_NUMBER} }
  mirror: { type: alertmanager, url: '${web.origin}/mirror', refresh: 1s, ${ALLOW} }
  post: { type: email, from: a@example.org, to: [ada@example.org, bob@example.org], smtp: '${post.url}', ${ALLOW}, ${ANY_NUMBER} }
heartbeat: { url: '${web.origin}/beats', every: 1s, ${ALLOW} }
self: [ops]
`,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** What a webhook was told. */
export function toldIn(recipient: string, { headers, body }: WebhookCall): Told {
  const { data } = JSON.parse(body) as { data: { subject: string; text: string } };
  return {
    recipient,
    id: String(headers['webhook-id']),
    text: `${data.subject}\n${data.text}`,
    saysCopy: isMarked(headers),
  };
}

function isMarked(headers: IncomingHttpHeaders): boolean {
  return String(headers['chainwarden-attempt']).includes('may be a copy');
}

/** The subject is bold, the rest an embed; markup is escaped by backslashes. Of several alerts each has a line that is a link. */
function toldInChat({ body }: WebhookCall): Told {
  const { content, embeds = [] } = JSON.parse(body) as { content: string; embeds?: { description?: string }[] };
  const all = [content, ...embeds.map(({ description = '' }) => description), ''].join('\n');
  const text = all
    .replaceAll('\\', '')
    .replaceAll('**', '')
    .replace(/\[(.*)\]\(\S+\)/g, '$1\n');
  return { recipient: 'chat', id: null, text, saysCopy: text.includes('may be a copy') };
}

function toldInMail({ to, parsed }: ReceivedMail): Told {
  const attempt = parsed.headers.find(({ key }) => key === 'x-chainwarden-attempt')?.value ?? '';
  const { subject = '', text = '', messageId = '' } = parsed;
  return {
    recipient: to[0] ?? '',
    id: messageId,
    text: [subject, text, messageId].join('\n'),
    saysCopy: attempt.includes('may be a copy'),
  };
}
