// A body from the config, for receivers with their own format. It is written as JSON, with `{{ field }}` inside of its
// texts. Only the texts are templates, and they are written back as JSON. So for every alert the body is JSON with the
// template's structure.
import { BODY_FIELDS, bodyOf, type toBody } from './body.ts';

type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

const LONGEST = 16 * 1024;
const DEEPEST = 32;
const OUTPUT = /\{\{\s*([A-Za-z_]\w*(?:\.\w+)*)\s*\}\}/g;

/** The mistake in a template; null if there is none. */
export function bodyFault(source: string): string | null {
  if (source.length > LONGEST) return `has at most ${LONGEST} characters`;
  const parsed = parse(source);
  if (typeof parsed !== 'object' || parsed === null) return NOT_JSON;
  if (isDeeper(parsed, DEEPEST)) return `is nested more than ${DEEPEST} deep`;
  return (
    textsIn(parsed)
      .map(textFault)
      .find((fault) => fault !== null) ?? null
  );
}

const NOT_JSON = 'must be JSON with fields in its texts, such as {"text": "{{ title }}"}';

/** Makes the body of each delivery from a template. `source` must be valid. */
export function compileBody(source: string): typeof toBody {
  const template = parse(source) ?? null;
  return (delivery, links) => {
    const { type, timestamp, data } = bodyOf(delivery, links);
    return JSON.stringify(filled(template, { type, timestamp, ...data }));
  };
}

function parse(source: string): Json | undefined {
  try {
    return JSON.parse(source) as Json;
  } catch {
    return undefined;
  }
}

function textsIn(json: Json): string[] {
  if (typeof json === 'string') return [json];
  return typeof json === 'object' && json !== null ? Object.values(json).flatMap(textsIn) : [];
}

function isDeeper(json: Json, most: number): boolean {
  if (typeof json !== 'object' || json === null) return false;
  return most === 0 || Object.values(json).some((one) => isDeeper(one, most - 1));
}

function textFault(text: string): string | null {
  const [rest] = /\{\{.{0,40}|\{%.{0,40}/s.exec(text.replace(OUTPUT, '')) ?? [];
  if (rest !== undefined)
    return `holds more than a field: ${rest}. A field is written {{ title }} or {{ fields.balance }}`;
  const unknown = [...text.matchAll(OUTPUT)].map(([, path = '']) => path).find((path) => !isField(path));
  return unknown === undefined ? null : `holds no field of an alert: ${unknown}. Possible: ${NAMES.join(', ')}`;
}

const FIELDS: Readonly<Record<string, (typeof BODY_FIELDS)['of']>> = BODY_FIELDS;
const NAMES = Object.keys(FIELDS);

/**
 * True if the path names a field, such as `token.symbol`; false for `token.name`. Always true for a path in `fields`,
 * since these differ from kind to kind.
 */
function isField(path: string): boolean {
  const [name = '', inner, ...deeper] = path.split('.');
  const legal = Object.hasOwn(FIELDS, name) ? FIELDS[name] : undefined;
  if (legal === undefined || inner === undefined || legal === 'any') return legal !== undefined;
  return legal !== 'one value' && deeper.length === 0 && legal.includes(inner);
}

function filled(json: Json, alert: object): Json {
  if (typeof json === 'string') return filledText(json, alert);
  if (typeof json !== 'object' || json === null) return json;
  if (Array.isArray(json)) return json.map((one: Json) => filled(one, alert));
  return Object.fromEntries(Object.entries(json).map(([key, one]: [string, Json]) => [key, filled(one, alert)]));
}

/** A text that consists of one field becomes the field's own value: a number stays a number. */
function filledText(text: string, alert: object): Json {
  const [whole, path = ''] = new RegExp(`^${OUTPUT.source}$`).exec(text) ?? [];
  if (whole !== undefined) return valueAt(alert, path) ?? null;
  return text.replace(OUTPUT, (_all, name: string) => shown(valueAt(alert, name)));
}

function shown(value: Json | undefined): string {
  if (value === undefined || value === null) return 'unknown';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function valueAt(alert: object, path: string): Json | undefined {
  let value: unknown = alert;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return value as Json | undefined;
}
