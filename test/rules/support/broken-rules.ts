// One thousand rule files with a mistake in each, by kind of mistake. Which ones they are follows from a seed.
import { createChance, pick, type Chance } from './chance.ts';
import { fileText, KINDS, watchText, type KindParts } from './good-rules.ts';

export interface BrokenFile {
  readonly text: string;
  /** The path of one of its problems has to end so. */
  readonly at: RegExp;
}

const PER_MISTAKE = 9;

export function brokenFiles(name: string): readonly BrokenFile[] {
  const make = MISTAKES[name];
  if (make === undefined) throw new RangeError(name);
  return Array.from({ length: PER_MISTAKE }, (_, i) => make(createChance((i + 1) * 7919 + name.length * 104_729)));
}

type Make = (chance: Chance) => BrokenFile;

const ANYWHERE = /^/;

/** Broken text in the middle of a file. */
const inText =
  (breakIt: (watch: string, chance: Chance) => string): Make =>
  (chance) => {
    const watch = watchText({ parts: pick(chance, KINDS) });
    return { text: fileText(chance, breakIt(watch, chance)), at: ANYWHERE };
  };

const inWatch =
  (keys: (parts: KindParts, chance: Chance) => readonly string[], at: RegExp): Make =>
  (chance) => {
    const parts = pick(chance, KINDS);
    return { text: fileText(chance, watchText({ parts, keys: keys(parts, chance) })), at };
  };

const inAlert =
  (lines: (parts: KindParts, chance: Chance) => readonly string[], at: RegExp, fits = (_: KindParts) => true): Make =>
  (chance) => {
    const parts = pick(chance, KINDS.filter(fits));
    return { text: fileText(chance, watchText({ parts, alert: lines(parts, chance) })), at };
  };

/** A condition, as `if` or as `while`, alone or beside a good one. */
const inCondition =
  (condition: (parts: KindParts, chance: Chance) => string, fits = (_: KindParts) => true): Make =>
  (chance) => {
    const parts = pick(chance, KINDS.filter(fits));
    const wrong = condition(parts, chance);
    const good = `${pick(chance, parts.numbers)} > ${chance(1000) + 5000}`;
    const text = pick(chance, [wrong, wrong, `(${wrong}) && ${good}`, `${good} && (${wrong})`]);
    const key = parts.hasWhile && chance(2) === 0 ? 'while' : 'if';
    const lines =
      key === 'if' ? [`on: ${parts.on}`, `if: ${quoted(text, chance)}`] : [`while: ${quoted(text, chance)}`];
    return { text: fileText(chance, watchText({ parts, alert: lines })), at: /\.alerts\[0\]\.(?:if|while)$/ };
  };

function quoted(text: string, chance: Chance): string {
  return pick(chance, [`'${text.replaceAll("'", "''")}'`, JSON.stringify(text), `>-\n          ${text}`]);
}

function misspelt(word: string, chance: Chance): string {
  const at = 1 + chance(word.length - 1);
  return pick(chance, [
    `${word.slice(0, at)}q${word.slice(at)}`,
    `${word.slice(0, at)}${word.slice(at + 1)}zz`,
    `${word}x`,
  ]);
}

const short = (chance: Chance): string => `0x${'ab12'.repeat(12).slice(0, pick(chance, [4, 20, 38, 39, 41, 42, 48]))}`;
const hasWords = ({ words }: KindParts): boolean => words.length > 0;
const hasTimes = ({ times }: KindParts): boolean => times.length > 0;
const isEvent = ({ hasWhile }: KindParts): boolean => !hasWhile;
const isHeld = ({ hasWhile }: KindParts): boolean => hasWhile;

