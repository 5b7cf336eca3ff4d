// Loads a version of the config as the daemon reads its files.
import { loadSetup, type Setup } from '../../../src/app/setup/setup.ts';
import type { Problem } from '../../../src/config/problem.ts';
import type { AnyNotifier } from '../../../src/notifiers/notifier.ts';
import { createRuleCache } from '../../../src/rules/cache.ts';
import { API_KEY } from '../../../src/sandbox/names.ts';
import type { Stretch } from '../model.ts';
import type { ConfigVersion } from '../people/log.ts';
import { configYamlOf, rulesYamlOf } from './yaml.ts';

/** Null: the files have problems. */
export type Load = (version: ConfigVersion) => { readonly setup: Setup | null; readonly problems: readonly Problem[] };

export function createLoad(notifiers: readonly AnyNotifier[], stretch: Stretch = 'on'): Load {
  const cache = createRuleCache();
  return (version) => {
    const [config, rules] = [configYamlOf(version, stretch), rulesYamlOf(version)];
    return loadSetup('/simulation/config.yaml', {
      env: { EXPLORER_KEY: API_KEY },
      readFile: (path) => (path.endsWith('rules.yaml') ? rules : config),
      listFiles: () => ['/simulation/rules.yaml'],
      notifiers,
      cache,
    });
  };
}
