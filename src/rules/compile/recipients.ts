// The recipients of an alert.
import { hintFor } from '../../config/nearest.ts';
import { quote } from '../../config/scalars.ts';
import type { Path } from '../../config/yaml/written.ts';
import type { Recipient } from '../../core/model/ids.ts';
import type { WrittenAlert } from '../schema/shape.ts';
import type { Compiling } from './model.ts';

/** The recipients of the channels that the alert names, else its watch, else the file, else the only channel. */
export function recipientsOf(compiling: Compiling, alert: WrittenAlert, path: Path): readonly Recipient[] {
  const { place, watch, catalogue, complain } = compiling;
  const all = [...catalogue.config.channels.keys()];
  const names = alert.notify ?? watch.notify ?? place.defaults.notify ?? (all.length === 1 ? all : undefined);
  if (names === undefined) {
    complain(path, { message: 'tells nobody', hint: `Write notify: one or more of ${all.join(', ')}.` });
    return [];
  }
  const recipients = new Map<string, Recipient>();
  for (const [i, name] of names.entries()) {
    const told = catalogue.recipients(name);
    for (const one of told ?? []) recipients.set(`${one.channel} ${one.recipient}`, one);
    if (told !== undefined) continue;
    const at = names.length > 1 ? ['notify', i] : ['notify'];
    const where = alert.notify !== undefined ? [...path, ...at] : watch.notify !== undefined ? at : path;
    complain(where, { message: `no channel ${quote(name)}`, hint: hintFor(name, all) });
  }
  return [...recipients.values()];
}