const YAML_MISTAKES: Readonly<Record<string, Make>> = {
  'a quote that is never closed': inText((watch, chance) =>
    watch.replace('id: a\n', `id: ${pick(chance, ['"a', "'a"])}\n`),
  ),
  'a bracket that is never closed': inText((watch, chance) =>
    watch.replace('id: a\n', `id: ${pick(chance, ['[a', '{a: b', '[{a'])}\n`),
  ),
  'a tab as indentation': inText((watch) => watch.replace('    kind', '\tkind')),
  'a line too far to the left': inText((watch, chance) => watch.replace('    kind', `${' '.repeat(chance(2))}kind`)),
  'a line too far to the right': inText((watch, chance) =>
    watch.replace('    kind', `${' '.repeat(5 + chance(4))}kind`),
  ),
  'a key twice': inText((watch, chance) =>
    watch.replace('    kind', pick(chance, ['    id: x\n    kind', '    alerts: []\n    kind'])),
  ),
  'an alias of nothing': inText((watch, chance) =>
    watch.replace('id: a\n', `id: *${pick(chance, ['a', 'nobody', 'x1'])}\n`),
  ),
  'a merge key': inText((watch, chance) =>
    watch.replace('    kind', pick(chance, ['    <<: { a: b }\n    kind', '    <<: [{ a: b }]\n    kind'])),
  ),
  'a tag': inText((watch, chance) =>
    watch.replace('id: a\n', `id: ${pick(chance, ['!env A', '!!binary aGVsbG8=', '!x'])} a\n`),
  ),
  'a second document': inText((watch, chance) => `${watch}---\n${pick(chance, ['a: b', 'watches: []', '- x'])}\n`),
  'a list as a key': inText((watch) => watch.replace('    kind', '    [a, b]: c\n    kind')),
  'a key of the machine': inText((watch, chance) =>
    watch.replace('    kind', `    ${pick(chance, ['__proto__', 'constructor', 'prototype'])}: { a: b }\n    kind`),
  ),
  'too many levels': inText((watch, chance) => watch.replace('id: a\n', `id: ${'['.repeat(60 + chance(500))}\n`)),
  'two colons in a line': inText((watch) => watch.replace('id: a\n', 'id: a: b\n')),
};

const KEY_MISTAKES: Readonly<Record<string, Make>> = {
  'a misspelt key of a watch': inWatch(
    (parts, chance) => [
      ...parts.keys,
      `${misspelt(pick(chance, ['every', 'severity', 'notify', 'max_pages', 'explorer']), chance)}: 1m`,
    ],
    /watches\[\d\]\.\w+$/,
  ),
  'a misspelt key of an alert': inAlert(
    ({ on }, chance) => [
      `on: ${on}`,
      `${misspelt(pick(chance, ['severity', 'notify', 'title', 'text']), chance)}: critical`,
    ],
    /alerts\[0\]\.\w+$/,
  ),
  'a misspelt key of a file': (chance) => ({
    text: `${misspelt(pick(chance, ['defaults', 'watches']), chance)}: {}\n${fileText(chance, watchText({ parts: pick(chance, KINDS) }))}`,
    at: ANYWHERE,
  }),
  'no id': inText((watch) => watch.replace('id: w\n    ', '')),
  'no kind': inText((watch) => watch.replace(/ {4}kind: .*\n/, '')),
  'a kind that does not exist': inText((watch, chance) =>
    watch.replace(/kind: (.*)/, (_all, kind: string) => `kind: ${misspelt(kind, chance)}`),
  ),
  'a bad id': inText((watch, chance) =>
    watch.replace('id: w', `id: ${pick(chance, ['a b', '-a', 'ä', 'a/b', 'x'.repeat(65), '""'])}`),
  ),
  'a list for a text': inText((watch, chance) =>
    watch.replace(pick(chance, [/kind: .*/, /id: a/]), (line) => `${line.split(':')[0] ?? ''}: [1, [2]]`),
  ),
  'a map for a text': inText((watch, chance) =>
    watch.replace(pick(chance, [/kind: .*/, /id: a/]), (line) => `${line.split(':')[0] ?? ''}: { a: { b: c } }`),
  ),
  'a text for the alerts': inText((watch, chance) =>
    watch.replace(/alerts:\n[^]*/, `alerts: ${pick(chance, ['none', '5', '{ a: b }'])}\n`),
  ),
  'a text for a watch': inText((_watch, chance) => `  - ${pick(chance, ['blocks', '5', '[a, b]', '~'])}\n`),
  'the own key of another kind': inWatch(
    (parts) => [
      ...parts.keys.filter((key) => !key.startsWith('direction')),
      parts.kind === 'internal-transactions' ? 'direction: sideways' : 'direction: to',
    ],
    /\.direction$/,
  ),
  'an address where none may be': (chance) => {
    const parts = pick(
      chance,
      KINDS.filter(({ kind }) => kind === 'token' || kind === 'blocks'),
    );
    return { text: fileText(chance, watchText({ parts, keys: [...parts.keys, 'of: vault'] })), at: /\.of$/ };
  },
  'no address where one must be': (chance) => {
    const parts = pick(
      chance,
      KINDS.filter(({ keys }) => keys.some((key) => key.startsWith('of'))).filter(
        ({ kind }) => kind !== 'transactions',
      ),
    );
    return {
      text: fileText(chance, watchText({ parts, keys: parts.keys.filter((key) => !key.startsWith('of')) })),
      at: /watches\[\d\]$/,
    };
  },
};

