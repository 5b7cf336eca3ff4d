// Schemas for editors, made of the definitions that loading uses. An editor reads an unquoted address or number as a
// number, so every scalar is accepted in any YAML type.
import { z } from 'zod';
import type { AnyKind } from '../../core/model/watch/kind.ts';
import { CapShape, strict } from '../../config/channels.ts';
import { InhibitShape, RouteShape } from '../../config/routing/route-shape.ts';
import { ADDRESS_FORMS } from '../../config/model.ts';
import { ConfigShape, ExplorerShapes, byName, SecretText } from '../../config/shape.ts';
import { address, LABEL, NAME } from '../../config/values/scalars.ts';
import type { AnyNotifier } from '../../notifiers/notifier.ts';
import { eventsOf } from '../language/events.ts';
import { DESCRIPTIONS, EXAMPLES } from '../../config/values/key-examples.ts';
import { AlertShape, FileShape, ReportShape, WatchShape } from './shape.ts';

export type JsonSchema = Record<string, unknown>;

/** For `# yaml-language-server: $schema=rules.schema.json`. */
export function rulesJsonSchema(kinds: readonly AnyKind[]): JsonSchema {
  const watches = kinds.map((kind) => watchSchema(kind));
  const file = toJson(FileShape);
  return explained({
    $schema: DRAFT,
    title: 'Chainwarden rules',
    ...file,
    properties: {
      ...propertiesOf(file),
      watches: { ...listOf(file, 'watches'), items: { anyOf: watches } },
      reports: { ...listOf(file, 'reports'), items: toJson(ReportShape) },
    },
    anyOf: ['watches', 'reports'].map((key) => withKey(file, key)),
  });
}

function withKey(file: JsonSchema, key: string): JsonSchema {
  const description = propertiesOf(file)[key]?.['description'];
  return { type: 'object', properties: { [key]: { description } }, required: [key] };
}

/** For `# yaml-language-server: $schema=config.schema.json`. */
export function configJsonSchema(notifiers: readonly AnyNotifier[]): JsonSchema {
  const file = toJson(ConfigShape);
  const namedBy = (name: RegExp, value: JsonSchema): JsonSchema => ({
    ...toJson(byName(z.unknown(), name)),
    additionalProperties: value,
  });
  const oneAddress = toJson(address('an address'));
  const described = {
    type: 'object',
    properties: {
      address: oneAddress,
      is: { enum: ADDRESS_FORMS, description: 'the kind of account; all but wallet are contracts' },
    },
    required: ['address', 'is'],
    additionalProperties: false,
    description: 'an address and its kind: contracts sign no transactions, so check warns of rules in which one does',
  };
  const oneOfGroup = { anyOf: [oneAddress, { type: 'string', pattern: NAME.source }] };
  const group = {
    type: 'array',
    minItems: 1,
    items: oneOfGroup,
    description: 'a group: addresses and names of others',
  };
  const perExplorer = { type: 'object', additionalProperties: oneAddress, description: 'an address per explorer' };
  return explained({
    $schema: DRAFT,
    title: 'Chainwarden config',
    ...file,
    properties: {
      ...propertiesOf(file),
      explorers: namedBy(LABEL, { anyOf: Object.values(ExplorerShapes).map((shape) => toJson(shape)) }),
      addresses: namedBy(NAME, { anyOf: [oneAddress, described, group] }),
      tokens: namedBy(NAME, { anyOf: [oneAddress, perExplorer] }),
      channels: namedBy(LABEL, { anyOf: notifiers.map(channelSchema) }),
      routes: { ...listOf(file, 'routes'), items: toJson(RouteShape) },
      inhibit: { ...listOf(file, 'inhibit'), items: toJson(InhibitShape) },
    },
  });
}

/** Common beginning of all schemas. */
export const DRAFT = 'http://json-schema.org/draft-07/schema#';

/** A zod schema for editors: every scalar is accepted in any YAML type. */
export function toJson(schema: z.ZodType): JsonSchema {
  const json = z.toJSONSchema(schema, {
    target: 'draft-7',
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      if (jsonSchema.type === 'string' && jsonSchema.enum === undefined && jsonSchema.const === undefined)
        Object.assign(jsonSchema, { type: ['string', 'number', 'boolean'] });
    },
  });
  const { $schema: _draft, ...rest } = json as JsonSchema;
  return rest;
}

