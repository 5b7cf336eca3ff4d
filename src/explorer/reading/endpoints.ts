// The operations of the API as questions; the numbers are sections of the explorer API's specification. Requests as
// data: nothing here reads anything. The fewest parameters: newer releases refuse any that they did not declare.
import type { Address } from '../../core/values/address.ts';
import type { Fields } from '../../core/values/fields.ts';
import type { RecordType } from '../../core/values/record-type.ts';
import type { ListQuestion, OneQuestion, Operation } from '../../core/model/question.ts';
import { AddressDetails, Block, InternalTransaction, Token, TokenBalance, Transaction } from './resources.ts';

const CALL = 20;
const INTERNAL_TRANSACTIONS_CALL = 40;

/** 4.1: details of one token, its reputation among them. */
export function tokenDetails(explorer: string, token: Address): OneQuestion<typeof Token.fields> {
  return one(explorer, 'token', `tokens/${token.key}`, Token);
}

/** Details of one address: the only place that shows its coins. */
export function addressDetails(explorer: string, address: Address): OneQuestion<typeof AddressDetails.fields> {
  return one(explorer, 'address', `addresses/${address.key}`, AddressDetails);
}

/** 4.2, unfiltered: the same question for every balance and holdings watch of an address. */
export function addressTokens(explorer: string, address: Address): ListQuestion<typeof TokenBalance.fields> {
  return list(explorer, 'address-tokens', `addresses/${address.key}/tokens`, TokenBalance);
}

/** 4.3 */
export function addressInternalTransactions(
  explorer: string,
  address: Address,
  direction: 'to' | 'from' | undefined,
): ListQuestion<typeof InternalTransaction.fields> {
  const params: Record<string, string> = direction === undefined ? {} : { filter: direction };
  const path = `addresses/${address.key}/internal-transactions`;
  return {
    ...list(explorer, 'address-internal-transactions', path, InternalTransaction, params),
    credits: INTERNAL_TRANSACTIONS_CALL,
  };
}

/** The transactions of one address: pending ones included, so that one can be seen being mined. */
export function addressTransactions(explorer: string, address: Address): ListQuestion<typeof Transaction.fields> {
  return list(explorer, 'address-transactions', `addresses/${address.key}/transactions`, Transaction);
}

/** 4.4: the validated transactions of the whole chain. */
export function transactions(explorer: string): ListQuestion<typeof Transaction.fields> {
  return list(explorer, 'transactions', 'transactions', Transaction);
}

/** 4.5 */
export function blocks(explorer: string): ListQuestion<typeof Block.fields> {
  return list(explorer, 'blocks', 'blocks', Block);
}

function one<F extends Fields>(
  explorer: string,
  operation: Operation,
  path: string,
  record: RecordType<F>,
): OneQuestion<F> {
  return { shape: 'one', explorer, operation, path, params: {}, credits: CALL, record };
}

function list<F extends Fields>(
  explorer: string,
  operation: Operation,
  path: string,
  record: RecordType<F>,
  params: Record<string, string> = {},
): ListQuestion<F> {
  return { shape: 'list', explorer, operation, path, params, credits: CALL, record };
}
