import type { AnyNotifier } from './notifier.ts';
import { email } from './email.ts';
import { log } from './log.ts';
import { webhook } from './webhook.ts';

/** Every channel type. A new one is a file in this folder and its line here; nothing else switches on the type. */
export const notifiers: readonly AnyNotifier[] = [email, log, webhook];
