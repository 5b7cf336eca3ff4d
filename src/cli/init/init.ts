// `chainwarden init`: writes a config and rules with tests for an explorer and some addresses, and overwrites nothing.
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { detectAddresses, type DetectedAddress, type NamedAddress } from '../../app/setup/detect-addresses.ts';
import { loadConfig } from '../../config/config.ts';
import type { Config } from '../../config/model.ts';
import { formatProblems, formatWarnings, type Problem } from '../../config/problem.ts';
import { checksumWarnings } from '../../config/values/checksums.ts';
import { NAME, quote } from '../../config/values/scalars.ts';
import { Missed } from '../../core/model/watch/question.ts';
import { Address } from '../../core/values/address.ts';
import { notifiers } from '../../notifiers/index.ts';
import { loadRules } from '../../rules/load.ts';
import { listFiles } from '../../rules/read.ts';
import { ADDRESSES } from '../../sandbox/names.ts';
import { kinds } from '../../watches/index.ts';
import { CommandError, EXIT } from '../exit.ts';
import { openExplorers } from '../open-explorers.ts';
import type { Terminal } from '../terminal.ts';
import { configText, EXPLORER, rulesText, testsText, type ExplorerChoice } from './files.ts';

export interface InitOptions {
  readonly explorer?: string;
  readonly chainId?: string;
  readonly keyEnv?: string;
  /** `treasury=0x…` */
  readonly address: readonly string[];
  readonly out: string;
}

const CONFIG_FILE = 'config.yaml';
const RULES_FILE = 'rules/watches.yaml';
const TESTS_FILE = 'rules/watches.test.yaml';

/** Asks on a terminal for options that are left out. Writes only if the explorer answered. */
export async function init(terminal: Terminal, options: InitOptions): Promise<number> {
  refuseToOverwrite(options.out);
  const choice = await explorerOf(terminal, options);
  const addresses = await addressesOf(terminal, options, choice);
  const config = loaded(terminal, configText(choice, addresses, null));
  const doubts = checksumWarnings(config.source);
  if (doubts.length > 0) terminal.err(`${formatWarnings(doubts)}\n\n`);
  const { found, credits } = await look(terminal, config, addresses);
  refuseMistakes(loadRules(config, [{ file: RULES_FILE, text: rulesText(found) }], { kinds }).problems);
  mkdirSync(join(options.out, 'rules'), { recursive: true });
  const text = configText(choice, found, credits);
  // The config is written last, so a folder with a config has all files.
  const files = { [RULES_FILE]: rulesText(found), [TESTS_FILE]: testsText(found), [CONFIG_FILE]: text };
  for (const [file, content] of Object.entries(files)) terminal.writeFile(join(options.out, file), content);
  for (const line of summaryOf(found, options.out)) terminal.out(line);
  return EXIT.ok;
}

function refuseToOverwrite(folder: string): void {
  const there = [CONFIG_FILE, RULES_FILE, TESTS_FILE].map((file) => join(folder, file)).filter(existsSync);
  // The new config would also load rule files of another config, and these use names that it does not have.
  const others = listFiles('rules/*.yaml', folder).map((file) => join(folder, file));
  const found = there.length > 0 ? there : others;
  if (found.length === 0) return;
  const whose = there.length > 0 ? '' : ' of another config';
  throw new CommandError(
    EXIT.problems,
    `${found.join(', ')}${whose} ${found.length === 1 ? 'is' : 'are'} there already. ${ELSEWHERE}`,
  );
}

const ELSEWHERE = 'Nothing is overwritten or mixed: name another folder, such as --out watch.';