const VALUE_MISTAKES: Readonly<Record<string, Make>> = {
  'a bad interval': inWatch(
    (parts, chance) => [
      ...parts.keys,
      `every: ${pick(chance, ['5', '1 minute', '-1m', '0s', '1w', '100ms', '999d', '1m 30', '""', '1e3s'])}`,
    ],
    /\.every$/,
  ),
  'a bad number of pages': inWatch(
    (parts, chance) => [
      ...parts.keys,
      `max_pages: ${pick(chance, ['0', '-1', '1.5', 'many', '1001', '1e3', '0x10', '99999999999999999999'])}`,
    ],
    /\.max_pages$/,
  ),
  'a bad cron': inWatch(
    (parts, chance) => [
      ...parts.keys,
      `cron: "${pick(chance, ['* * *', '61 * * * * *', '*/90 * * * * *', 'daily', '* * * * * * *', '0 0 32 * *', 'a b c d e'])}"`,
    ],
    /\.cron$/,
  ),
  'every and cron': inWatch((parts) => [...parts.keys, 'every: 1m', 'cron: "*/15 * * * * *"'], /\.cron$/),
  'a bad severity': inAlert(
    ({ on }, chance) => [
      `on: ${on}`,
      `severity: ${pick(chance, ['bad', 'crit', 'Critical', '1', '[critical]', '""'])}`,
    ],
    /\.severity$/,
  ),
  'a bad truth': inWatch(
    (parts, chance) => [...parts.keys, `metrics: ${pick(chance, ['yes', 'True', '1', 'no', 'on', '[]'])}`],
    /\.metrics$/,
  ),
  'an explorer that does not exist': inWatch(
    (parts, chance) => [...parts.keys, `explorer: ${misspelt('ethereum', chance)}`],
    /\.explorer$/,
  ),
  'a channel that does not exist': inAlert(
    ({ on }, chance) => [
      `on: ${on}`,
      `notify: ${pick(chance, [misspelt('ops', chance), `[ops, ${misspelt('oncall', chance)}]`, '[]'])}`,
    ],
    /\.notify(?:\[1\])?$/,
  ),
  'an address that does not exist': (chance) => {
    const parts = pick(
      chance,
      KINDS.filter(({ keys }) => keys.some((key) => key.startsWith('of'))),
    );
    const keys = parts.keys.map((key) => (key.startsWith('of') ? `of: ${misspelt('treasury', chance)}` : key));
    return { text: fileText(chance, watchText({ parts, keys })), at: /\.of$/ };
  },
  'an address of the wrong length': (chance) => {
    const parts = pick(
      chance,
      KINDS.filter(({ keys }) => keys.some((key) => key.startsWith('of'))),
    );
    const keys = parts.keys.map((key) => (key.startsWith('of') ? `of: ${short(chance)}` : key));
    return { text: fileText(chance, watchText({ parts, keys })), at: /\.of$/ };
  },
  'a token that does not exist': (chance) => {
    const parts = pick(
      chance,
      KINDS.filter(({ keys }) => keys.some((key) => key.startsWith('token'))),
    );
    const token = pick(chance, [misspelt('USDC', chance), short(chance), 'vaults']);
    const keys = parts.keys.map((key) => (key.startsWith('token') ? `token: ${token}` : key));
    return { text: fileText(chance, watchText({ parts, keys })), at: /\.token$/ };
  },
  'an id of a watch twice': inText((watch) => `${watch}${watch}`),
  'an id of an alert twice': inText((watch) => `${watch}      - { id: a, on: new }\n`),
};

