import { readdir } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { notifiers } from '../../src/notifiers/index.ts';

const ROOM = new URL('../../src/notifiers/', import.meta.url);

describe('the list of channel types', () => {
  test('names every notifier that a file of the room exports', async () => {
    const files = (await readdir(ROOM)).filter((file) => file.endsWith('.ts') && file !== 'index.ts');
    const exported = await Promise.all(files.map(notifiersIn));
    const missing = exported.flat().filter(({ value }) => !notifiers.includes(value as never));
    expect(
      missing.map(({ name, file }) => `src/notifiers/index.ts lacks: import { ${name} } from './${file}';`),
    ).toEqual([]);
    expect(exported.flat().length).toBe(notifiers.length);
  });

  test('names each type once', () => {
    expect(notifiers.map(({ type }) => type)).toEqual([
      'alertmanager',
      'discord',
      'email',
      'log',
      'ntfy',
      'pagerduty',
      'slack',
      'teams',
      'telegram',
      'webhook',
    ]);
  });

  test('groups and caps what people read, and leaves machines their single alerts', () => {
    const grouped = notifiers.filter(({ unit }) => unit === 'group');
    expect(grouped.map(({ type }) => type)).toEqual(['discord', 'email', 'ntfy', 'slack', 'teams', 'telegram']);
    expect(notifiers.filter(({ readBy }) => readBy === 'people')).toEqual(grouped);
  });

  test.each(notifiers.map((notifier) => [notifier.type, notifier] as const))(
    '%s describes each of its keys for editors, and its secrets are among them',
    (_type, notifier) => {
      const schema = z.toJSONSchema(notifier.config, { io: 'input' });
      const properties = Object.entries(schema.properties ?? {});
      expect(schema.additionalProperties).toBe(false);
      expect(properties.filter(([, property]) => typeof property === 'boolean' || !property.description)).toEqual([]);
      expect(properties.map(([key]) => key)).toEqual(expect.arrayContaining([...notifier.secrets]));
    },
  );
});

async function notifiersIn(file: string) {
  const module = (await import(new URL(file, ROOM).href)) as Record<string, unknown>;
  return Object.entries(module).flatMap(([name, value]) => (isNotifier(value) ? [{ file, name, value }] : []));
}

function isNotifier(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'type' in value && 'open' in value && 'recipients' in value;
}
