// Fan-out: one instance per explorer, address and token, even if several names or groups lead to it.
import { Address, shortHex } from '../../core/values/address.ts';
import type { AnyKind } from '../../core/model/watch/kind.ts';
import type { ExplorerSettings } from '../../config/model.ts';
import { hintFor, nearest } from '../../config/values/nearest.ts';
import { addressComplaint, quote } from '../../config/values/scalars.ts';
import type { Path } from '../../config/yaml/written.ts';
import { meaningOn } from './catalogue.ts';
import type { Compiling } from './model.ts';

export interface Instance {
  readonly explorer: ExplorerSettings;
  readonly address: Address | null;
  readonly token: Address | null;
  /** A label that distinguishes the instance from others of the rule; null if it is the only one. */
  readonly label: string | null;
}

/** All instances of a watch. A name that cannot be resolved is reported and has no instance. */
export function spread(compiling: Compiling): readonly Instance[] {
  if (!hasEither(compiling)) return [];
  const explorers = explorersOf(compiling);
  const instances = new Map<string, Instance>();
  let mostTokens = 0;
  for (const explorer of explorers) {
    const addresses = addressesOf(compiling, explorer);
    const tokens = tokensOf(compiling, explorer);
    mostTokens = Math.max(mostTokens, tokens.length);
    for (const address of addresses)
      for (const token of tokens) {
        const key = [explorer.name, address?.key, token?.key].join(' ');
        if (!instances.has(key)) instances.set(key, { explorer, address, token, label: null });
      }
  }
  const fans = { explorers: explorers.length > 1, addresses: namesSeveral(compiling), tokens: mostTokens > 1 };
  return labelled(compiling, [...instances.values()], fans);
}

/**
 * Attackers make addresses that look like others. If the short forms of two labels are equal, both get whole addresses.
 */
function labelled(compiling: Compiling, instances: readonly Instance[], fans: Fans): readonly Instance[] {
  const named = instances.map((instance) => ({ ...instance, label: labelOf(compiling, instance, fans, shortHex) }));
  const seen = new Set<string | null>();
  const alike = new Set(named.flatMap(({ label }) => (seen.size === seen.add(label).size ? [label] : [])));
  if (alike.size === 0) return named;
  return named.map((instance) =>
    alike.has(instance.label) ? { ...instance, label: labelOf(compiling, instance, fans, (whole) => whole) } : instance,
  );
}

/** A group with one member counts as several addresses, so that adding a member does not rename the first one. */
function namesSeveral({ watch: { of = [] }, catalogue }: Compiling): boolean {
  return of.length > 1 || of.some((name) => catalogue.config.names.get(name)?.type === 'group');
}

/** The dimensions over which a watch is spread. */
interface Fans {
  readonly explorers: boolean;
  readonly addresses: boolean;
  readonly tokens: boolean;
}

function labelOf(
  { catalogue }: Compiling,
  { explorer, address, token }: Instance,
  fans: Fans,
  written: (address: string) => string,
): string | null {
  const parts: string[] = [];
  if (fans.explorers) parts.push(explorer.name);
  if (fans.addresses && address !== null)
    parts.push(catalogue.names.on(explorer.name)(address) ?? written(address.text));
  if (fans.tokens)
    parts.push(
      token === null ? explorer.coin.symbol : (catalogue.names.ofToken(token, explorer.name) ?? written(token.text)),
    );
  return parts.length === 0 ? null : parts.join(', ');
}

function explorersOf({ place, watch, catalogue, complain }: Compiling): readonly ExplorerSettings[] {
  const all = [...catalogue.config.explorers.keys()];
  const names = watch.explorer ?? place.defaults.explorer ?? (all.length === 1 ? all : undefined);
  if (names === undefined) {
    complain([], { message: 'explorer is missing', hint: `There are several: ${all.join(', ')}.` });
    return [];
  }
  const isOwn = watch.explorer !== undefined;
  const explorers: ExplorerSettings[] = [];
  for (const [i, name] of names.entries()) {
    const explorer = catalogue.explorer(name);
    if (explorer !== undefined) explorers.push(explorer);
    else
      complain(isOwn ? pathTo(['explorer'], names, i) : [], {
        message: `no explorer ${quote(name)}`,
        hint: hintFor(name, all),
      });
  }
  return [...new Set(explorers)];
}

/** The path of an item. If the file has a single text in place of a list, the path has no index. */
function pathTo(path: Path, items: readonly unknown[], index: number): Path {
  return items.length > 1 ? [...path, index] : path;
}

function addressesOf(compiling: Compiling, explorer: ExplorerSettings): readonly (Address | null)[] {
  const { kind, watch, complain } = compiling;
  const { of } = watch;
  if (!fits(kind, { key: 'of', written: of, presence: kind.of }, complain)) return [];
  return of === undefined ? [null] : addressesNamed(compiling, { key: 'of', written: of }, explorer);
}