const FORM_MISTAKES: Readonly<Record<string, Make>> = {
  'neither on nor while': inAlert(
    (_parts, chance) => [pick(chance, ['severity: critical', 'notify: ops', 'title: x'])],
    /alerts\[0\]$/,
  ),
  'on and while': inAlert(
    ({ on, numbers }, chance) => [`on: ${on}`, `while: ${pick(chance, numbers)} > 5`],
    /\.while$/,
  ),
  'an event that does not exist': inAlert(
    (_parts, chance) => [`on: ${pick(chance, ['news', 'arrived', 'always', 'New', '[new]', '5'])}`],
    /\.on$/,
  ),
  'an event of another kind': inAlert(({ on }) => [`on: ${on === 'new' ? 'added' : 'reorg'}`], /\.on$/),
  'while where there is none': inAlert(
    ({ numbers }, chance) => [`while: ${pick(chance, numbers)} > ${chance(100)}`],
    /\.while$/,
    isEvent,
  ),
  'if beside while': inAlert(
    ({ numbers }, chance) => [`while: ${pick(chance, numbers)} > 5`, `if: ${pick(chance, numbers)} > 7`],
    /\.if$/,
    isHeld,
  ),
  'for, until or keep_firing_for beside on': inAlert(
    ({ on, numbers }, chance) => [
      `on: ${on}`,
      pick(chance, ['for: 5m', 'keep_firing_for: 1h', `until: ${pick(chance, numbers)} > 5`]),
    ],
    /\.(?:for|until|keep_firing_for)$/,
  ),
  'a bad hold': inAlert(
    ({ numbers }, chance) => [
      `while: ${pick(chance, numbers)} > 5`,
      `for: ${pick(chance, ['5', 'long', '-1m', '1y', '400d'])}`,
    ],
    /\.for$/,
    isHeld,
  ),
  'until that holds whenever while does': inAlert(
    ({ numbers }, chance) => {
      const [field, bound] = [pick(chance, numbers), 5 + chance(1000)];
      return pick(chance, [
        [`while: ${field} < ${bound}`, `until: ${field} < ${bound + chance(100)}`],
        [`while: ${field} > ${bound}`, `until: ${field} > ${bound - chance(4)}`],
        [`while: ${field} == ${bound}`, `until: ${field} >= ${bound}`],
      ]);
    },
    /\.until$/,
    isHeld,
  ),
};

