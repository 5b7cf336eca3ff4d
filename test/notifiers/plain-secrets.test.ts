// A secret that somebody wrote into the config as it is must not be shown in the lines around a mistake.
import { expect, test } from '@jest/globals';
import { loadConfig } from '../../src/config/config.ts';
import { formatProblems } from '../../src/config/problem.ts';
import { notifiers } from '../../src/notifiers/index.ts';
import { DISCORD_PATH, PAGERDUTY_KEY, SLACK_TOKEN, TELEGRAM_TOKEN } from './services.ts';

test.each([
  ['slack', `token: ${SLACK_TOKEN}, channel: C0123ABCD`, SLACK_TOKEN],
  ['slack', `tokn: ${SLACK_TOKEN}, channel: C0123ABCD`, SLACK_TOKEN],
  ['telegram', `token: '${TELEGRAM_TOKEN}', chat: '42'`, TELEGRAM_TOKEN],
  ['discord', `url: 'https://discord.com${DISCORD_PATH}'`, DISCORD_PATH],
  ['teams', `url: 'https://flow.example/x?sig=flow-signature'`, 'flow-signature'],
  ['pagerduty', `routing_key: ${PAGERDUTY_KEY}`, PAGERDUTY_KEY],
  ['ntfy', `url: https://ntfy.sh, topic: alerts, token: tk_0123456789abcdef`, 'tk_0123456789abcdef'],
])('%s: { %s }', (type, keys, secret) => {
  const config = `explorers: { chain: { form: sandbox } }\nchannels: { ops: { type: ${type}, ${keys}, oops: 1 } }\n`;
  const { problems } = loadConfig('config.yaml', { env: {}, readFile: () => config, notifiers });
  const shown = formatProblems(problems);
  expect(shown).toContain('unknown key "oops"');
  expect(shown).not.toContain(secret);
});
