import type { FieldDoubt, KindAdvice } from '../../core/model/watch/kind.ts';

const FAILED: Omit<FieldDoubt, 'field'> = {
  unless: ['status', 'result', 'revert_reason'],
  message: 'a transaction that failed has a function and arguments, too',
  hint: 'Add && status == "ok", or status == "error".',
};

/** Words of the list of transactions, which a rule for the same functions has. */
const OF_TRANSACTIONS = {
  status: 'Write success == true, or success == false.',
  revert_reason: 'Write error, which is why the call failed.',
};

const METHOD = 'Compare called, the name by signatures that are known here.';

/** For rows whose call data is read only in a watch with `calls:`. */
export const NESTED_ADVICE: KindAdvice = {
  fields: {
    ...OF_TRANSACTIONS,
    ...Object.fromEntries(
      ['selector', 'called', 'method', 'args', 'raw', 'raw_input'].map((field) => [
        field,
        'The list of calls has no call data. Another list is read where the watch has calls:, such as calls: [pause].',
      ]),
    ),
  },
  doubts: [],
};

const NAMELESS = 'The list that calls: reads has addresses alone: compare the address, or leave calls out.';

const UNDONE: Omit<FieldDoubt, 'field'> = {
  unless: ['success', 'error'],
  message: 'a call that failed has a function and arguments, too',
  hint: 'Add && success == true, or success == false.',
};

const DELEGATED: Omit<FieldDoubt, 'field'> = {
  unless: ['type', 'from.hash'],
  of: 'critical',
  message: 'any contract can delegate such a call to the address: its code then runs there, and nothing changes here',
  hint: 'Add && call.type == "call".',
};

/** For the same rows in a watch with `calls:`. `canBeCalled`: the rows may be calls to the address. */
export function nestedCallAdvice(canBeCalled: boolean): KindAdvice {
  const doubts = canBeCalled ? [UNDONE, DELEGATED] : [UNDONE];
  return {
    fields: {
      ...OF_TRANSACTIONS,
      method: METHOD,
      raw: 'Only arguments that `units:` names have numbers before units, such as units: { amount: 6 }.',
      args: 'Only functions that `calls:` names have arguments, such as calls: [transfer].',
      transaction_index: 'The list that calls: reads does not have it.',
    },
    parts: { from: NAMELESS, to: NAMELESS, created_contract: NAMELESS },
    doubts: doubts.flatMap((doubt) => [
      { ...doubt, field: 'called' },
      { ...doubt, field: 'args' },
    ]),
  };
}

/** For kinds whose rows have `called`, and `args` with `calls:`. */
export const CALL_ADVICE: KindAdvice = {
  fields: {
    success: 'Write status == "ok", or status == "error".',
    error: 'Write revert_reason, which is why the transaction failed.',
    args: 'Only functions that `calls:` names have arguments, such as calls: [transfer].',
    raw: 'Only arguments that `units:` names have numbers before units, such as units: { amount: 6 }.',
  },
  doubts: [
    { ...FAILED, field: 'called' },
    { ...FAILED, field: 'args' },
    {
      field: 'method',
      unless: ['called', 'selector'],
      of: 'critical',
      message: 'the explorer may take the name of a method from another contract',
      hint: 'Compare called, which goes by signatures that are known here.',
    },
  ],
};