const TEMPLATE_MISTAKES: Readonly<Record<string, Make>> = {
  'a template with an unknown field': inAlert(
    ({ on, numbers }, chance) => [`on: ${on}`, `text: 'is {{ ${misspelt(pick(chance, numbers), chance)} }}'`],
    /\.text$/,
  ),
  'a template that is never closed': inAlert(
    ({ on, numbers }, chance) => [
      `on: ${on}`,
      `text: 'is {{ ${pick(chance, numbers)} ${pick(chance, ['', '}', '| short'])}'`,
    ],
    /\.text$/,
  ),
  'a template with a tag': inAlert(
    ({ on }, chance) => [
      `on: ${on}`,
      `text: '${pick(chance, ['{% if x %}y{% endif %}', '{% raw %}', '{% assign a = 1 %}'])}'`,
    ],
    /\.text$/,
  ),
  'a template with an unknown filter': inAlert(
    ({ on, numbers }, chance) => [
      `on: ${on}`,
      `text: '{{ ${pick(chance, numbers)} | ${misspelt('rounded', chance)} }}'`,
    ],
    /\.text$/,
  ),
  'a filter for another type': inAlert(
    ({ on, texts }, chance) => [
      `on: ${on}`,
      `text: '{{ ${pick(chance, texts)} | ${pick(chance, ['percent', 'rounded', 'short'])} }}'`,
    ],
    /\.text$/,
  ),
  'text of a stranger in a title': inAlert(
    ({ on, texts }, chance) => [`on: ${on}`, `title: 'from {{ ${pick(chance, texts)} }}'`],
    /\.title$/,
  ),
  'an empty title or text': inAlert(
    ({ on }, chance) => [`on: ${on}`, `${pick(chance, ['title', 'text'])}: "${' '.repeat(chance(4))}"`],
    /\.(?:title|text)$/,
  ),
  'more than a field': inAlert(
    ({ on, numbers }, chance) => [
      `on: ${on}`,
      `text: '{{ ${pick(chance, numbers)} ${pick(chance, ['+ 1', '| rounded | short', '> 5', '()'])} }}'`,
    ],
    /\.text$/,
  ),
  'a title of two lines': inAlert(({ on }) => [`on: ${on}`, 'title: "a\\nb"'], /\.title$/),
};

const SYNTAX_MISTAKES: Readonly<Record<string, Make>> = {
  'a condition that ends too early': inCondition(
    ({ numbers }, chance) => `${pick(chance, numbers)} ${pick(chance, ['>', '==', '&&', '+', 'in'])}`,
  ),
  'a single sign': inCondition(
    ({ numbers, bools }, chance) => `${pick(chance, bools)} ${pick(chance, ['&', '|'])} ${pick(chance, numbers)} > 5`,
  ),
  'a sign of another language': inCondition(
    ({ numbers }, chance) => `${pick(chance, numbers)} ${pick(chance, ['=', '=>', '=<', '<>', '===', 'is', '~'])} 5`,
  ),
  'a word of another language': inCondition(
    ({ numbers, bools }, chance) =>
      `${pick(chance, bools)} ${pick(chance, ['and', 'or', 'AND', 'xor', 'then'])} ${pick(chance, numbers)} > 5`,
  ),
  'a parenthesis too much or too few': inCondition(({ numbers }, chance) =>
    pick(chance, [
      `((${pick(chance, numbers)} > 5)`,
      `${pick(chance, numbers)} > 5))`,
      `[${pick(chance, numbers)} > 5`,
    ]),
  ),
  'a text that is never closed': inCondition(({ texts }, chance) => `${pick(chance, texts)} == "abc`),
  'no condition': inAlert(({ on }, chance) => [`on: ${on}`, `if: "${' '.repeat(chance(3))}"`], /\.if$/),
  'a condition that is too long': inCondition(({ numbers }, chance) =>
    Array.from({ length: 300 }, (_, i) => `${pick(chance, numbers)} > ${i}`).join(' && '),
  ),
  'a condition that is too deep': inCondition(
    ({ bools }, chance) => `${'!('.repeat(40 + chance(500))}${pick(chance, bools)}`,
  ),
};

const NAME_MISTAKES: Readonly<Record<string, Make>> = {
  'a misspelt field': inCondition(({ numbers }, chance) => `${misspelt(pick(chance, numbers), chance)} > 5`),
  'a field of another kind': inCondition(({ kind }, chance) =>
    kind === 'blocks' ? 'balance > 5' : `${pick(chance, ['depth', 'head.height', 'uncles_hashes.size()'])} > 5`,
  ),
  'a part of what has none': inCondition(
    ({ numbers }, chance) => `${pick(chance, numbers)}.${pick(chance, ['value', 'length', 'x'])} > 5`,
  ),
  'a function that does not exist': inCondition(
    ({ numbers }, chance) =>
      `${pick(chance, ['abs', 'int', 'round', 'matches', 'string', 'len'])}(${pick(chance, numbers)}) == 5`,
  ),
  'a method that does not exist': inCondition(
    ({ texts }, chance) =>
      `${pick(chance, texts)}.${pick(chance, ['startswith', 'includes', 'replace', 'matches', 'split'])}("a")`,
  ),
  'a record as a whole': inCondition(({ kind }) => `${NOUNS[kind] ?? ''} == ${NOUNS[kind] ?? ''}`),
  'a list without exists': inCondition(
    (_parts, chance) => `token_transfers.${pick(chance, ['token', 'from', 'total'])} == vault`,
    ({ kind }) => kind === 'transactions',
  ),
  'a name of the config that does not exist': inCondition(
    ({ addresses }, chance) => `${pick(chance, addresses)} == ${misspelt('treasury', chance)}`,
  ),
  'before where nothing was': inCondition(
    ({ numbers }, chance) => `before.${pick(chance, numbers)} > 5`,
    ({ kind }) => kind === 'transactions' || kind === 'internal-transactions',
  ),
};

