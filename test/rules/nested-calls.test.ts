// What `check` says about `calls:` of calls inside transactions, and of functions that are watched in one list only.
import { describe, expect, test } from '@jest/globals';
import { loadConfig } from '../../src/config/config.ts';
import type { Config } from '../../src/config/model.ts';
import { summarize } from '../../src/config/problem.ts';
import { notifiers } from '../../src/notifiers/index.ts';
import { describeWatches } from '../../src/rules/describe.ts';
import { loadRules, type LoadedRules } from '../../src/rules/load.ts';
import { kinds } from '../../src/watches/index.ts';
import { CONFIG } from '../support/world.ts';

const config = worldConfig();

function worldConfig(): Config {
  const loaded = loadConfig('config.yaml', { env: {}, readFile: () => CONFIG, notifiers }).config;
  if (loaded === null) throw new Error('the config does not load');
  return loaded;
}

function loadText(text: string): LoadedRules {
  return loadRules(config, [{ file: 'r.yaml', text }], { kinds });
}

function watch(id: string, kind: string, keys: string, condition: string): string {
  const alert = `{ id: a, on: new, if: '${condition}', notify: screen }`;
  return `  - { id: ${id}, kind: ${kind}, ${keys} alerts: [${alert}] }\n`;
}

const nested = (keys: string, condition: string): string =>
  watch('nested', 'internal-transactions', `of: vault, ${keys}`, condition);

const signed = (keys: string, condition: string): string =>
  watch('signed', 'transactions', `of: vault, ${keys}`, condition);

describe('a mistake has its place, and what to write', () => {
  test.each([
    [
      '',
      'selector == "0x8456cb59"',
      'internal-transactions has no field "selector". The list of calls has no call data. Another list is read where the watch has calls:, such as calls: [pause].',
    ],
    [
      '',
      'called == "pause"',
      'internal-transactions has no field "called". The list of calls has no call data. Another list is read where the watch has calls:, such as calls: [pause].',
    ],
    [
      'calls: pause,',
      'to.name == "Vault"',
      'to has no field "name". The list that calls: reads has addresses alone: compare the address, or leave calls out.',
    ],
    [
      'calls: pause,',
      'from.is_contract',
      'from has no field "is_contract". The list that calls: reads has addresses alone: compare the address, or leave calls out.',
    ],
    [
      'calls: pause,',
      'transaction_index > 5',
      'internal-transactions has no field "transaction_index". The list that calls: reads does not have it.',
    ],
    [
      'calls: pause,',
      'status == "ok" && called == "pause"',
      'internal-transactions has no field "status". Write success == true, or success == false.',
    ],
    ['', 'status == "error"', 'has no field "status". Write success == true, or success == false.'],
    ['', 'revert_reason == "paused"', 'has no field "revert_reason". Write error, which is why the call failed.'],
    [
      'calls: pause,',
      'success == true && method == "pause"',
      'has no field "method". Compare called, the name by signatures that are known here.',
    ],
    ['calls: pause,', 'args.amount > 5', 'args has no field "amount"'],
    ['calls: pauze,', 'success == true', 'no function "pauze" is known here. Did you mean pause?'],
  ])('%s %s', (keys, condition, problem) => {
    const { problems } = loadText(`watches:\n${nested(keys, condition)}`);
    expect(problems.map(summarize)).toEqual([expect.stringContaining(problem)]);
  });

  test('in a watch of transactions, for the words of calls inside them', () => {
    const problemsOf = (condition: string): readonly string[] =>
      loadText(`watches:\n${signed('', condition)}`).problems.map(summarize);
    expect(problemsOf('success == true && called == "pause"')).toEqual([
      expect.stringContaining('transactions has no field "success". Write status == "ok", or status == "error".'),
    ]);
    expect(problemsOf('error == "paused"')).toEqual([
      expect.stringContaining('has no field "error". Write revert_reason, which is why the transaction failed.'),
    ]);
  });

  test('names stay fields where the watch has no calls:', () => {
    expect(loadText(`watches:\n${nested('', 'to.name == "Vault"')}`).problems).toEqual([]);
  });
});

