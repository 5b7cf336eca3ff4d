// The operations of the specification that the sandbox answers.
export const OPERATIONS = [
  'token',
  'address',
  'smart-contract',
  'address-tokens',
  'address-internal-transactions',
  'address-transactions',
  'transactions',
  'blocks',
] as const;
export type SandboxOperation = (typeof OPERATIONS)[number];