const NOUNS: Readonly<Record<string, string>> = {
  balance: 'holding',
  holdings: 'holding',
  token: 'token',
  transactions: 'tx',
  'internal-transactions': 'call',
  blocks: 'block',
};

const TYPE_MISTAKES: Readonly<Record<string, Make>> = {
  'a number compared with a text': inCondition(
    ({ numbers }, chance) => `${pick(chance, numbers)} ${pick(chance, ['>', '==', '<='])} "${chance(1000)}"`,
  ),
  'a text compared with a number': inCondition(
    ({ texts }, chance) => `${pick(chance, texts)} ${pick(chance, ['==', '!=', '<'])} ${chance(1000)}`,
  ),
  'a text compared with a truth': inCondition(
    ({ texts }, chance) => `${pick(chance, texts)} == ${pick(chance, ['true', 'false'])}`,
  ),
  'a truth compared with a text': inCondition(
    ({ bools }, chance) => `${pick(chance, bools)} == "${pick(chance, ['true', 'false', 'yes'])}"`,
  ),
  'a text compared with an address': inCondition(
    ({ addresses }, chance) =>
      `${pick(chance, addresses)} ${pick(chance, ['==', '!='])} "${pick(chance, ['treasury', 'vault', '', 'USDC', 'alice.eth'])}"`,
  ),
  'a text among addresses': inCondition(
    ({ addresses }, chance) =>
      `${pick(chance, addresses)} in ["${pick(chance, ['treasury', 'vault', short(chance)])}"]`,
  ),
  'an address of the wrong length in quotes': inCondition(
    ({ addresses }, chance) => `${pick(chance, addresses)} == "${short(chance)}"`,
  ),
  'an address of the wrong length without quotes': inCondition(
    ({ addresses }, chance) => `${pick(chance, addresses)} ${pick(chance, ['==', '!='])} ${short(chance)}`,
  ),
  'an address compared with a number': inCondition(
    ({ addresses }, chance) => `${pick(chance, addresses)} ${pick(chance, ['==', '<', '>'])} ${chance(1000)}`,
  ),
  'a time compared with a text or a number': inCondition(
    ({ times }, chance) => `${pick(chance, times)} > ${pick(chance, ['"2026-01-01"', '1767225600', 'duration("5m")'])}`,
    hasTimes,
  ),
  'a field compared with null': inCondition(
    ({ numbers, texts, addresses }, chance) => `${pick(chance, [...numbers, ...addresses, ...texts])} == null`,
  ),
  'no truth': inCondition(
    ({ numbers, texts }, chance) => `${pick(chance, [...numbers, ...texts])}${pick(chance, ['', ' + 1', '.x'])}`,
  ),
  'a text in a sum': inCondition(
    ({ numbers, texts }, chance) => `${pick(chance, numbers)} + ${pick(chance, texts)} > 5`,
  ),
};

