import type { JsonRow } from '../answer.ts';
import type { TokenBase } from '../chain/catalogue.ts';
import type { World } from '../world.ts';

/** The row of a token at the head. */
export function renderToken(world: World, token: TokenBase): JsonRow {
  const view = { ...world.tokens.view(token, world.head()) };
  return world.dialect.write('token', view, () => ({ is_bridged: token.bridged !== undefined }));
}
