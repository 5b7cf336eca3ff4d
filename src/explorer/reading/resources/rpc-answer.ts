import { bool, int, natural, text } from '../../../core/values/field-declarations.ts';
import { isRow, type RawRow } from '../../../core/values/fields.ts';
import { RecordType } from '../../../core/values/record-type.ts';

const HEX = /^0x[0-9a-f]*$/i;

/** The answer to one call of a request to the JSON-RPC. */
export const RpcAnswer = new RecordType(
  'RpcAnswer',
  {
    id: natural('place of the call in the request'),
    result: text('value that the call returned, as hexadecimal digits', { fromRow: resultOf }),
    error_code: int('code of the error', { fromRow: ({ error }) => (isRow(error) ? error['code'] : undefined) }),
    is_revert: bool('whether the contract ended the call with an error', { fromRow: ({ error }) => isRevert(error) }),
    is_refusal: bool('whether the explorer refuses the call', { fromRow: ({ error }) => isRefusal(error) }),
    error_message: text('the reason why there is no value', {
      fromRow: ({ error }) => (isRow(error) ? error['message'] : error),
    }),
  },
  { ignored: ['jsonrpc', 'error'] },
);

function resultOf({ result }: RawRow): unknown {
  return typeof result === 'string' && HEX.test(result) ? result.toLowerCase() : undefined;
}

// Nethermind and OpenEthereum.
const REVERTED = [3, -32015];
const CONTRACT_ERRORS =
  /revert|invalid opcode|bad instruction|invalid jump|bad jump|out of gas|stack (?:underflow|limit)/i;

/** True if the contract ended the call with an error. Nodes differ in the text and in the code of this error. */
export function isRevert(error: unknown): boolean {
  const [code, message] = isRow(error) ? [error['code'], error['message']] : [null, error];
  return REVERTED.includes(Number(code ?? NaN)) || (typeof message === 'string' && CONTRACT_ERRORS.test(message));
}

/** The text about an explorer that refuses all calls. */
export const NO_CALLS = 'answers no eth_call (before 6.3, or switched off)';

/** True if the explorer says that the request was wrong, or that it does not have the method. */
function isRefusal(error: unknown): boolean {
  if (isRevert(error)) return false;
  if (!isRow(error)) return typeof error === 'string';
  const code = Number(error['code']);
  return code >= -32603 && code <= -32600;
}