/** The addresses of a list of names, groups and addresses. A name without an address is reported. */
export function addressesNamed(
  { catalogue, complain }: Compiling,
  { key, written: all }: { readonly key: string; readonly written: readonly string[] },
  explorer: ExplorerSettings,
): readonly Address[] {
  return all.flatMap((written, i) => {
    const literal = Address.parse(written);
    if (literal !== undefined) return [literal];
    const name = catalogue.config.names.get(written);
    const meaning = name === undefined ? undefined : meaningOn(name, explorer.name);
    if (meaning === undefined)
      complain(pathTo([key], all, i), unknownName('address', written, catalogue.config.names.keys()));
    if (meaning === 'absent') complain(pathTo([key], all, i), absentToken(written, explorer));
    return meaning === undefined || meaning === 'absent' ? [] : meaning instanceof Address ? [meaning] : meaning;
  });
}

function unknownName(
  what: 'address' | 'token',
  written: string,
  names: Iterable<string>,
): { message: string; hint?: string | undefined } {
  if (/^0x/i.test(written)) return { message: addressComplaint(written) };
  if (written.includes(',')) return { message: 'several names are a list', hint: `Write [${written}].` };
  if (what === 'address') return { message: `no address ${quote(written)}`, hint: hintFor(written, names) };
  // Names of tokens are often similar, so a similar name may well be another token and not the right spelling.
  const near = nearest(written, names);
  const hint =
    near === undefined
      ? 'Define it in the config under tokens:.'
      : `Define it in the config under tokens:, or write ${near} if that was meant.`;
  return { message: `no token ${quote(written)}`, hint };
}

function absentToken(written: string, explorer: ExplorerSettings): { message: string; hint: string } {
  return {
    message: `${quote(written)} has no address on ${explorer.name}`,
    hint: `Add one in the config: tokens: ${written}: ${explorer.name}.`,
  };
}

function tokensOf(
  { kind, watch, catalogue, complain }: Compiling,
  explorer: ExplorerSettings,
): readonly (Address | null)[] {
  const { token } = watch;
  if (!fits(kind, { key: 'token', written: token, presence: kind.token }, complain)) return [];
  if (token === undefined) return [null];
  const tokens = token.flatMap((written, i) => {
    const literal = Address.parse(written);
    if (literal !== undefined) return [literal];
    const name = catalogue.config.names.get(written);
    const meaning = name === undefined ? undefined : meaningOn(name, explorer.name);
    if (name?.type === 'token' && meaning instanceof Address) return [meaning];
    const legal = [...catalogue.config.names].filter(([, { type }]) => type === 'token').map(([one]) => one);
    complain(
      pathTo(['token'], token, i),
      meaning === 'absent' ? absentToken(written, explorer) : unknownName('token', written, legal),
    );
    return [];
  });
  return distinct(tokens);
}

interface TargetKey {
  readonly key: 'of' | 'token';
  readonly written: unknown;
  readonly presence: AnyKind['of'];
}

/**
 * The hint for a key that is not allowed. If a watch that needs a token has `of`, the author may have meant `token`.
 */
function otherKeyHint(kind: AnyKind, key: TargetKey['key']): string {
  const isToken = key === 'of' && kind.token === 'required';
  return isToken ? 'Remove it, and name the token with the key token.' : 'Remove it.';
}

/** Reports a key that is present but not allowed, or absent but required. Returns false in both cases. */
function fits(kind: AnyKind, { key, written, presence }: TargetKey, complain: Compiling['complain']): boolean {
  if (presence === 'none' && written !== undefined) {
    complain([], { key, message: `${kind.name} takes no ${key}`, hint: otherKeyHint(kind, key) });
    return false;
  }
  if (presence === 'required' && written === undefined) {
    complain([], {
      message: `${key} is missing`,
      hint: `${kind.name} needs ${key === 'of' ? 'an address' : 'a token'}.`,
    });
    return false;
  }
  return true;
}

/** Reports a watch that has neither `of` nor `token` although its kind needs one of them. */
function hasEither({ kind, watch, complain }: Compiling): boolean {
  if (kind.of !== 'either' || watch.of !== undefined || watch.token !== undefined) return true;
  complain([], { message: 'of or token is missing', hint: `${kind.name} needs an address, a token, or both.` });
  return false;
}

function distinct(addresses: readonly Address[]): readonly Address[] {
  const byKey = new Map<string, Address>();
  for (const address of addresses) if (!byKey.has(address.key)) byKey.set(address.key, address);
  return [...byKey.values()];
}
