// Changes by a person to the channels of a config, with all that names them.
import type { Draw } from '../draw.ts';
import type { PlannedFault } from '../model.ts';
import type { Channel, ConfigVersion, RouteVersion } from '../people/log.ts';
import { CHANNELS } from './first-version.ts';

/** Gives the same version back where it cannot be done. */
export type Edit = (version: ConfigVersion, draw: Draw, scene: Pick<PlannedFault, 'at' | 'path'>) => ConfigVersion;

/** `post2` was `post` once. */
export function baseOf(name: string): string {
  return name.replace(/\d+$/, '');
}

export const renameChannel: Edit = (version, draw) => {
  const { name } = pickOf(version.channels, draw) ?? { name: null };
  return name === null ? version : renamed(version, name, freshName(version, name));
};

export const renameChannelBack: Edit = (version, draw) => {
  const other = version.channels.filter(({ name }) => name !== baseOf(name));
  const found = pickOf(other, draw);
  return found === null ? version : renamed(version, found.name, baseOf(found.name));
};

/** The same people are told in another way, under the same name or another one. */
export const replaceChannel: Edit = (version, draw) => {
  const others = version.channels.filter(({ kind }) => kind !== 'pager');
  const found = pickOf(others, draw);
  if (found === null) return version;
  const { name } = found;
  const kind = found.kind === 'people' ? 'program' : 'people';
  const recipients = kind === 'people' ? [`${baseOf(name)}@example.com`] : [name];
  const replaced = { ...version, channels: withChannel(version, { ...found, kind, recipients, cap: null }) };
  return draw.chance(0.5) ? replaced : renamed(replaced, name, freshName(version, name));
};

const FEWEST_CHANNELS = 4;

export const removeChannel: Edit = (version, draw) => {
  const found = pickOf(version.channels, draw);
  if (found === null || version.channels.length <= FEWEST_CHANNELS) return version;
  const channels = version.channels.filter((one) => one !== found);
  const left = withNames(version, (name) => (name === found.name ? null : name));
  return { ...left, channels, routes: withTaker(left.routes, channels) };
};

/** It takes part where it did at first: its routes name it no more. */
export function returnChannel(first: readonly Channel[]): Edit {
  return (version, draw) => {
    const bases = new Set(version.channels.map(({ name }) => baseOf(name)));
    const gone = first.filter(({ name }) => !bases.has(name));
    const found = pickOf(gone, draw);
    if (found === null) return version;
    const routes = version.routes.map((route, n) =>
      n === version.routes.length - 1 ? { ...route, add: [...route.add, found.name] } : route,
    );
    return { ...version, channels: [...version.channels, found], routes };
  };
}

const MOST_RECIPIENTS = 3;

export const changeRecipients: Edit = (version, draw) => {
  const people = version.channels.filter(({ kind }) => kind === 'people');
  const found = pickOf(people, draw);
  if (found === null) return version;
  const { name, recipients } = found;
  const fresh = ['b', 'c', 'd', 'e'].map((letter) => `${letter}.${baseOf(name)}@example.com`);
  const added = pickOf(
    fresh.filter((one) => !recipients.includes(one)),
    draw,
  );
  const out = draw.below(recipients.length);
  const isShorter = recipients.length > 1 && draw.chance(0.4);
  const isLonger = !isShorter && recipients.length < MOST_RECIPIENTS && draw.chance(0.6);
  const kept = isLonger ? recipients : recipients.filter((_one, n) => n !== out);
  const next = isShorter || added === null ? kept : [...kept, added];
  return { ...version, channels: withChannel(version, { ...found, recipients: next }) };
};

/** `path`: the channel that has its cap of the first version again; null: any, in any way. */
export const changeCap: Edit = (version, draw, { path }) => {
  const found = pickOf(peopleOf(version, path), draw);
  if (found === null) return version;
  const former = path === null ? undefined : CHANNELS.find(({ name }) => name === path);
  if (former !== undefined) return { ...version, channels: withChannel(version, { ...found, cap: former.cap }) };
  const burst = draw.between(2, 10);
  const cap = draw.chance(0.3) ? null : { burst, perHour: draw.between(Math.max(7, burst), 30) };
  return { ...version, channels: withChannel(version, { ...found, cap }) };
};

