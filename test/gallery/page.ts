// The payloads of a situation as a text, and those of all as a page.
import { escapeHtml } from '../../src/lib/untrusted.ts';
import type { Payload } from './receivers.ts';
import type { Situation } from './stage.ts';

/** The number of messages of one channel that are shown. */
const MOST = 3;

type Told = Pick<Situation, 'name' | 'story'>;

export function textOf({ story }: Told, payloads: readonly Payload[]): string {
  const channels = [...byChannel(payloads)].map(([channel, some]) => {
    const left = some.length > MOST ? [`(and ${some.length - MOST} more)`] : [];
    return [`=== ${channel}`, ...some.slice(0, MOST).map(payloadText), ...left].join('\n\n');
  });
  return `${[story, ...channels].join('\n\n')}\n`;
}

function byChannel(payloads: readonly Payload[]): ReadonlyMap<string, readonly Payload[]> {
  return Map.groupBy(payloads, ({ channel }) => channel);
}

function payloadText({ head, text }: Payload): string {
  return head === '' ? text : `${head}\n\n${text}`;
}

const STYLE = `
body { font: 14px/1.4 sans-serif; margin: 16px; background: #f4f5f7; color: #1c1e21 }
section { margin-bottom: 32px } h2 { margin: 0 } p { margin: 4px 0 8px }
div { display: flex; flex-wrap: wrap; gap: 12px; align-items: flex-start }
article { background: #fff; border: 1px solid #ddd; padding: 8px; width: 420px }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font-size: 12px; margin: 4px 0 }
iframe { width: 100%; height: 420px; border: 1px solid #ddd }`;

export function htmlOf(shown: readonly { situation: Told; payloads: readonly Payload[] }[]): string {
  const index = shown.map(({ situation: { name } }) => `<a href="#${name}">${name}</a>`).join(' · ');
  const sections = shown.map(({ situation, payloads }) => sectionOf(situation, payloads)).join('\n');
  return `<!doctype html><meta charset="utf-8"><title>Messages of Chainwarden</title><style>${STYLE}</style>
<h1>Messages of Chainwarden</h1><p>${index}</p>
${sections}
`;
}

function sectionOf({ name, story }: Told, payloads: readonly Payload[]): string {
  const cards = [...byChannel(payloads)].map(([channel, some]) => {
    const bodies = some.slice(0, MOST).map(bodyOf).join('');
    return `<article><h3>${escapeHtml(channel)}</h3>${bodies}</article>`;
  });
  return `<section id="${name}"><h2>${escapeHtml(name)}</h2><p>${escapeHtml(story)}</p><div>${cards.join('')}</div></section>`;
}

function bodyOf(payload: Payload): string {
  const mail = payload.html === null ? '' : `<iframe sandbox srcdoc="${escapeHtml(payload.html)}"></iframe>`;
  return `<pre>${escapeHtml(payloadText(payload))}</pre>${mail}`;
}