const LITERAL_MISTAKES: Readonly<Record<string, Make>> = {
  'a bad amount': inCondition(
    ({ numbers }, chance) =>
      `${pick(chance, numbers)} > amount(${pick(chance, ['"many"', '"1,000"', '"1 ETH"', '5', '""', '"0x10"', '"1e9999"'])})`,
  ),
  'a bad percentage': inCondition(
    ({ numbers }, chance) =>
      `${pick(chance, numbers)} > percent(${pick(chance, ['"five"', '5', '"%"', '"5 %%"', '"5,5"'])})`,
  ),
  'a bad duration': inCondition(
    () => 'age > duration("2d")',
    ({ kind }) => kind === 'blocks',
  ),
  'a bad time': inCondition(
    ({ times }, chance) =>
      `${pick(chance, times)} > timestamp("${pick(chance, ['yesterday', '2026-01-01', '2026-13-01T00:00:00Z', '12:00', '1767225600'])}")`,
    hasTimes,
  ),
  'a pattern that looks around or back': inCondition(
    ({ texts }, chance) =>
      `re(${pick(chance, texts)}, "${pick(chance, ['(?=a)', '(?!a)b', '(?<=a)b', '(a)\\\\1', '(?<!a)'])}")`,
  ),
  'a pattern that is none': inCondition(
    ({ texts }, chance) =>
      `re(${pick(chance, texts)}, "${pick(chance, ['(', '[a', '*a', 'a{2,1}', 'a{1,99999}', '(?P<a'])}")`,
  ),
  'a pattern that is no text in quotes': inCondition(
    ({ texts }, chance) =>
      `${pick(chance, ['re', 'glob'])}(${pick(chance, texts)}, ${pick(chance, ['5', texts[0] ?? '', '["a"]'])})`,
  ),
};

