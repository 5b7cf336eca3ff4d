import type { JsonRow } from '../answer.ts';
import { keyOf } from '../chain/keys.ts';
import type { TokenBase } from '../chain/catalogue.ts';
import type { World } from '../world.ts';

/** The row of a token at the head. */
export function renderToken(world: World, token: TokenBase): JsonRow {
  const price = world.overlay.prices.tokens.get(keyOf(token.address));
  const view = { ...world.tokens.view(token, world.head()), ...(price === undefined ? {} : { exchange_rate: price }) };
  return world.dialect.write('token', view, () => ({ is_bridged: token.bridged !== undefined }));
}
