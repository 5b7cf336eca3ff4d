// Why nothing is known of a watch, in words.

const WORDS: Readonly<Record<string, string>> = {
  stale: 'the chain head is stalled',
  nodata: 'no answer',
  partial: 'answers are incomplete',
  plan: 'the plan leaves no credits for it now',
  throttled: 'the explorer allows no more requests',
  error: 'the explorer answers with errors',
  'blind-field': 'a field that a rule reads is gone',
  'no-poll': 'no poll took effect',
  'damaged-memory': 'what was remembered cannot be read',
  'storage-fails': 'the state cannot be written',
  'storage-full': 'the state is full',
  'not-found': 'the explorer does not know it (404)',
  'wrong-path': 'the address of the explorer is not one',
  unauthorized: 'the key is refused (401)',
  forbidden: 'access is refused (403)',
  blocked: 'blocked by a firewall',
  'out-of-credits': 'no credits are left (402)',
  'no-key': 'the explorer asks for a key',
  'rate-limited': 'too many requests (429)',
  'server-error': 'the explorer fails (5xx)',
  timeout: 'no answer in time',
  dns: 'its name is not found',
  tls: 'its certificate is not valid',
  network: 'it cannot be reached',
  'other-chain': 'another chain answers',
};

/** `causeWords('stale') // 'the chain head is stalled'`; what has no words stays as it is. */
export function causeWords(cause: string): string {
  return WORDS[cause] ?? cause;
}

const ANSWERED = [
  'plan',
  'stale',
  'nodata',
  'partial',
  'blind-field',
  'damaged-memory',
  'storage-fails',
  'storage-full',
];

/** Whether there was no answer, or one that does not tell. */
export function sinceWords(cause: string): 'Blind since' | 'No answer since' {
  return ANSWERED.includes(cause) ? 'Blind since' : 'No answer since';
}
