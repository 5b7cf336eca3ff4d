import { Address, shortHex } from '../../core/values/address.ts';
import { valueAt, type AnyView } from '../../core/values/fields.ts';
import type { EventOccasion, KindWording, WatchNames, Sentence } from '../../core/model/watch/wording.ts';
import type { Segment } from '../../core/model/watch/condition.ts';
import { changeSentence, onPlace, ownValue, plainWording, textAt } from '../../core/wording/values.ts';
import { lineOf, quotedText, showPath } from '../../core/wording/words.ts';

export const holdingsWording: KindWording = {
  ...plainWording({ noun: 'holding' }),
  thing: ({ of, ...names }) => `${of ?? ''} tokens${onPlace({ of, ...names })}`,
  value: ({ names, view }, path) =>
    TOTALS[path]?.(names.of ?? '', onPlace(names)) ??
    `${names.of ?? ''} ${tokenWords(names, view)}${onPlace(names)}: ${showPath(path.replace(/^token\./, ''))}`,
  event(occasion) {
    switch (occasion.on) {
      case 'added':
        return addedSentence(occasion);
      case 'removed':
        return removedSentence(occasion);
      default:
        return changedSentence(occasion);
    }
  },
};

const TOTALS: Readonly<Record<string, (of: string, place: string) => string>> = {
  total_usd: (of, place) => `${of} tokens${place}`,
  unpriced: (of, place) => `${of} tokens without a price${place}`,
};

function addedSentence(occasion: EventOccasion): Sentence {
  const { names, view } = occasion;
  const isScam = valueAt(view, 'token.reputation') === 'scam';
  const what = isScam ? 'a token with reputation scam' : tokenWords(names, view);
  const title = `${names.of ?? ''} received ${knownToken(names, view) ?? what}`;
  const isSaid = isScam && knownToken(names, view) === null;
  const shows = isSaid ? [...shownToken(occasion), 'token.reputation'] : shownToken(occasion);
  return { title, detail: null, measured: null, lines: describedToken(occasion, 'Balance'), shows };
}

function removedSentence(occasion: EventOccasion): Sentence {
  const { names, view } = occasion;
  const title = `${names.of ?? ''} no longer holds ${tokenWords(names, view)}`;
  const lines = describedToken(occasion, 'Last poll:');
  return { title, detail: null, measured: null, lines, shows: shownToken(occasion) };
}

function changedSentence(occasion: EventOccasion): Sentence {
  const sentence = changeSentence(occasion, (path) => holdingsWording.value(occasion, path));
  const isBalance = occasion.compared[0] === 'balance';
  if (isBalance) return sentence;
  return {
    ...sentence,
    lines: [...sentence.lines, ...describedToken(occasion, 'Balance')],
    shows: [...(sentence.shows ?? []), ...shownToken(occasion)],
  };
}

/**
 * `Symbol given: "claim-usdt[.]com". Contract 0x9f2e…41c7. Balance 8,000.` For a token that the config names, only the
 * balance.
 */
function describedToken(occasion: EventOccasion, label: string): readonly (readonly Segment[])[] {
  const { names, view } = occasion;
  const balance = ownValue(occasion, 'balance');
  const held = lineOf(balance === undefined ? null : `${label} ${balance}.`);
  if (knownToken(names, view) !== null) return held;
  const symbol = textAt(view, 'token.symbol');
  const contract = contractOf(view);
  const [rest = []] = held;
  const line = [
    ...(symbol === undefined ? [] : [...quotedText('Symbol given:', symbol), { text: ' ' }]),
    ...(contract === undefined ? [] : [{ text: `Contract ${shortHex(contract.text)}. ` }]),
    ...rest,
  ];
  return line.length === 0 ? [] : [line];
}

/** The paths that the title and `describedToken` show. */
function shownToken({ names, view }: EventOccasion): readonly string[] {
  return knownToken(names, view) === null ? ['balance', 'token.address_hash', 'token.symbol'] : ['balance'];
}

/** `ACME`, or `token 0x9f2e…41c7` */
function tokenWords(names: WatchNames, view: AnyView): string {
  const contract = contractOf(view);
  return knownToken(names, view) ?? (contract === undefined ? 'a token' : `token ${shortHex(contract.text)}`);
}

function knownToken(names: WatchNames, view: AnyView): string | null {
  const contract = contractOf(view);
  return contract === undefined ? null : names.known(contract);
}

function contractOf(view: AnyView): Address | undefined {
  const value = valueAt(view, 'token.address_hash');
  return value instanceof Address ? value : undefined;
}
