// Schemas for editors, made of the definitions that loading uses. An editor reads YAML with types, so that an unquoted
// address or number is none of its texts: every scalar is therefore taken in any of its forms.
import { z } from 'zod';
import type { AnyKind } from '../core/kind.ts';
import { strict } from '../config/channels.ts';
import { ConfigShape, ExplorerShapes, namesOf, SecretText } from '../config/shape.ts';
import { address, LABEL, NAME } from '../config/scalars.ts';
import type { AnyNotifier } from '../notifiers/notifier.ts';
import { AlertShape, FileShape, WatchShape } from './shape.ts';

type JsonSchema = Record<string, unknown>;

/** For `# yaml-language-server: $schema=rules.schema.json`. */
export function rulesJsonSchema(kinds: readonly AnyKind[]): JsonSchema {
  const watches = kinds.map((kind) => watchSchema(kind));
  const file = toJson(FileShape);
  return {
    $schema: DRAFT,
    title: 'Chainwarden rules',
    ...file,
    properties: { ...propertiesOf(file), watches: { ...listOf(file, 'watches'), items: { anyOf: watches } } },
  };
}

/** For `# yaml-language-server: $schema=config.schema.json`. */
export function configJsonSchema(notifiers: readonly AnyNotifier[]): JsonSchema {
  const file = toJson(ConfigShape);
  const namedBy = (name: RegExp, value: JsonSchema): JsonSchema => ({
    ...toJson(namesOf(z.unknown(), name)),
    additionalProperties: value,
  });
  const oneAddress = toJson(address('an address'));
  const oneOfGroup = { anyOf: [oneAddress, { type: 'string', pattern: NAME.source }] };
  const group = {
    type: 'array',
    minItems: 1,
    items: oneOfGroup,
    description: 'a group: addresses and names of others',
  };
  const perExplorer = { type: 'object', additionalProperties: oneAddress, description: 'an address per explorer' };
  return {
    $schema: DRAFT,
    title: 'Chainwarden config',
    ...file,
    properties: {
      ...propertiesOf(file),
      explorers: namedBy(LABEL, { anyOf: Object.values(ExplorerShapes).map((shape) => toJson(shape)) }),
      addresses: namedBy(NAME, { anyOf: [oneAddress, group] }),
      tokens: namedBy(NAME, { anyOf: [oneAddress, perExplorer] }),
      channels: namedBy(LABEL, { anyOf: notifiers.map(channelSchema) }),
    },
  };
}

const DRAFT = 'http://json-schema.org/draft-07/schema#';

/** A zod schema for editors: every scalar is taken in any of its forms. */
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

function propertiesOf(schema: JsonSchema): Record<string, JsonSchema> {
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
  };
}

function alertSchema(kind: AnyKind): JsonSchema {
  const schema = toJson(AlertShape);
  const { while: held, until, for: hold, keep_firing_for: keep, ...event } = propertiesOf(schema);
  const condition = kind.conditions ? { while: held, until, for: hold, keep_firing_for: keep } : {};
  const on = { ...event['on'], enum: [...kind.events] };
  return { ...schema, properties: { ...event, on, ...condition } };
}

/** Keys that the notifier names may be written as secrets. */
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
    },
    required: ['type', ...((schema['required'] ?? []) as string[])],
  };
}

function describing({ description }: JsonSchema): JsonSchema {
  return description === undefined ? {} : { description };
}