/** Adds description and examples to every key of every map. `of`: the key that has this schema. */
function explained(schema: JsonSchema, of = ''): JsonSchema {
  const entries = Object.entries(schema).map(([name, part]): [string, unknown] => {
    if (Array.isArray(part)) return [name, part.map((one: unknown) => (isSchema(one) ? explained(one, of) : one))];
    if (!isSchema(part)) return [name, part];
    return [name, name === 'properties' ? explainedKeys(part, of) : explained(part, of)];
  });
  return Object.fromEntries(entries);
}

function explainedKeys(properties: JsonSchema, of: string): JsonSchema {
  const entries = Object.entries(properties).map(([key, value]): [string, unknown] => {
    if (!isSchema(value)) return [key, value];
    const description = value['description'] ?? DESCRIPTIONS[key];
    const examples = EXAMPLES[`${of}.${key}`] ?? examplesOf(key, value);
    const words = {
      ...(description === undefined ? {} : { description }),
      ...(examples === undefined ? {} : { examples }),
    };
    return [key, { ...explained(value, key), ...words }];
  });
  return Object.fromEntries(entries);
}

/**
 * A key may have two meanings, so the schema may have its own examples, which win. For an enumeration, one of its
 * values is the example.
 */
function examplesOf(key: string, value: JsonSchema): readonly unknown[] | undefined {
  if ('const' in value) return undefined;
  const own = value['examples'] as readonly unknown[] | undefined;
  if (own !== undefined) return own;
  const legal = value['enum'] as readonly unknown[] | undefined;
  if (legal === undefined) return EXAMPLES[key];
  const fitting = EXAMPLES[key]?.filter((example) => legal.includes(example)) ?? [];
  return fitting.length > 0 ? fitting : legal.slice(0, 1);
}

function isSchema(part: unknown): part is JsonSchema {
  return typeof part === 'object' && part !== null && !Array.isArray(part);
}

/** The schemas of an object's keys. */
export function propertiesOf(schema: JsonSchema): Record<string, JsonSchema> {
  return (schema['properties'] ?? {}) as Record<string, JsonSchema>;
}

function listOf(schema: JsonSchema, key: string): JsonSchema {
  const { items: _any, ...rest } = propertiesOf(schema)[key] ?? {};
  return rest;
}

function watchSchema(kind: AnyKind): JsonSchema {
  const common = toJson(WatchShape);
  const own = toJson(kind.options);
  const { of, token, ...rest } = propertiesOf(common);
  const required = [
    'id',
    'kind',
    ...(kind.of === 'required' ? ['of'] : []),
    ...(kind.token === 'required' ? ['token'] : []),
  ];
  return {
    ...common,
    description: kind.summary,
    properties: {
      ...rest,
      ...(kind.of === 'none' ? {} : { of }),
      ...(kind.token === 'none' ? {} : { token }),
      ...propertiesOf(own),
      kind: { const: kind.name, description: kind.summary },
      alerts: { ...listOf(common, 'alerts'), items: alertSchema(kind) },
    },
    required: [...required, ...((own['required'] ?? []) as string[])],
    ...(kind.of === 'either' ? { anyOf: [{ required: ['of'] }, { required: ['token'] }] } : {}),
  };
}

function alertSchema(kind: AnyKind): JsonSchema {
  const schema = toJson(AlertShape);
  const { while: held, until, for: hold, keep_firing_for: keep, cron, zone, values, ...event } = propertiesOf(schema);
  const ofNow = { while: held, until, for: hold, keep_firing_for: keep, cron, zone, values };
  const condition = kind.while === null ? {} : ofNow;
  const on = { ...event['on'], type: 'string', enum: eventsOf(kind).map(([name]) => name) };
  return { ...schema, properties: { ...event, on, ...condition } };
}

/** Keys that the notifier declares as secrets may be references to secrets. */
function channelSchema(notifier: AnyNotifier): JsonSchema {
  const schema = toJson(strict(notifier.config));
  const secret = toJson(SecretText);
  const keys = Object.entries(propertiesOf(schema)).map(([key, value]) => [
    key,
    notifier.secrets.includes(key) ? { ...describing(value), anyOf: [value, secret] } : value,
  ]);
  return {
    ...schema,
    description: notifier.summary,
    properties: {
      type: { const: notifier.type, description: notifier.summary },
      ...(Object.fromEntries(keys) as JsonSchema),
      cap: toJson(CapShape),
    },
    required: ['type', ...((schema['required'] ?? []) as string[])],
  };
}

function describing({ description, examples }: JsonSchema): JsonSchema {
  return { ...(description === undefined ? {} : { description }), ...(examples === undefined ? {} : { examples }) };
}
