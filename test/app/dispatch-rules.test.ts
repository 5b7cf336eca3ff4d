import { expect, test } from '@jest/globals';
import { dispatchRulesOf } from '../../src/app/in-force.ts';
import { ANNOUNCER } from '../../src/core/model/ids.ts';
import { loadConfigText } from '../rules/support/load.ts';

test('what operators did was not told, because the daemon was started again before it was sent', () => {
  const { config } = loadConfigText(
    'explorers: { here: { form: sandbox } }\nchannels: { a: { type: list, to: [x] }, b: { type: list, to: [y] } }\nself: [b]\n',
  );
  if (config === null) throw new Error('it does not load');
  const rules = dispatchRulesOf(
    config,
    { watches: [], reports: [] },
    {
      startedAt: 0,
      lookedAt: () => null,
      coveredUntil: () => null,
      presentOf: () => null,
    },
  );
  // Asked at a start and at a reload: what leads nowhere any more is let go of.
  expect(rules.ruleOf(ANNOUNCER, 'silence', {})).toEqual({ type: 'fixed', channels: ['b'] });
});

test('people are sent 10 messages in ten minutes and 30 in an hour unless the config says otherwise, programs any number', () => {
  const { config } = loadConfigText(`
explorers: { here: { form: sandbox } }
channels:
  desk: { type: list, to: [x] }
  busy: { type: list, to: [y], cap: { per_hour: 60, burst: 20 } }
  hook: { type: post, url: 'https://hooks.example.com/x' }
`);
  if (config === null) throw new Error('it does not load');
  const rules = dispatchRulesOf(
    config,
    { watches: [], reports: [] },
    {
      startedAt: 0,
      lookedAt: () => null,
      coveredUntil: () => null,
      presentOf: () => null,
    },
  );
  expect(rules.channelOf('desk')).toEqual({ unit: 'group', cap: { perHour: 30, burst: 10 } });
  expect(rules.channelOf('busy')).toEqual({ unit: 'group', cap: { perHour: 60, burst: 20 } });
  expect(rules.channelOf('hook')).toEqual({ unit: 'alert', cap: null });
});
