import type { FieldDoubt, KindAdvice } from '../../core/model/watch/kind.ts';

const FAILED: Omit<FieldDoubt, 'field'> = {
  unless: ['status', 'result', 'revert_reason'],
  message: 'a transaction that failed has a function and arguments, too',
  hint: 'Add && status == "ok", or status == "error".',
};

/** For kinds whose rows have `called`, and `args` with `calls:`. */
export const CALL_ADVICE: KindAdvice = {
  fields: {
    args: 'Arguments are read of functions that calls: names, such as calls: [transfer].',
    raw: 'Numbers before units are there for arguments that units: names, such as units: { amount: 6 }.',
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