const IMPOSSIBLE: Readonly<Record<string, Make>> = {
  'a constant': inCondition(
    ({ numbers, bools }, chance) =>
      `${pick(chance, ['true', 'false', '1 < 2', '1 == 2', '"a" == "b"', 'amount("1") > 0', 'vault in hot_wallets', 'treasury == vault'])} ${pick(chance, ['&&', '||'])} ${pick(chance, [`${pick(chance, numbers)} > 5`, pick(chance, bools)])}`,
  ),
  'a constant alone': inCondition((_parts, chance) =>
    pick(chance, [
      'true',
      'false',
      '!true',
      '1 < 2',
      '2 in [1, 2]',
      '"abc".contains("b")',
      'duration("1m") < duration("1h")',
    ]),
  ),
  'a field compared with itself': inCondition(({ numbers, addresses, texts }, chance) => {
    const field = pick(chance, [...numbers, ...addresses, ...texts]);
    return `${field} ${pick(chance, ['==', '!='])} ${field}`;
  }),
  'an empty range of numbers': inCondition(({ numbers }, chance) => {
    const [field, low] = [pick(chance, numbers), 5 + chance(1000)];
    const high = low + chance(1000);
    return pick(chance, [
      `${field} < ${low} && ${field} > ${high}`,
      `${low} > ${field} && ${high} <= ${field}`,
      `${field} == ${low} && ${field} > ${high}`,
      `!(${field} >= ${low} || ${field} <= ${high})`,
    ]);
  }),
  'a value that is and is not': inCondition(({ numbers }, chance) => {
    const [field, value] = [pick(chance, numbers), 5 + chance(1000)];
    return pick(chance, [
      `${field} == ${value} && ${field} != ${value}`,
      `${field} != ${value} && ${field} in [${value}]`,
      `${field} == ${value} && ${field} == ${value + 1}`,
    ]);
  }),
  'two texts at once': inCondition(({ texts }, chance) => {
    const field = pick(chance, texts);
    return pick(chance, [
      `${field} == "a" && ${field} == "b"`,
      `${field} in ["a", "b"] && ${field} == "c"`,
      `${field} == "a" && ${field} != "a"`,
    ]);
  }),
  'two words at once': inCondition(({ words }, chance) => {
    const [field, one, other] = pick(chance, words);
    return `${field} == "${one ?? ''}" && ${field} == "${other ?? ''}"`;
  }, hasWords),
  'two addresses at once': inCondition(({ addresses }, chance) => {
    const field = pick(chance, addresses);
    return pick(chance, [
      `${field} == treasury && ${field} == vault`,
      `${field} == treasury && ${field} in hot_wallets`,
      `${field} != vault && ${field} == vault`,
    ]);
  }),
  'a truth that is and is not': inCondition(({ bools }, chance) => {
    const field = pick(chance, bools);
    return pick(chance, [`${field} && !${field}`, `${field} == true && ${field} == false`, `!${field} && ${field}`]);
  }),
  'a range that holds everything': inCondition(({ numbers }, chance) => {
    const [field, low] = [pick(chance, numbers), 5 + chance(1000)];
    return pick(chance, [
      `${field} > ${low} || ${field} < ${low + 1 + chance(100)}`,
      `${field} != ${low} || ${field} != ${low + 1}`,
      `${field} >= ${low} || !(${field} >= ${low})`,
    ]);
  }),
  'words that are everything': inCondition(({ words }, chance) => {
    const [field, one, other] = pick(chance, words);
    return `${field} != "${one ?? ''}" || ${field} != "${other ?? ''}"`;
  }, hasWords),
  'below zero': inCondition(
    ({ numbers }, chance) =>
      `${pick(chance, numbers)} ${pick(chance, ['< 0', '<= -1', '== -5', '< amount("-0.5")', 'in [-1, -2]'])}`,
  ),
  'never below zero': inCondition(
    ({ numbers }, chance) => `${pick(chance, numbers)} ${pick(chance, ['>= 0', '> -1', '!= -5', '>= amount("-0.5")'])}`,
  ),
  'a fraction of a whole number': inCondition(
    (_parts, chance) => `height == ${chance(1000)}.5`,
    ({ kind }) => kind === 'blocks',
  ),
  'a word with a value that does not exist': inCondition(({ words }, chance) => {
    const [field, value = ''] = pick(chance, words);
    return pick(chance, [
      `${field} == "${misspelt(value, chance)}"`,
      `${field} != "none"`,
      `"${value.toUpperCase()}" == ${field}`,
      `${field} in ["${value}", "other"]`,
    ]);
  }, hasWords),
  'a pattern that fits no value of a word': inCondition(
    ({ words }, chance) =>
      pick(chance, ['re(W, "^x")', 'glob(W, "fail*")', 'W.startsWith("Q")', 'W.contains("%")']).replaceAll(
        'W',
        pick(chance, words)[0],
      ),
    hasWords,
  ),
  'an empty list': inCondition(({ numbers, texts }, chance) => `${pick(chance, [...numbers, ...texts])} in []`),
  'a term twice': inCondition(({ numbers }, chance) => {
    const field = pick(chance, numbers);
    return `${field} > 7 ${pick(chance, ['&&  ', '||'])} ${field}  >  7.0`;
  }),
  'an item of a list twice': inCondition(({ numbers, texts }, chance) =>
    pick(chance, [`${pick(chance, texts)} in ["a", "b", "a"]`, `${pick(chance, numbers)} in [7, 8, 7.0]`]),
  ),
  'a division by zero': inCondition(
    ({ numbers }, chance) =>
      `${pick(chance, numbers)} ${pick(chance, ['/', '%'])} ${pick(chance, ['0', '0.0', '(1 - 1)'])} > 5`,
  ),
  'within a list': inCondition(
    (_parts, chance) =>
      `token_transfers.${pick(chance, ['exists', 'all'])}(t, ${pick(chance, ['t.total.value > 5 && t.total.value < 3', 't.token.reputation == "bad"', 't.from == t.from', 'true', 't.total.value < 0'])})`,
    ({ kind }) => kind === 'transactions',
  ),
};

const MISTAKES: Readonly<Record<string, Make>> = {
  ...YAML_MISTAKES,
  ...KEY_MISTAKES,
  ...VALUE_MISTAKES,
  ...FORM_MISTAKES,
  ...TEMPLATE_MISTAKES,
  ...SYNTAX_MISTAKES,
  ...NAME_MISTAKES,
  ...TYPE_MISTAKES,
  ...LITERAL_MISTAKES,
  ...IMPOSSIBLE,
};

export const MISTAKE_NAMES: readonly string[] = Object.keys(MISTAKES);
