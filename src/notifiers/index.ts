import type { AnyNotifier } from './notifier.ts';
import { alertmanager } from './alertmanager.ts';
import { discord } from './discord.ts';
import { email } from './email.ts';
import { log } from './log.ts';
import { ntfy } from './ntfy.ts';
import { pagerduty } from './pagerduty.ts';
import { slack } from './slack.ts';
import { teams } from './teams.ts';
import { telegram } from './telegram.ts';
import { webhook } from './webhook.ts';

/** Every channel type. A new one is a file in this folder and its line here; nothing else switches on the type. */
export const notifiers: readonly AnyNotifier[] = [
  alertmanager,
  discord,
  email,
  log,
  ntfy,
  pagerduty,
  slack,
  teams,
  telegram,
  webhook,
];
