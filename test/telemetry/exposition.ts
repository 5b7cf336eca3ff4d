// The text format 0.0.4, read by the letter of its specification and by nothing of prom-client's.
export interface Family {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly samples: readonly Sample[];
}

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Throws at the first line that is not as it must be: bad syntax, a sample outside its family, a series twice. */
export function parseExposition(text: string): Map<string, Family> {
  if (!text.endsWith('\n')) throw new Error('the last line has no line feed');
  const familyByName = new Map<string, Family & { samples: Sample[] }>();
  const series = new Set<string>();
  let help: { name: string; text: string } | null = null;
  let family: (Family & { samples: Sample[] }) | null = null;
  for (const line of text.slice(0, -1).split('\n')) {
    if (line === '') continue;
    const helped = HELP.exec(line);
    const typed = TYPE.exec(line);
    if (helped !== null) help = { name: helped[1] ?? '', text: helped[2] ?? '' };
    else if (typed !== null) {
      const [, name = '', type = ''] = typed;
      if (help?.name !== name) throw new Error(`no HELP before TYPE: ${line}`);
      if (familyByName.has(name)) throw new Error(`family twice: ${name}`);
      family = { name, type, help: help.text, samples: [] };
      familyByName.set(name, family);
    } else {
      const sample = parseSample(line);
      if (family === null || !belongs(sample.name, family)) throw new Error(`sample outside its family: ${line}`);
      const key = `${sample.name} ${JSON.stringify(Object.entries(sample.labels).sort())}`;
      if (series.has(key)) throw new Error(`series twice: ${line}`);
      series.add(key);
      family.samples.push(sample);
    }
  }
  return familyByName;
}

const HELP = /^# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) (\S.*)$/;
const TYPE = /^# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (counter|gauge|histogram)$/;
const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (-?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?)|\+Inf|-Inf|NaN)$/;
const LABEL = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\\\|\\"|\\n)*)"(?:,|$)/;

function parseSample(line: string): Sample {
  const match = SAMPLE.exec(line);
  if (match === null) throw new Error(`not a sample: ${line}`);
  const [, name = '', body = '', value = ''] = match;
  return { name, labels: parseLabels(body, line), value: value === '+Inf' ? Infinity : Number(value) };
}

function parseLabels(body: string, line: string): Record<string, string> {
  const labels: Record<string, string> = {};
  for (let rest = body; rest !== '';) {
    const match = LABEL.exec(rest);
    if (match === null) throw new Error(`not a label: ${line}`);
    const [whole, name = '', value = ''] = match;
    if (name in labels) throw new Error(`label twice: ${line}`);
    labels[name] = value.replace(/\\(.)/g, (_all, escaped: string) => (escaped === 'n' ? '\n' : escaped));
    rest = rest.slice(whole.length);
  }
  return labels;
}

function belongs(sample: string, { name, type }: Family): boolean {
  if (type !== 'histogram') return sample === name;
  return [`${name}_bucket`, `${name}_sum`, `${name}_count`].includes(sample);
}
