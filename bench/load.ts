// What 10,000 watches cost from text to watches, and what again after one file changed. Absolute seconds of CPU;
// the goals stand beside them and are asserted nowhere.
import { loadConfig } from '../src/config/config.ts';
import { formatProblems } from '../src/config/problem.ts';
import type { Watch } from '../src/core/model/watch/watch.ts';
import { notifiers } from '../src/notifiers/index.ts';
import { createRuleCache } from '../src/rules/cache.ts';
import { type RuleFile, loadRules } from '../src/rules/load.ts';
import { kinds } from '../src/watches/index.ts';

const FILES = 100;
const WATCHES_PER_FILE = 100;

const CONFIG = `
explorers: { bench: { form: instance, instance_url: 'http://127.0.0.1:1' } }
channels: { screen: { type: log } }
rules: [rules/*.yaml]
`;

/** Every watch written out: an address, a token, an alert with a condition, a title and a text. */
function ruleFiles(change = ''): readonly RuleFile[] {
  return Array.from({ length: FILES }, (_, file) => ({
    file: `rules/${file}.yaml`,
    text: `defaults: { notify: [screen], every: 1m }\nwatches:\n${watchesOf(file)}${file === 0 ? change : ''}`,
  }));
}

function watchesOf(file: number): string {
  return Array.from({ length: WATCHES_PER_FILE }, (_, i) => watchText(file * WATCHES_PER_FILE + i)).join('');
}

function watchText(i: number): string {
  return `  - id: balance-${i}
    kind: balance
    of: 0x${i.toString(16).padStart(40, '0')}
    token: 0x${(i % 50).toString(16).padStart(40, 'a')}
    severity: critical
    alerts:
      - id: low
        while: balance < ${1000 + i} && symbol != "x"
        until: balance > ${2500 + i}
        for: 2m
        title: Balance ${i} is low
        text: "{{ balance }} {{ symbol }} left at {{ address | short }}, it was {{ before.balance }}"
`;
}

/** Prints what loading costs. */
export async function measureLoading(): Promise<void> {
  const { config, problems } = loadConfig('config.yaml', { env: {}, readFile: () => CONFIG, notifiers });
  if (config === null) throw new Error(formatProblems(problems));
  const cache = createRuleCache();
  const load = (files: readonly RuleFile[]): readonly Watch[] => {
    const { watches, problems: wrong } = loadRules(config, files, { kinds, cache });
    if (wrong.length > 0) throw new Error(formatProblems(wrong));
    if (watches.length < FILES * WATCHES_PER_FILE) throw new Error('not all were loaded');
    return watches;
  };
  const [before, after] = [ruleFiles(), ruleFiles('# changed\n')];
  const first = await cpuOf(() => load(before));
  const again = await cpuOf(() => load(after));
  const seconds = (cpuMs: number): string => `${(cpuMs / 1000).toFixed(2)} s`;
  console.table({
    [`${FILES} files, ${FILES * WATCHES_PER_FILE} watches`]: { CPU: seconds(first), goal: '3 s' },
    'one file changed': { CPU: seconds(again), goal: '1 s' },
  });
}

/** CPU milliseconds of this process, threads included. */
async function cpuOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
