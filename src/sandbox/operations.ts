// The operations that the sandbox answers: those of the specification, `getLogs`, `txlistinternal`, calls of contracts, and
// one transaction with what it changed.
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
  'eth-rpc',
  'address-logs',
  'transaction',
  'state-changes',
] as const;
export type SandboxOperation = (typeof OPERATIONS)[number];
