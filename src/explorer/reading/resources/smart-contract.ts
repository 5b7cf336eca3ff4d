// `smart-contracts/{hash}`: the code at an address, and its source if it is verified. The specification does not
// describe this request. The answer contains the whole source, so only a few fields are read.
import { createHash } from 'node:crypto';
import { bool, hash, text, time } from '../../../core/values/field-declarations.ts';
import type { RawRow } from '../../../core/values/fields.ts';
import { RecordType } from '../../../core/values/record-type.ts';
import { IGNORED_KEYS } from '../../ignored-keys.ts';

export const SmartContract = new RecordType(
  'SmartContract',
  {
    code_hash: hash('SHA-256 of the code at the address', { was: ['deployed_bytecode'], fromRow: codeHashOf }),
    conflicting: bool('whether the detectors of the explorer disagree about the implementation', {
      was: ['conflicting_implementations'],
      fromRow: conflictOf,
    }),
    is_changed_bytecode: bool('whether the code differs from the verified one; unknown if none is verified', {
      fromRow: ({ is_verified, is_changed_bytecode }) => (is_verified === true ? is_changed_bytecode : undefined),
    }),
    verified_at: time('the time at which the source was verified'),
    compiler_version: text('compiler of the verified source'),
  },
  { ignored: IGNORED_KEYS.SmartContract },
);

function codeHashOf({ deployed_bytecode: code }: RawRow): unknown {
  if (typeof code !== 'string' || !/^0x(?:[0-9a-f]{2})+$/i.test(code)) return undefined;
  return `0x${createHash('sha256').update(code.slice(2), 'hex').digest('hex')}`;
}

/** Releases from 9.1 on list the implementations if detectors found several, and send null if they agree. */
function conflictOf({ conflicting_implementations: found }: RawRow): unknown {
  if (found === undefined) return undefined;
  return Array.isArray(found) && found.length > 1;
}
