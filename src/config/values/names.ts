// The names that rules may use: addresses, groups and tokens share one name space.
import { Address } from '../../core/values/address.ts';
import { ADDRESS_FORMS, type Name } from '../model.ts';
import { hintFor } from './nearest.ts';
import type { Problem } from '../problem.ts';
import { addressComplaint, LABEL, NAME, quote } from './scalars.ts';
import { type Path, type WrittenMap, isMap } from '../yaml/written.ts';
import type { Source } from '../yaml/yaml.ts';

interface Written {
  readonly addresses: Readonly<Record<string, unknown>>;
  readonly tokens: Readonly<Record<string, unknown>>;
}

const MOST_IN_GROUP = 10_000;
const DEEPEST_GROUP = 50;

/** `explorers` are the names that the map of a token may have as keys. */
export function readNames(
  source: Source,
  { addresses, tokens }: Written,
  explorers: readonly string[],
): { value: ReadonlyMap<string, Name>; problems: readonly Problem[] } {
  const reader = new NameReader(source, addresses);
  for (const name of Object.keys(addresses)) if (NAME.test(name)) reader.addAddress(name);
  for (const [name, written] of Object.entries(tokens)) if (NAME.test(name)) reader.addToken(name, written, explorers);
  return { value: reader.names, problems: reader.problems };
}

class NameReader {
  readonly names = new Map<string, Name>();
  readonly problems: Problem[] = [];
  readonly #source: Source;
  /** Groups that are already expanded into the current one. */
  readonly #gathered = new Set<string>();
  readonly #addresses: Readonly<Record<string, unknown>>;

  constructor(source: Source, addresses: Readonly<Record<string, unknown>>) {
    this.#source = source;
    this.#addresses = addresses;
  }

  addAddress(name: string): void {
    const path = ['addresses', name];
    const written = this.#addresses[name];
    if (typeof written === 'string') {
      const address = Address.parse(written);
      if (address === undefined) this.#complain(path, addressComplaint(written));
      else this.names.set(name, { type: 'address', path, address, is: null });
    } else if (isMap(written)) {
      const address = this.#ofMap(path, written);
      const is = ADDRESS_FORMS.find((form) => form === written['is']);
      if (address !== undefined && is !== undefined) this.names.set(name, { type: 'address', path, address, is });
    } else if (Array.isArray(written)) {
      const found = new Map<string, Address>();
      this.#gathered.clear();
      this.#gather(written, path, [name], found);
      if (found.size === 0 && written.length === 0) this.#complain(path, 'the group is empty');
      this.names.set(name, { type: 'group', path, addresses: [...found.values()] });
    } else this.#complain(path, 'must be an address or a list of addresses');
  }

  /** `{ address: 0x…, is: contract }` */
  #ofMap(path: Path, { address: written, is, ...others }: WrittenMap): Address | undefined {
    if (written === undefined || is === undefined) {
      this.#complain(path, 'a map of an address has address and is', 'For example { address: 0x…, is: contract }.');
      return undefined;
    }
    for (const key of Object.keys(others)) this.#complain(path, `unknown key ${quote(key)}`, undefined, key);
    if (!ADDRESS_FORMS.some((form) => form === is))
      this.#complain([...path, 'is'], `must be one of ${ADDRESS_FORMS.join(', ')}`);
    const text = typeof written === 'string' ? written : '';
    const address = Address.parse(text);
    if (address === undefined) this.#complain([...path, 'address'], addressComplaint(text));
    return address;
  }

  // `trail` has the groups that lead to this one, so that a group that contains itself is found.
  #gather(items: readonly unknown[], path: Path, trail: readonly string[], into: Map<string, Address>): void {
    if (items.length > MOST_IN_GROUP) {
      this.#complain(path, `a group has at most ${MOST_IN_GROUP} addresses`);
      return;
    }
    for (const [i, item] of items.entries()) this.#gatherOne(item, [...path, i], trail, into);
  }

  #gatherOne(item: unknown, path: Path, trail: readonly string[], into: Map<string, Address>): void {
    const isOwn = trail.length === 1;
    const complain = (message: string, hint?: string): void => {
      if (isOwn) this.#complain(path, message, hint);
    };
    if (typeof item !== 'string') {
      complain('must be an address or the name of one');
      return;
    }
    const address = Address.parse(item);
    if (address !== undefined) {
      into.set(address.key, address);
      return;
    }
    if (!Object.hasOwn(this.#addresses, item)) {
      if (item.startsWith('0x')) complain(addressComplaint(item));
      else complain(`no address ${quote(item)}`, hintFor(item, Object.keys(this.#addresses)));
      return;
    }
    if (trail.includes(item)) {
      this.#complain(path, `the group holds itself: ${[...trail, item].join(' > ')}`);
      return;
    }
    if (trail.length > DEEPEST_GROUP) {
      this.#complain(path, `groups are nested more than ${DEEPEST_GROUP} deep`);
      return;
    }
    const found = this.#addresses[item];
    const named = isMap(found) ? found['address'] : found;
    // A group that several others contain is expanded once: a few lines could otherwise take exponential time.
    if (this.#gathered.has(item)) return;
    if (Array.isArray(named)) this.#gathered.add(item);
    if (Array.isArray(named)) this.#gather(named, ['addresses', item], [...trail, item], into);
    else
      this.#gatherOne(typeof named === 'string' && named.startsWith('0x') ? named : '0x', path, [...trail, item], into);
  }

  addToken(name: string, written: unknown, explorers: readonly string[]): void {
    const path = ['tokens', name];
    if (Object.hasOwn(this.#addresses, name)) {
      this.#complain(['tokens'], `${quote(name)} is the name of an address already`, 'Names are shared.', name);
      return;
    }
    if (typeof written === 'string') {
      const everywhere = Address.parse(written);
      if (everywhere === undefined) this.#complain(path, addressComplaint(written));
      else this.names.set(name, { type: 'token', path, everywhere, byExplorer: new Map() });
      return;
    }
    if (!isMap(written)) {
      this.#complain(path, 'must be an address, or a map from explorer to address');
      return;
    }
    this.names.set(name, {
      type: 'token',
      path,
      everywhere: null,
      byExplorer: this.#perExplorer(path, written, explorers),
    });
  }

  #perExplorer(path: Path, written: WrittenMap, explorers: readonly string[]): ReadonlyMap<string, Address> {
    const byExplorer = new Map<string, Address>();
    for (const [explorer, text] of Object.entries(written)) {
      const address = typeof text === 'string' ? Address.parse(text) : undefined;
      if (!explorers.includes(explorer) || !LABEL.test(explorer))
        this.#complain(path, `no explorer ${quote(explorer)}`, hintFor(explorer, explorers), explorer);
      if (address === undefined)
        this.#complain([...path, explorer], addressComplaint(typeof text === 'string' ? text : ''));
      else byExplorer.set(explorer, address);
    }
    return byExplorer;
  }

  #complain(path: Path, message: string, hint?: string, key?: string): void {
    this.problems.push(this.#source.problem(path, { message, hint, ...(key === undefined ? {} : { key }) }));
  }
}
