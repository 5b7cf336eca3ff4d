// The web pages that a message leads to. A link that is not a plain web address is left out.
import type { Message } from '../model/delivery.ts';

export interface MessagePage {
  readonly label: string;
  readonly url: string;
}

/** The page with instructions; null = there is none. */
export function runbookOf({ runbook }: Pick<Message, 'runbook'>): string | null {
  return runbook !== null && isPage(runbook) ? runbook : null;
}

/** The explorer's pages. */
export function pagesOf({ links }: Pick<Message, 'links'>): string[] {
  return links.filter(isPage);
}

const SHOWN_THERE: Readonly<Record<string, string>> = {
  tx: 'Transaction',
  block: 'Block',
  address: 'Address',
  token: 'Token',
};

/** `Transaction`, `Transaction 2` */
export function explorerLinks(message: Pick<Message, 'links'>): MessagePage[] {
  const counts = new Map<string, number>();
  return pagesOf(message).map((url) => {
    const [kind = ''] = /(?<=\/)(?:tx|block|address|token)(?=\/[^/]+$)/.exec(new URL(url).pathname) ?? [];
    const label = SHOWN_THERE[kind] ?? 'Explorer';
    const count = (counts.get(label) ?? 0) + 1;
    counts.set(label, count);
    return { label: count === 1 ? label : `${label} ${count}`, url };
  });
}

function isPage(link: string): boolean {
  return /^https?:\/\/[\u0021-\u007e]+$/.test(link) && URL.canParse(link);
}
