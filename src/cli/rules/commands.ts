// The commands for rules, also for rules that no daemon has loaded.
import { Option } from 'commander';
import { CONFIG, toWhole, type Registry } from '../options.ts';
import type { CheckOptions } from './check.ts';
import type { FieldsOptions } from './fields.ts';
import type { PlanOptions } from './plan.ts';
import type { ReplayOptions } from './replay/replay.ts';
import type { TestOptions } from './test.ts';

export function addRuleCommands(registry: Registry): void {
  addCheck(registry);
  addTest(registry);
  addPlan(registry);
  addReplay(registry);
  addFields(registry);
  addSchema(registry);
}

function addCheck({ program, terminal, end }: Registry): void {
  program
    .command('check')
    .description(
      'check config and rules; one line per watch: what it asks, how often, what it costs; one per alert: who is notified',
    )
    .option(...CONFIG)
    .option('--strict', 'also a warning makes the exit code 1')
    .action(async (options: CheckOptions) => {
      end((await import('./check.ts')).check(terminal, options));
    });
}

function addTest({ program, terminal, end }: Registry): void {
  program
    .command('test [paths...]')
    .description('run the tests beside the rules (*.test.yaml), of the directory rules when none is named')
    .option('--only <text>', 'only tests that have this in their name')
    .option('--junit <file>', 'write the results as JUnit XML too')
    .action(async (paths: readonly string[], options: TestOptions) => {
      end(await (await import('./test.ts')).test(terminal, paths, options));
    });
}

function addPlan({ program, terminal, end }: Registry): void {
  program
    .command('plan')
    .description('show the effects of a changed config: watches, alerts that open or close, people, credits a day')
    .option(...CONFIG)
    .option('--against <file>', 'compare with this config, instead of what the daemon runs')
    .action(async (options: PlanOptions) => {
      end(await (await import('./plan.ts')).plan(terminal, options));
    });
}

function addReplay({ program, terminal, end }: Registry): void {
  program
    .command('replay')
    .description(
      'show the messages of rules over a recording, or over data that the explorers still have; sends nothing',
    )
    .argument('[rules...]', 'rule files, instead of those of the config')
    .option(...CONFIG)
    .option('-r, --recording <file>', 'the recording; without it, the explorers are asked, back to --since')
    .option('--since <when>', 'the begin: 24h back from the end, or a time such as 2026-01-31T12:00:00Z')
    .option('--until <when>', 'the end')
    .addOption(new Option('--format <format>', 'the format of the result').choices(['text', 'json']).default('text'))
    .option('--max-pages <number>', 'the most pages of one list, when an explorer is asked', toWhole, 200)
    .option('-y, --yes', 'ask the explorers, whatever it costs', false)
    .action(async (rules: string[], options: ReplayOptions) => {
      end(await (await import('./replay/replay.ts')).replay(terminal, rules, options));
    });
}

function addFields({ program, terminal, end }: Registry): void {
  program
    .command('fields')
    .description('list the fields, events, functions and filters of a kind for rules; without a kind, list the kinds')
    .argument('[kind]', 'such as balance')
    .addOption(
      new Option('--format <format>', 'markdown is for documents').choices(['text', 'markdown']).default('text'),
    )
    .action(async (kind: string | undefined, options: FieldsOptions) => {
      end((await import('./fields.ts')).fields(terminal, kind, options));
    });
}

function addSchema({ program, terminal, end }: Registry): void {
  program
    .command('schema')
    .description(
      'write rules.schema.json, rules-test.schema.json and config.schema.json, by which editors complete and check',
    )
    .option('-o, --out <directory>', 'where to', '.')
    .action(async (options: { readonly out: string }) => {
      end((await import('./schema.ts')).schema(terminal, options));
    });
}
