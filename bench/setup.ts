// The config and the rules of a run: a third each of tokens, holdings and internal transactions, one request per watch.
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../src/config/config.ts';
import { formatProblems } from '../src/config/problem.ts';
import { phaseOf } from '../src/core/model/watch/schedule.ts';
import { notifiers } from '../src/notifiers/index.ts';
import { type RuleFile, loadRules } from '../src/rules/load.ts';
import { kinds } from '../src/watches/index.ts';
import { CONCURRENCY, LISTS, type Due, type ListName } from './protocol.ts';

export interface RunOptions {
  readonly watches: number;
  /** `10s` */
  readonly every: string;
  /** Of the server. */
  readonly port: number;
  /** Where the daemon listens. */
  readonly listen: number;
}

export interface Setup {
  /** Holds config.yaml, the rules and, later, the state file. */
  readonly folder: string;
  readonly intervalMs: number;
  readonly dues: readonly Due[];
}

/** Addresses that share a rule. */
const GROUP = 50;
const SECRET = Buffer.alloc(32).toString('base64');
const RULES_PER_FILE = 500;

/** Writes everything into a new folder, and says when what is due: as the daemon reckons, from the same files. */
export function writeSetup(options: RunOptions): Setup {
  const folder = mkdtempSync(join(tmpdir(), 'chainwarden-bench-'));
  const configFile = configText(options);
  const rules = ruleFiles(options);
  mkdirSync(join(folder, 'rules'));
  writeFileSync(join(folder, 'config.yaml'), configFile, { mode: 0o600 });
  for (const { file, text } of rules) writeFileSync(join(folder, file), text);

  const { config, problems } = loadConfig('config.yaml', { env: {}, readFile: () => configFile, notifiers });
  if (config === null) throw new Error(formatProblems(problems));
  const loaded = loadRules(config, rules, { kinds });
  if (loaded.problems.length > 0) throw new Error(formatProblems(loaded.problems));
  const dues = loaded.watches.map((watch) => ({
    path: watch.kind.question(watch.target).path,
    list: LISTS.find((name) => name === watch.kind.name) ?? 'token',
    phaseMs: phaseOf(watch),
  }));
  return { folder, intervalMs: loaded.watches[0]?.schedule.intervalMs ?? 0, dues };
}

function configText({ port, listen }: RunOptions): string {
  return `
explorers:
  bench: { form: instance, instance_url: 'http://127.0.0.1:${port}/daemon', concurrency: ${CONCURRENCY} }
channels: { hook: { type: webhook, url: 'http://127.0.0.1:${port}/hook', secret: whsec_${SECRET}, allow: [127.0.0.0/8] } }
http: { listen: 127.0.0.1:${listen} }
state: { file: ./state.db }
rules: [rules/*.yaml]
`;
}

function ruleFiles({ watches, every }: RunOptions): RuleFile[] {
  const share = Math.floor(watches / LISTS.length);
  const rules = [
    ...tokenRules(watches - (LISTS.length - 1) * share),
    ...listRules('holdings', share, HOLDINGS_ALERTS),
    ...listRules('internal-transactions', share, CALLS_ALERTS),
  ];
  return Array.from({ length: Math.ceil(rules.length / RULES_PER_FILE) }, (_, n) => {
    const some = rules.slice(n * RULES_PER_FILE, (n + 1) * RULES_PER_FILE);
    const text = `defaults: { every: ${every}, notify: [hook] }\nwatches:\n${some.join('\n')}\n`;
    return { file: `rules/${n}.yaml`, text };
  });
}

const HOLDINGS_ALERTS = `
      - { id: scam, on: added, if: token.reputation == "scam", severity: critical }
      - { id: large, on: changed, if: balance > 900_000_000_000 }`;

const CALLS_ALERTS = `
      - id: failed
        on: new
        if: success == false
        severity: critical
        title: A call failed
        text: '{{ value }} coins from {{ from.hash }}: {{ error }}'`;

function tokenRules(count: number): string[] {
  return Array.from(
    { length: count },
    (_, i) => `  - id: token-${i}
    kind: token
    token: ${address(i)}
    alerts:
      - { id: flagged, while: reputation == "scam", severity: critical }
      - { id: minted, on: changed, if: total_supply > 1_000_000_000_000 }`,
  );
}

function listRules(kind: ListName, count: number, alerts: string): string[] {
  return Array.from({ length: Math.ceil(count / GROUP) }, (_, group) => {
    const from = group * GROUP;
    const of = Array.from({ length: Math.min(GROUP, count - from) }, (_none, i) => address(from + i));
    return `  - id: ${kind}-${group}\n    kind: ${kind}\n    of: [${of.join(', ')}]\n    alerts:${alerts}`;
  });
}

function address(i: number): string {
  return `0x${createHash('sha256').update(String(i)).digest('hex').slice(0, 40)}`;
}