async function explorerOf(terminal: Terminal, options: InitOptions): Promise<ExplorerChoice> {
  const isAsked = options.explorer === undefined;
  const url = options.explorer ?? (await ask(terminal, 'Address of the explorer, or sandbox', '--explorer URL'));
  if (url === 'sandbox') return { url, chainId: null, keyEnv: null };
  const optional = async (given: string | undefined, question: string): Promise<string | null> => {
    const text = given ?? (isAsked ? await ask(terminal, question, '--explorer URL') : '');
    return text === '' ? null : text;
  };
  const chainId = await optional(options.chainId, 'Chain id, where one address serves several chains (else nothing)');
  const keyEnv = await optional(options.keyEnv, 'Environment variable that holds the key (nothing without a key)');
  if (chainId !== null && !/^\d{1,20}$/.test(chainId)) throw usage(`${quote(chainId)} is no chain id, such as 1`);
  if (keyEnv !== null && !NAME.test(keyEnv)) throw usage(`${quote(keyEnv)} is no name of an environment variable`);
  return { url, chainId, keyEnv };
}

async function addressesOf(
  terminal: Terminal,
  { address: given }: InitOptions,
  { url }: ExplorerChoice,
): Promise<NamedAddress[]> {
  const written = [...given];
  if (written.length === 0 && url === 'sandbox')
    return Object.entries(ADDRESSES).map(([name, text]) => named(name, text));
  while (given.length === 0) {
    const line = await ask(
      terminal,
      'An address to watch, as treasury=0x... (nothing: no more)',
      '--address NAME=0x...',
    );
    if (line === '') break;
    written.push(line);
  }
  if (written.length === 0) throw usage('no address to watch: write --address NAME=0x...');
  return written.map((text) => {
    const [name = '', address = ''] = text.split('=', 2);
    return named(name.trim(), address.trim());
  });
}

function named(name: string, text: string): NamedAddress {
  const address = Address.parse(text);
  if (!NAME.test(name)) throw usage(`${quote(name)} is no name: write treasury=0x...`);
  if (address === undefined) throw usage(`${quote(text)} is no address: 0x and 40 hexadecimal digits`);
  return { name, address };
}

/** `option`: the option that a script would use instead. */
async function ask(terminal: Terminal, question: string, option: string): Promise<string> {
  const answer = await terminal.ask(`${question}: `);
  if (answer === null) throw usage(`nobody is there to be asked: write ${option}`);
  return answer.trim();
}

function usage(message: string): CommandError {
  return new CommandError(EXIT.usage, message);
}

function loaded({ env }: Terminal, text: string): Config {
  const { config, problems } = loadConfig(CONFIG_FILE, { env, readFile: () => text, notifiers });
  refuseMistakes(problems);
  if (config === null) throw new TypeError('a config without problems is missing');
  return config;
}

/** Throws if there are problems, such as a name that a rule cannot have, or a wrong address of the explorer. */
function refuseMistakes(problems: readonly Problem[]): void {
  if (problems.length > 0) throw new CommandError(EXIT.problems, `nothing was written\n\n${formatProblems(problems)}`);
}

interface Looked {
  readonly found: DetectedAddress[];
  /** The remaining credits in the first answer that has them; null: no answer had them. */
  readonly credits: number | null;
}

async function look(terminal: Terminal, config: Config, addresses: readonly NamedAddress[]): Promise<Looked> {
  let credits: number | null = null;
  await using explorers = openExplorers(terminal, config, (left) => {
    credits ??= left;
  });
  (await explorers.prepare(config)).commit();
  try {
    const found = await detectAddresses(explorers, EXPLORER, addresses);
    return { found, credits };
  } catch (error) {
    if (!(error instanceof Missed)) throw error;
    const hint = "Check the explorer's address and key; nothing was written.";
    throw new CommandError(EXIT.problems, `${error.message}. ${hint}`);
  }
}

function summaryOf(found: readonly DetectedAddress[], folder: string): string[] {
  const config = join(folder, CONFIG_FILE);
  const coins = (one: DetectedAddress): string => (one.coins === null ? '' : `, ${one.coins.toString()} coins`);
  return [
    ...found.map((one) => `${one.name}: ${one.what}${coins(one)}, ${one.tokens} tokens on the first page`),
    '',
    `Written: ${[CONFIG_FILE, RULES_FILE, TESTS_FILE].map((file) => join(folder, file)).join(', ')}`,
    '',
    `npx chainwarden check -c ${config}    what it costs, and who is notified`,
    `npx chainwarden test ${join(folder, 'rules')}    the tests of the rules`,
    `npx chainwarden run -c ${config}    starts watching`,
  ];
}