describe('a warning', () => {
  const warnings = (...watches: readonly string[]): readonly string[] =>
    loadText(`watches:\n${watches.join('')}`).warnings.map(({ line, message }) => `${line}: ${message}`);

  test('names the functions that are watched in one list only', () => {
    expect(warnings(nested('calls: [pause, unpause],', 'success == true && called == "pause"'))).toEqual([
      '2: pause, unpause of vault: watched only where a contract makes the call, not where an account signs it',
    ]);
    expect(
      warnings(
        signed('calls: [pause, unpause],', 'status == "ok" && called == "pause"'),
        nested('calls: pause,', 'success == true && called == "pause"'),
      ),
    ).toEqual([
      '2: unpause of vault: watched only where an account signs the call, not where a Safe or another contract makes it',
    ]);
  });

  test('is not there where both lists are watched, or where the address itself is the caller', () => {
    expect(
      warnings(
        signed('', 'status == "ok" && called == "pause"'),
        nested('calls: pause,', 'success == true && called == "pause"'),
      ),
    ).toEqual([]);
    expect(warnings(signed('calls: approve,', 'status == "ok" && from == vault && called == "approve"'))).toEqual([]);
    expect(warnings(nested('direction: from, calls: approve,', 'success == true && called == "approve"'))).toEqual([]);
    expect(warnings(signed('calls: approve,', 'status == "error"'))).toEqual([]);
  });

  test('says that any contract can delegate a call, where the alert is critical', () => {
    const said = 'any contract can delegate such a call to the address';
    const critical = (keys: string, condition: string): readonly string[] => {
      const { warnings: found } = loadText(
        `watches:\n${nested(keys, condition).replace('on: new', 'on: new, severity: critical')}`,
      );
      return found.map(({ message }) => message).filter((message) => message.startsWith(said));
    };
    const pause = 'success == true && called == "pause"';
    expect(critical('calls: pause,', pause)).toHaveLength(1);
    expect(critical('direction: to, calls: transfer,', 'success == true && args.to != vault')).toHaveLength(1);
    expect(critical('calls: pause,', `${pause} && call.type == "call"`)).toEqual([]);
    expect(critical('calls: pause,', `${pause} && from == treasury`)).toEqual([]);
    expect(critical('direction: from, calls: pause,', pause)).toEqual([]);
    expect(critical('', 'success == false')).toEqual([]);
    expect(warnings(nested('calls: pause,', pause)).filter((one) => one.includes(said))).toEqual([]);
  });

  test('says that a failed call has a function, too', () => {
    const said = 'a call that failed has a function and arguments, too';
    expect(
      warnings(signed('', 'status == "ok" && called == "pause"'), nested('calls: pause,', 'called == "pause"')),
    ).toEqual([expect.stringContaining(said)]);
  });
});

test('check names the functions, and the credits of the list that has them', () => {
  const priceOf = (keys: string): readonly string[] => {
    const { watches } = loadText(`watches:\n${nested(`every: 1m, ${keys}`, 'success == true')}`);
    return describeWatches(watches, config).lines;
  };
  const lines = priceOf('calls: pause,');
  expect(lines.join('\n')).toContain('nested: reads pause() 0x8456cb59');
  expect(lines[0]).toContain(
    'asks api?module=account&action=txlistinternal&address=0xca55…8550  1,440 requests, 28,800 credits a day',
  );
});

test('a reload that adds calls: continues the memory', () => {
  const checksumOf = (keys: string) => loadText(`watches:\n${nested(keys, 'success == true')}`).watches[0]?.checksum;
  expect(checksumOf('calls: transfer, units: { value: 6 },')).toBe(checksumOf(''));
  expect(checksumOf('direction: to,')).not.toBe(checksumOf(''));
});
