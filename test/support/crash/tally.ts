// What happened, beside what each recipient was told of it.
import type { Told } from './receivers.ts';

/** Something that happened, the words by which a message about it is known, and who has to hear of it. */
export interface Owed {
  readonly what: string;
  readonly recipients: readonly string[];
}

/** `what` of everything that may be owed. The last one is the id of a mail. */
const WORDS = /(?:block|call) \d+\.|\d\.\d{4}, (?:below|at or above) 1\n|silence-\d+-\d+;|quiet-\d+;|<\w+@/g;

export interface Tally {
  owe(what: string, recipients: readonly string[]): Owed;
  isTold(owed: Owed): boolean;
  isAllTold(): boolean;
  /** What was lost, and what came again without saying so. */
  faults(): string[];
  /** How many messages came again. */
  copies(): number;
}

/** `all` grows. `isForgotten`: the state has lost that it was told, so that it may come again as if it were new. */
export function createTally<T extends Told>(all: readonly T[], isForgotten: (told: T) => boolean = () => false): Tally {
  const owed: Owed[] = [];
  const byWords = new Map<string, T[]>();
  const byId = new Map<string, T[]>();
  let read = 0;

  function readOn(): void {
    for (; read < all.length; read += 1) {
      const told = all[read];
      if (told === undefined) return;
      for (const words of new Set(told.text.match(WORDS))) add(byWords, `${told.recipient} ${words}`, told);
      if (told.id !== null) add(byId, `${told.recipient} ${told.id}`, told);
    }
  }

  function lost(): string[] {
    readOn();
    return owed.flatMap(({ what, recipients }) =>
      recipients
        .filter((recipient) => !byWords.has(`${recipient} ${what}`))
        .map((recipient) => `lost: ${recipient} never heard of ${what}`),
    );
  }

  return {
    owe(what, recipients) {
      const one = { what, recipients };
      owed.push(one);
      return one;
    },
    isTold({ what, recipients }) {
      readOn();
      return recipients.every((recipient) => byWords.has(`${recipient} ${what}`));
    },
    isAllTold: () => lost().length === 0,
    faults() {
      const lostOnes = lost();
      const alike = [...byWords.values(), ...byId.values()];
      return [...lostOnes, ...alike.filter((some) => !isExplained(some, isForgotten)).map(show)];
    },
    copies() {
      readOn();
      return [...byId.values()].reduce((sum, same) => sum + same.length - 1, 0);
    },
  };
}

function add<T>(to: Map<string, T[]>, key: string, told: T): void {
  to.set(key, [...(to.get(key) ?? []), told]);
}

/** All but the first have its id and say that they may be a copy, where one before them is on record. */
function isExplained<T extends Told>(some: readonly T[], isForgotten: (told: T) => boolean): boolean {
  return some.every(({ id, saysCopy }, n) => {
    const before = some.slice(0, n);
    return before.every((one) => one.id === id) && (saysCopy || before.every(isForgotten));
  });
}

function show(some: readonly Told[]): string {
  const lines = some.map(({ recipient, id, saysCopy, text }) => {
    const [subject = ''] = text.split('\n');
    return `${recipient} ${String(id)}${saysCopy ? ' (may be a copy)' : ''}: ${subject}`;
  });
  return `a copy that does not say so:\n  ${lines.join('\n  ')}`;
}
