import { createHash } from 'node:crypto';
import type { JsonRow } from '../answer.ts';
import { keyOf } from '../chain/keys.ts';
import type { World } from '../world.ts';
import { renderImplementations } from './implementations.ts';

/** `smart-contracts/{hash}`; undefined if no source is verified there. */
export function renderSmartContract(world: World, address: string): JsonRow | undefined {
  const ref = world.ref(world.tokens.find(address)?.address ?? address);
  if (!ref.is_contract || !ref.is_verified) return undefined;
  const upgrade = world.overlay.upgrades.get(keyOf(address));
  const proxy = renderImplementations(ref, world.overlay);
  const row = {
    name: ref.name,
    is_verified: true,
    is_changed_bytecode: false,
    verified_at: '2025-01-01T00:00:00.000000Z',
    compiler_version: 'v0.8.24+commit.e11b9ed9',
    deployed_bytecode: codeOf(address),
    ...proxy,
    conflicting_implementations: upgrade?.conflicting === true ? [proxy, { ...proxy, proxy_type: 'eip1822' }] : null,
  };
  return world.dialect.write('smart-contract', row, () => ({}));
}

function codeOf(address: string): string {
  return `0x${createHash('sha256').update(keyOf(address)).digest('hex')}`;
}
