// The operations that the sandbox answers: those of the specification, and `getLogs`.
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
  'address-token-transfers',
  'token-transfers',
] as const;
export type SandboxOperation = (typeof OPERATIONS)[number];