const MOST_SELF = 2;

/** Nobody, or some others, hear of the daemon itself. */
export const changeSelf: Edit = (version, draw) => {
  const count = draw.below(MOST_SELF + 1);
  const self = Array.from({ length: count }, () => pickOf(version.channels, draw)?.name ?? []).flat();
  return { ...version, self: [...new Set(self)] };
};

/** As little as may be set, so that two messages are too many. `path`: the channel; null: any. */
export const tightenCap: Edit = (version, draw, { path }) => {
  const found = pickOf(peopleOf(version, path), draw);
  if (found === null) return version;
  const burst = path === null ? draw.between(1, 2) : 1;
  return { ...version, channels: withChannel(version, { ...found, cap: { burst, perHour: 7 } }) };
};

/** `base`: whatever it is called now; null: all. */
function peopleOf({ channels }: ConfigVersion, base: string | null): readonly Channel[] {
  return channels.filter(({ kind, name }) => kind === 'people' && (base === null || baseOf(name) === base));
}

function renamed(version: ConfigVersion, from: string, to: string): ConfigVersion {
  if (version.channels.some(({ name }) => name === to)) return version;
  const channels = version.channels.map((one) => (one.name === from ? channelNamed(one, to) : one));
  return { ...withNames(version, (name) => (name === from ? to : name)), channels };
}

/** A channel without `to:` has one recipient, whose name is its own. */
function channelNamed(channel: Channel, name: string): Channel {
  const isOwn = channel.recipients.length === 1 && channel.recipients[0] === channel.name;
  return { ...channel, name, recipients: isOwn ? [name] : channel.recipients };
}

/** No channel of the version has it. */
function freshName({ channels }: ConfigVersion, name: string): string {
  const numbers = channels.map((one) => Number(one.name.slice(baseOf(one.name).length)));
  return `${baseOf(name)}${Math.max(1, ...numbers) + 1}`;
}

function withChannel({ channels }: ConfigVersion, channel: Channel): readonly Channel[] {
  return channels.map((one) => (one.name === channel.name ? channel : one));
}

/** By the name that a channel had; null: it is gone. */
type NameNow = (name: string) => string | null;

function withNames(version: ConfigVersion, nameNow: NameNow): ConfigVersion {
  const now = (names: readonly string[]): readonly string[] => names.flatMap((name) => nameNow(name) ?? []);
  const nowOrNull = (names: readonly string[] | null): readonly string[] | null => {
    const left = now(names ?? []);
    return left.length === 0 ? null : left;
  };
  const routes = version.routes.map((route): RouteVersion => {
    const steps = (route.escalate ?? []).map((step) => ({ ...step, notify: now(step.notify) }));
    const escalate = steps.filter(({ notify }) => notify.length > 0);
    return {
      ...route,
      notify: nowOrNull(route.notify),
      add: now(route.add),
      escalate: escalate.length === 0 ? null : escalate,
      failover: nowOrNull(route.failover),
    };
  });
  const rules = version.rules.map((rule) => ({ ...rule, notify: nowOrNull(rule.notify) }));
  return { ...version, routes: routes.filter(setsSomething), rules, self: now(version.self) };
}

/** A route that sets nothing is refused. */
function setsSomething({ match: _match, add, mute, ...options }: RouteVersion): boolean {
  return add.length > 0 || mute.length > 0 || Object.values(options).some((option) => option !== null);
}

/** The last route takes all that others leave. */
function withTaker(routes: readonly RouteVersion[], [first]: readonly Channel[]): readonly RouteVersion[] {
  const last = routes.at(-1);
  if (last === undefined || first === undefined || last.notify !== null) return routes;
  return [...routes.slice(0, -1), { ...last, notify: [first.name] }];
}

export function pickOf<T>(all: readonly T[], draw: Draw): T | null {
  return all[draw.below(Math.max(all.length, 1))] ?? null;
}
