// All kinds. A new kind is a file in this folder and its line here.
import type { AnyKind } from '../core/model/watch/kind.ts';
import { balance } from './balance.ts';
import { blocks } from './blocks.ts';
import { contract } from './contract.ts';
import { holdings } from './holdings.ts';
import { internalTransactions } from './internal-transactions.ts';
import { logs } from './logs.ts';
import { read } from './read.ts';
import { token } from './token.ts';
import { transactions } from './transactions.ts';
import { transfers } from './transfers.ts';

// Each kind's methods take the target and state of its own schemas; the list drops these types.
export const kinds: readonly AnyKind[] = [
  balance,
  holdings,
  token,
  contract,
  internalTransactions,
  transactions,
  transfers,
  logs,
  read,
  blocks,
];
