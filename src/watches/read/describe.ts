// The words of `check` for the questions of a watch.
import { canonicalSignature, selectorOf } from '../../lib/abi/signature.ts';
import { isJoined } from './calls.ts';
import { blocksText, viewOf, type ReadOptions } from './option.ts';

/** `asks totalAssets() 0x01e1d114 as assets, slot 0xb531… as proxy_admin, coins as held` */
export function describeReads(options: ReadOptions): string {
  const { read, confirmations = 0 } = options;
  const words = Object.entries(read).map(([name, spec]) => {
    if (spec.type === 'balance') return `the coins as ${name}`;
    if (spec.type === 'slot') return `slot ${spec.slot.replace(/^0x0+(?=.)/, '0x').slice(0, 10)} as ${name}`;
    const signature = viewOf(spec.call);
    return `${canonicalSignature(signature)} ${selectorOf(signature)} as ${name}`;
  });
  const below = confirmations === 0 ? '' : `, ${blocksText(confirmations)} below the newest`;
  const joined = isJoined(options) ? ', the calls joined by Multicall3' : '';
  return `asks ${words.join(', ')}${joined}${below}`;
}
