// `routes` of the config as a schema.
import { z } from 'zod';
import { NAME, oneOrMore } from './scalars.ts';

const channels = (description: string) => oneOrMore(description).optional();

/** Patterns by label: a text or a list of texts. */
export const MatcherShape = z.record(
  z.string().regex(NAME, 'a label has letters, digits and underscores, and starts with a letter or underscore'),
  oneOrMore('values of the label: * is any text, a list means any of them, a leading ! means none of them').superRefine(
    (patterns, context) => {
      const message = patternComplaint(patterns);
      if (message !== undefined) context.addIssue({ code: 'custom', message });
    },
  ),
);

/** What is wrong with the patterns of one label; undefined: nothing. */
export function patternComplaint(patterns: readonly string[]): string | undefined {
  const negated = patterns.filter((pattern) => pattern.startsWith('!'));
  if (negated.includes('!')) return 'there is nothing after the !';
  if (negated.length > 0 && negated.length < patterns.length)
    return 'some values of the list have a leading ! and some have none: a list is negated as a whole';
  return undefined;
}

/** One entry of `routes`. */
export const RouteShape = z.strictObject({
  match: MatcherShape.default({}).meta({ description: 'labels of the alerts that are meant; all alerts without it' }),
  notify: channels('channels that are told, where the rule names none'),
  add: channels('channels that are told besides'),
});

export type WrittenRoute = z.output<typeof RouteShape>;
