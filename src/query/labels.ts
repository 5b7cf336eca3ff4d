// Labels that a list is filtered by, each written `team=treasury`.
import type { AlertId, Labels, WatchId } from '../core/model/ids.ts';
import { GIVEN_LABELS, labelsOf, labelsOfWatch } from '../core/model/watch/identity.ts';
import type { Watch } from '../core/model/watch/watch.ts';
import { byId } from './watch-by-id.ts';

/** `pairOf('team=treasury') // ['team', 'treasury']` */
export function pairOf(label: string): readonly [name: string, value: string] {
  const at = label.indexOf('=');
  return [label.slice(0, at), label.slice(at + 1)];
}

/** True if an alert with these labels has each of the wanted ones. */
export function hasLabels(labels: Labels, wanted: readonly string[]): boolean {
  return wanted.every((label) => {
    const [name, value] = pairOf(label);
    return labels[name] === value;
  });
}

/** True if an alert of a rule in force has the labels. */
export type IsAlertLabelled = (of: { readonly watch: WatchId; readonly alert: AlertId }) => boolean;

export function alertLabels(watches: readonly Watch[], wanted: readonly string[]): IsAlertLabelled {
  if (wanted.length === 0) return () => true;
  const watchById = byId(watches);
  return ({ watch: id, alert }) => {
    const watch = watchById.get(id);
    const rule = watch?.alerts.find((one) => one.id === alert);
    return watch !== undefined && rule !== undefined && hasLabels(labelsOf(watch, rule), wanted);
  };
}

/** True if one of the watch's alerts has the labels. */
export function isLabelled(watch: Watch, wanted: readonly string[]): boolean {
  return wanted.length === 0 || watch.alerts.some((alert) => hasLabels(labelsOf(watch, alert), wanted));
}

/** The labels that a rule itself defines, without those that every alert is given. */
export function writtenLabels(labels: Labels): readonly (readonly [name: string, value: string])[] {
  return Object.entries(labels).filter(([name]) => !given.includes(name));
}

const given: readonly string[] = GIVEN_LABELS;

/** Labels that all alerts of the watch share, including those of its rule. */
export function sharedLabels(watch: Watch): Labels {
  const [first, ...others] = watch.alerts;
  const written = Object.entries(first?.labels ?? {});
  const shared = written.filter(([name, value]) => others.every(({ labels }) => labels[name] === value));
  return { ...Object.fromEntries(shared), ...labelsOfWatch(watch) };
}
