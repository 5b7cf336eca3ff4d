import { loadConfig } from '../../../src/config/config.ts';
import type { Config, Loaded } from '../../../src/config/model.ts';
import { type LoadedRules, loadRules } from '../../../src/rules/load.ts';
import { testKinds } from './kinds.ts';
import { testNotifiers } from './notifiers.ts';

export const CONFIG = `explorers:
  ethereum:
    form: multichain
    base_url: https://explorer.example.com
    chain_id: 1
    coin: { symbol: ETH }
    plan: { credits: 100_000, reserve: 10% }
  gnosis: { form: instance, instance_url: https://gnosis.example.com, page_url: https://gnosis.example.com }
addresses:
  treasury: 0x47ac0Fb4F2D84898e4D9E7b4DaB3C24507a6D503
  vault: 0xBA12222222228d8Ba445958a75a0704d566BF2C8
  hot_wallets:
    - 0x1111111111111111111111111111111111111111
    - 0x2222222222222222222222222222222222222222
    - vault
tokens:
  USDC: { ethereum: 0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48, gnosis: 0xDDAfbb505ad214D7b80b1f830fcCc89B60fb7A83 }
  ACME: 0x6B175474E89094C44Da98b954EedeAC495271d0F
  LOCAL: { ethereum: 0x6B3595068778DD592e39A122f4f5a5cF09C90fE2 }
channels:
  ops: { type: post, url: https://hooks.example.com/x }
  oncall: { type: list, to: [a@example.com, b@example.com] }
rules: [rules/*.yaml]
`;

/** Reads a config of the given text, with nothing on the disk and nothing in the environment. */
export function loadConfigText(
  text: string,
  files: Readonly<Record<string, string>> = {},
  env: Readonly<Record<string, string>> = {},
): Loaded {
  const readFile = (path: string): string => {
    const found = path === '/etc/chainwarden/config.yaml' ? text : files[path];
    if (found !== undefined) return found;
    throw Object.assign(new Error('no such file'), { code: 'ENOENT' });
  };
  return loadConfig('/etc/chainwarden/config.yaml', { env, readFile, notifiers: testNotifiers });
}

export function configOf(text = CONFIG): Config {
  const { config, problems } = loadConfigText(text);
  if (config === null) throw new Error(problems.map(({ message }) => message).join('\n'));
  return config;
}

const config = configOf();

/** Loads rule files by name against the config above. */
export function load(files: Readonly<Record<string, string>>, of: Config = config): LoadedRules {
  const texts = Object.entries(files).map(([file, text]) => ({ file, text }));
  return loadRules(of, texts, { kinds: testKinds });
}
