// What people copy from docs/channels.md loads, and nothing that a channel can be told is missing there.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { loadConfig } from '../../src/config/config.ts';
import { formatProblems } from '../../src/config/problem.ts';
import { notifiers } from '../../src/notifiers/index.ts';

const text = readFileSync('docs/channels.md', 'utf8');
/** What is said of every channel. */
const common = text.slice(0, text.indexOf('\n## Slack'));
const blocks = [...text.matchAll(/```yaml\n(.*?)```/gs)].map(([, block = '']) => block);

const env = {
  AM_PASSWORD: 'a-password',
  DISCORD_WEBHOOK_URL: `https://discord.com/api/webhooks/123456789012345678/${'d'.repeat(60)}`,
  NTFY_TOKEN: 'tk_0123456789abcdef',
  NTFY_TOPIC: 'a-topic-that-nobody-guesses',
  OPS_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 1).toString('base64')}`,
  OPS_WEBHOOK_URL: 'https://ops.example.com/hook',
  PAGERDUTY_KEY: 'e'.repeat(32),
  SLACK_TOKEN: `xoxb-${'7'.repeat(24)}`,
  SLACK_WEBHOOK_URL: 'https://hooks.slack.com/services/T0/B0/x',
  SMTP_URL: 'smtp://mail.example.com:587',
  TEAMS_WORKFLOW_URL: 'https://prod-1.westeurope.logic.azure.com/workflows/x/triggers/manual/paths/invoke?sig=x',
  TELEGRAM_TOKEN: `123456:${'a'.repeat(35)}`,
};

function load(block: string) {
  const whole = `explorers: { sandbox: { form: sandbox } }\n${block}`;
  return loadConfig('config.yaml', { env, readFile: () => whole, notifiers });
}

test.each(blocks)('this example loads, and every secret of it is read:\n%s', (block) => {
  const { config, problems } = load(block);
  expect(formatProblems(problems)).toBe('');
  const channels = [...(config?.channels.values() ?? [])];
  expect(channels.length).toBeGreaterThan(0);
  expect(channels.flatMap(({ missing }) => missing)).toEqual([]);
});

describe.each(notifiers.map((notifier) => [notifier.type, notifier] as const))('%s', (type, notifier) => {
  const section = new RegExp(`\n## ${type}\n(.*?)(?=\n## |$)`, 'is').exec(text)?.[1] ?? '';

  test('has a section, and a row in the table that leads to it', () => {
    expect(section.trim()).not.toBe('');
    expect(text).toContain(`[\`${type}\`](#${type})`);
  });

  test('has every key in its section, or in those about all channels', () => {
    const { properties = {} } = z.toJSONSchema(notifier.config, { io: 'input' });
    const missing = Object.keys(properties).filter(
      (key) => ![`${key}:`, `\`${key}\``].some((written) => section.includes(written) || common.includes(written)),
    );
    expect(missing).toEqual([]);
  });
});
