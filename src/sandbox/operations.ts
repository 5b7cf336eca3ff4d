// The operations that the sandbox answers: those of the specification, `getLogs` and `txlistinternal`.
export const OPERATIONS = [
  'token',
  'address',
  'smart-contract',
  'address-tokens',
  'address-internal-transactions',
  'address-transactions',
  'transactions',
  'blocks',
  'get-logs',
  'tx-list-internal',
  'address-token-transfers',
  'token-transfers',
] as const;
export type SandboxOperation = (typeof OPERATIONS)[number];
