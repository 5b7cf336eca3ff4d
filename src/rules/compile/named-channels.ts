// The channels that a rule names.
import { hintFor } from '../../config/values/nearest.ts';
import { quote } from '../../config/values/scalars.ts';
import type { Path } from '../../config/yaml/written.ts';
import type { WrittenAlert } from '../schema/shape.ts';
import type { Compiling } from './model.ts';

/** The channels that the alert names, else its watch, else the file; null: the routes decide. */
export function namedChannels(compiling: Compiling, alert: WrittenAlert, path: Path): readonly string[] | null {
  const { place, watch, catalogue, complain } = compiling;
  const names = alert.notify ?? watch.notify ?? place.defaults.notify ?? null;
  // Without any route, an alert without `notify` has no channel, whatever its labels.
  if (names === null && catalogue.config.routes.length === 0) complainOfNobody(compiling, path);
  complainOfUnknown({ catalogue, complain }, names ?? [], (at) =>
    alert.notify !== undefined ? [...path, ...at] : watch.notify !== undefined ? at : path,
  );
  return names;
}

/**
 * Reports names that are no channel. `placeOf` returns the place of a name in the file. Its argument is the path of the
 * name below the file, the watch or the alert with the key `notify`.
 */
export function complainOfUnknown(
  { catalogue, complain }: Pick<Compiling, 'catalogue' | 'complain'>,
  names: readonly string[],
  placeOf: (at: Path) => Path,
): void {
  const all = [...catalogue.config.channels.keys()];
  for (const [i, name] of names.entries())
    if (!all.includes(name))
      complain(placeOf(itemPath('notify', names, i)), {
        message: `no channel ${quote(name)}`,
        hint: hintFor(name, all),
      });
}

/** The path of an item. If the file has a single text in place of a list, the path has no index. */
export function itemPath(key: string, items: readonly unknown[], index: number): Path {
  return items.length > 1 ? [key, index] : [key];
}

/** Reports an alert without a channel: it names none, and no route leads to one. */
export function complainOfNobody({ catalogue, complain }: Pick<Compiling, 'catalogue' | 'complain'>, path: Path): void {
  const { channels, routes } = catalogue.config;
  const route = routes.length === 0 ? '' : ', or a route that matches it';
  complain(path, {
    message: 'no notification channel is set',
    hint: `Write notify: one or more of ${[...channels.keys()].join(', ')}${route}.`,
  });
}
