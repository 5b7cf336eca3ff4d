import { int, natural, text } from '../../../core/values/field-declarations.ts';
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
    error_message: text('why there is no value', { fromRow: ({ error }) => (isRow(error) ? error['message'] : error) }),
  },
  { ignored: ['jsonrpc', 'error'] },
);

function resultOf({ result }: RawRow): unknown {
  return typeof result === 'string' && HEX.test(result) ? result.toLowerCase() : undefined;
}
