import { describe, expect, it } from '@jest/globals';
import type { Try } from '../log.ts';
import { HOUR, MINUTE, begin, fires, found, member, sent, transition } from './logs.ts';

describe('the oracle for people, of what waits behind another message,', () => {
  it('passes what follows a message about its alert that is itself late', () => {
    const over = transition({ at: HOUR + MINUTE, seq: 2, type: 'resolved' });
    const again = transition({ at: HOUR + 2 * MINUTE, episode: 2, seq: 3 });
    const first = { ...begin(HOUR + 20 * MINUTE), closedClock: HOUR };
    const then = (at: number): Try =>
      sent(at, 'ops', [member({ episode: 2, seq: 3 })], { id: 'then', closedClock: HOUR + 2 * MINUTE });
    const ended = sent(HOUR + 20 * MINUTE, 'ops', [member({ seq: 2, type: 'resolved' })], { id: 'end' });
    const transitions = [fires, over, again];
    expect(found({ transitions, tries: [first, ended, then(HOUR + 20 * MINUTE)] })).toEqual(['stale begin']);
    expect(found({ transitions, tries: [first, ended, then(HOUR + 30 * MINUTE)] })).toContain('unsent begin');
  });
});
