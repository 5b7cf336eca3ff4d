// Who is told in a run: one receiver for each plan, which keeps what it got.
import { createInbox, createWebhookSink, type Arrivals } from '../support/sinks.ts';
import { toldIn, type Told } from '../support/crash/receivers.ts';

export interface Sinks extends AsyncDisposable {
  readonly told: Arrivals<Told>;
  /** `channels:` of the config. */
  readonly yaml: string;
  /** From now on everything is refused, or nothing is. */
  refuse(all: boolean): void;
}

const ANSWER_MS = 200;

export const hookOf = (plan: number): string => `hook-${plan}`;

export async function openSinks(plans: number): Promise<Sinks> {
  const told = createInbox<Told>();
  let refusesAll = false;
  const web = await createWebhookSink((response, call) => {
    if (refusesAll) {
      response.writeHead(503).end();
      return;
    }
    // What is critical while nothing can be written says that it is not on record, and comes once more, maybe under another id.
    if (!String(call.headers['chainwarden-attempt']).includes('unrecorded'))
      told.push(toldIn(call.path.slice(1), call));
    // Slow enough for who is killed meanwhile not to know.
    setTimeout(() => response.writeHead(204).end(), ANSWER_MS);
  });
  const channel = (plan: number): string =>
    `  ${hookOf(plan)}: { type: webhook, url: '${web.origin}/${hookOf(plan)}', allow: [127.0.0.0/8] }\n`;
  return {
    told,
    yaml: `channels:\n${Array.from({ length: plans }, (_, plan) => channel(plan)).join('')}`,
    refuse(all) {
      refusesAll = all;
    },
    [Symbol.asyncDispose]: () => web[Symbol.asyncDispose](),
  };
}
