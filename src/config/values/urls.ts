// Web addresses in a config.
import { scalar } from './scalars.ts';

/** An `http:` or `https:` address without credentials, query or fragment, and without a slash at its end. */
export function webUrl(description: string) {
  return scalar(parseWebUrl, 'an http:// or https:// address without user, query or fragment', {
    description,
    pattern: '^https?://',
  });
}

function parseWebUrl(written: string): string | undefined {
  if (!URL.canParse(written)) return undefined;
  const { protocol, username, password, search, hash, href } = new URL(written);
  if (!['http:', 'https:'].includes(protocol) || `${username}${password}${search}${hash}` !== '') return undefined;
  return href.replace(/\/+$/, '');
}

/** The address of a line of a rule file on another site. It contains `{file}`, and may contain `{line}`. */
export function sourceUrl(description: string) {
  return scalar(
    parseSourceUrl,
    'an http:// or https:// address that contains {file}, and {line} if it can lead to a line',
    {
      description,
      pattern: '^https?://',
      examples: ['https://git.example.com/ops/alerts/blob/main/{file}#L{line}'],
    },
  );
}

function parseSourceUrl(written: string): string | undefined {
  const isTemplate = /^https?:\/\/[^/{}]+\//.test(written) && written.includes('{file}');
  return isTemplate && URL.canParse(written) && new URL(written).username === '' ? written : undefined;
}

const LONGEST_PAGE = 300;

/** The address of a page for people, with query and fragment: short enough for every channel. */
export function pageUrl(description: string) {
  return scalar(parsePageUrl, `an http:// or https:// address without user, of at most ${LONGEST_PAGE} characters`, {
    description,
    pattern: '^https?://',
  });
}

function parsePageUrl(written: string): string | undefined {
  const url = /^https?:\/\/\S+$/i.test(written) ? URL.parse(written) : null;
  if (url === null || `${url.username}${url.password}` !== '' || url.href.length > LONGEST_PAGE) return undefined;
  return url.href;
}

const API_PATH = '/api/v2';

/** The URL of an explorer. The path of the API is added to it later, so it must not end with that path. */
export function explorerUrl(description: string) {
  return webUrl(description).superRefine((url, context) => {
    if (!url.endsWith(API_PATH)) return;
    const message = `${API_PATH} is added to this address: write ${url.slice(0, -API_PATH.length)}`;
    context.addIssue({ code: 'custom', message });
  });
}
