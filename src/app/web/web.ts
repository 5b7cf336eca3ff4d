// Opens the web server of a daemon, with the parts of the daemon that it may read and change.
import { randomUUID } from 'node:crypto';
import type { HttpSettings } from '../../config/model.ts';
import { gauges } from '../../query/gauges.ts';
import { createQueries } from '../../query/queries.ts';
import type { Callers, IdentityOptions } from '../../web/guard/identity.ts';
import type { PagesOptions } from '../../web/pages/app.ts';
import { serveWeb, type Web } from '../../web/server.ts';
import { performerOf } from '../operators.ts';
import { createEntryJournal, type EntryJournal } from './entry-journal.ts';
import { openLocalToken } from './local-token.ts';
import { readinessOf } from './readiness.ts';
import type { Parts, PartsOptions } from '../parts.ts';
import { createEdition, createLook } from './view.ts';

/** Rejects with a `WebError`. */
export async function openWeb(options: PartsOptions, parts: Parts): Promise<Web> {
  const { setup, clock, log, metrics, version } = options;
  const { http } = setup.config;
  const { store, inForce, polls, health } = parts;
  const bootId = randomUUID();
  const look = createLook({ ...options, ...parts, bootId });
  metrics.mirrorOperators(async () => gauges(await look()));
  const closing = new AbortController();
  const journal = createEntryJournal({ store, clock, log, signal: closing.signal });
  const web = await serveWeb({
    ...http.listen,
    publicUrl: http.publicUrl,
    metricsText: () => metrics.text(),
    isAlive: polls.isRunning,
    readiness: () => readinessOf(health()),
    api: {
      callers: followConfig(http, () => (inForce.config() ?? setup.config).http, localTokenOf(options)),
      monotonic: clock.monotonic,
      perform: performerOf({ ...parts, clock, log }),
    },
    version,
    links: {
      isOn: () => inForce.config()?.http.hasLinks ?? false,
      secrets: () => store.linkSecrets(),
      now: clock.now,
      timeZone: setup.config.timeZone,
    },
    pages: pagesOf(options, parts, journal),
    queries: createQueries(look, createEdition({ ...parts, bootId })),
    log,
    onRejected: (reason) => {
      metrics.httpRejected(reason);
      if (reason === 'token') journal.onWrongToken();
    },
    onAnswered: (answered) => {
      metrics.httpAnswered(answered);
    },
    onStreams: (open) => {
      metrics.httpStreams(open);
    },
  });
  return {
    ...web,
    close: () => {
      closing.abort();
      return web.close();
    },
  };
}

function pagesOf(
  { setup, clock, version }: PartsOptions,
  { store, inForce, notes }: Pick<Parts, 'store' | 'inForce' | 'notes'>,
  { onEntry }: Pick<EntryJournal, 'onEntry'>,
): PagesOptions | null {
  const { http, timeZone } = setup.config;
  const startedAt = clock.now();
  const daemon = () => ({ version, startedAt, loadedAt: inForce.loadedAt(), heartbeatAt: notes.heartbeatAt });
  return http.page.isServed ? { timeZone, clock, daemon, sessions: store, onEntry } : null;
}

/** Follows the config in force: an operator whom a reload removes loses access at once. */
function followConfig(started: HttpSettings, settings: () => HttpSettings, localToken: string | null): Callers {
  let last: { readonly of: HttpSettings; readonly callers: IdentityOptions } | null = null;
  return () => {
    const of = settings();
    // A reload does not open the page. The new config may allow it because it listens on this machine only, but the
    // address changes only at a restart.
    const isOpen = started.page.isOpen && of.page.isOpen;
    if (last?.of !== of) last = { of, callers: { ...callersOf(of), isOpen, localToken } };
    return last.callers;
  };
}

function callersOf({ operators, proxy }: HttpSettings): Omit<IdentityOptions, 'localToken' | 'isOpen'> {
  return {
    operators: operators.map(({ token, ...operator }) => ({ ...operator, token: token?.reveal() ?? null })),
    proxy: proxy && { ...proxy, secret: proxy.secret.reveal() },
  };
}

/** Null in a dry run, which leaves no file behind. */
function localTokenOf({ isDry, setup, log }: PartsOptions): string | null {
  const token = isDry ? null : openLocalToken(setup.config.state.file, log);
  if (token !== null) log.addSecrets([token]);
  return token;
}
