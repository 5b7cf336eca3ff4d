// The channels that a rule names.
import { hintFor } from '../../config/values/nearest.ts';
import { quote } from '../../config/values/scalars.ts';
import type { Path } from '../../config/yaml/written.ts';
import type { WrittenAlert } from '../schema/shape.ts';
import type { Compiling } from './model.ts';

/** The channels that the alert names, else its watch, else the file; null: the routes decide. */
export function namedChannels(compiling: Compiling, alert: WrittenAlert, path: Path): readonly string[] | null {
  const { place, watch, catalogue, complain } = compiling;
  const all = [...catalogue.config.channels.keys()];
  const names = alert.notify ?? watch.notify ?? place.defaults.notify ?? null;
  // Without any route, an alert without `notify` has no channel, whatever its labels.
  if (names === null && catalogue.config.routes.length === 0) complainOfNobody(compiling, path);
  for (const [i, name] of (names ?? []).entries()) {
    if (all.includes(name)) continue;
    const at = names?.length === 1 ? ['notify'] : ['notify', i];
    const where = alert.notify !== undefined ? [...path, ...at] : watch.notify !== undefined ? at : path;
    complain(where, { message: `no channel ${quote(name)}`, hint: hintFor(name, all) });
  }
  return names;
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
