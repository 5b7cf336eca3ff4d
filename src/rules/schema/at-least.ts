// `at_least` of an alert: a number of items within a time, a sum of one of their fields, or a part of
// them; or a number of items one after another.
import { z } from 'zod';
import { duration, integer, quantity, share, text } from '../../config/values/scalars.ts';

const HALF_YEAR_MS = 183 * 86_400_000;

export const AtLeastShape = z
  .strictObject({
    count: integer(1, 1000, 'number of items').optional(),
    sum: text('a field that is added up, such as value', 200).optional(),
    than: quantity('least value of the sum').optional(),
    ratio: share('least part of the items that count').optional(),
    of: z
      .string()
      .optional()
      .meta({
        description: 'condition on the items that count; all without it. `if` selects the part',
        examples: ['method == "swap"'],
      }),
    min: integer(1, 1_000_000, 'least number of items for which the ratio is judged').optional(),
    in_a_row: integer(2, 500, 'number of items one after another, in the order of the chain').optional(),
    within: duration(
      1000,
      HALF_YEAR_MS,
      'time within which the items happen, by their own times; not with in_a_row',
    ).optional(),
  })
  .superRefine((written, context) => {
    const complaint = complaintOf(written);
    if (complaint !== null) context.addIssue({ code: 'custom', ...complaint });
  });

export type WrittenAtLeast = z.output<typeof AtLeastShape>;

/** The keys that may stand beside each way of counting; true: the key is required. */
const BESIDE = {
  count: { within: true },
  sum: { than: true, within: true },
  ratio: { min: true, of: false, within: true },
  in_a_row: {},
} as const satisfies Record<string, Partial<Record<keyof WrittenAtLeast, boolean>>>;

const WAYS = ['count', 'sum', 'ratio', 'in_a_row'] as const;
const OTHERS = ['than', 'of', 'min', 'within'] as const;

function complaintOf(written: WrittenAtLeast): { readonly path: string[]; readonly message: string } | null {
  const [way, second] = WAYS.filter((key) => written[key] !== undefined);
  if (way === undefined)
    return { path: [], message: 'count, sum, ratio or in_a_row is missing: write how many, or how much' };
  if (second !== undefined) return { path: [second], message: `${way} and ${second} are both there: keep one of them` };
  const beside: Partial<Record<(typeof OTHERS)[number], boolean>> = BESIDE[way];
  const missing = OTHERS.find((key) => beside[key] === true && written[key] === undefined);
  if (missing !== undefined) return { path: [way], message: `${way} needs ${missing} beside it` };
  const stranger = OTHERS.find((key) => beside[key] === undefined && written[key] !== undefined);
  return stranger === undefined ? null : { path: [stranger], message: `${stranger} does not go with ${way}` };
}
