// How a summary reads, as a mail and as a request.
import { expect, test } from '@jest/globals';
import { openSummary, withMember } from '../../src/core/alerts/overflow.ts';
import { toBody } from '../../src/notifiers/rendering/body.ts';
import { toContent } from '../../src/notifiers/rendering/group-content.ts';
import { toText } from '../../src/notifiers/rendering/mail-parts.ts';
import { subjectOf } from '../../src/notifiers/rendering/wording.ts';
import { aDelivery, aMessage } from './samples.ts';

const AT = Date.UTC(2026, 0, 1, 0, 5);

const failed = (key: string) =>
  aMessage({
    type: 'alert.event',
    key,
    watch: 'calls[vault]',
    alert: 'failed',
    title: `Call ${key} failed`,
    detail: null,
    token: null,
  });

test('events that waited behind ten thousand messages read as one, and a program finds each of them', () => {
  const opened = openSummary({ ...aDelivery(), message: failed('a') }, AT);
  const message = withMember(withMember(opened.message, failed('b'), AT + 1000), failed('c'), AT + 2000);
  expect(subjectOf(message)).toBe('[CRITICAL] 3 more failed events of calls[vault]');
  expect(toText(toContent(aDelivery({ message })))).toBe(`\
[CRITICAL] 3 more failed events of calls[vault]
10000 messages or more wait for this channel: further events of an alert are sent together.

The first: Call a failed

address: treasury 0x47ac0Fb4F2D84898e4D9E7b4DaB3C24507a6D503

state: summary of many messages, critical · watch: calls[vault] / failed · explorer: ethereum (chain 1) · observed: 2026-01-01T00:05:02Z · rule: rules/treasury.yaml:17 · condition: balance < 1000000
`);
  expect(JSON.parse(toBody(aDelivery({ id: opened.id, message })))).toMatchObject({
    type: 'alert.summary',
    data: {
      id: opened.id,
      title: '3 more failed events of calls[vault]',
      since: '2026-01-01T00:05:00Z',
      fields: {},
      before: null,
      summary: { of: 'alert.event', count: 3, keys: ['a', 'b', 'c'] },
    },
  });
});
