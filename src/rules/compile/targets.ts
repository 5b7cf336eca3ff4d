// Gives the alerts of each instance the channels of the routes. Labels such as `explorer` and `of` differ from instance
// to instance, and so may the channels.
import { labelsOf } from '../../core/model/watch/identity.ts';
import type { AlertRule, EventAlert } from '../../core/model/watch/watch.ts';
import type { Routing } from '../../dispatch/model.ts';
import type { RouteUse } from '../route-use.ts';
import type { CompiledAlert } from './compile-alert.ts';
import type { Compiling } from './model.ts';
import { complainOfNobody } from './named-channels.ts';

/** The alerts of one watch of a file, with their channels in each instance. */
export class Targets {
  readonly #compiling: Compiling;
  readonly #routes: RouteUse;
  /**
   * The rules by their channels. Instances with the same channels share a rule, since there may be 100,000 instances.
   */
  readonly #shared = new Map<CompiledAlert, Map<string, AlertRule>>();

  constructor(compiling: Compiling, routes: RouteUse) {
    this.#compiling = compiling;
    this.#routes = routes;
  }

  /** The alert as it runs in an instance. An alert without a channel is reported as a problem. */
  alertOf(instance: Parameters<typeof labelsOf>[0], compiled: CompiledAlert): AlertRule {
    const routing = this.#routes.route(labelsOf(instance, compiled.rule), compiled.notify);
    const { channels } = routing;
    if (channels.length === 0) complainOfNobody(this.#compiling, compiled.path);
    const ofClaim = this.#claimRouting(instance, compiled);
    const claims = ofClaim?.channels.length === 0 ? channels : (ofClaim?.channels ?? null);
    const used = new Set([routing, ofClaim].flatMap((one) => (one === null ? [] : channelsIn(one))));
    for (const name of used) this.#compiling.catalogue.channel(name);
    const known = this.#shared.get(compiled) ?? new Map<string, AlertRule>();
    this.#shared.set(compiled, known);
    const key = JSON.stringify([channels, claims]);
    const rule = known.get(key) ?? withChannels(compiled.rule, channels, claims);
    known.set(key, rule);
    return rule;
  }

  /** The routing of an event that is only a claim, by its labels. Null: no item is a claim. */
  #claimRouting(instance: Parameters<typeof labelsOf>[0], { rule, notify }: CompiledAlert): Routing | null {
    if (instance.kind.claimantOf === undefined || rule.type !== 'event') return null;
    return this.#routes.route(labelsOf(instance, claimed(rule)), notify);
  }
}

/**
 * Channels of later steps count as used too, so their missing secrets are found now and not when the step is due.
 */
export function channelsIn({ channels, options: { failover, escalate } }: Routing): readonly string[] {
  return [...channels, ...(failover ?? []), ...(escalate ?? []).flatMap(({ notify }) => notify)];
}

function withChannels(rule: AlertRule, notify: readonly string[], claims: readonly string[] | null): AlertRule {
  if (rule.type !== 'event' || claims === null) return { ...rule, notify };
  return { ...rule, notify, asClaim: { ...claimed(rule), notify: claims } };
}

function claimed(rule: EventAlert): EventAlert {
  return { ...rule, severity: rule.severity === 'critical' ? 'warning' : rule.severity, isClaim: true };
}
