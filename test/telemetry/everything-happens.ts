import { aPlanState } from '../support/spending.ts';
import type { Metrics } from '../../src/telemetry/metrics.ts';

/** Lets each thing that can be counted happen at least once. */
export function everythingHappens(metrics: Metrics): void {
  const at = Date.UTC(2026, 0, 1);
  metrics.buildInfo({ version: '0.1.0', node: '24.0.0', sqlite: '3.53.0' });
  metrics.explorerHeaders({ explorer: 'ethereum', credits: 99_980, limit: 5, remaining: 4, resetSeconds: 0.25 });
  metrics.request({ explorer: 'ethereum', operation: 'blocks', outcome: 'ok', seconds: 0.12 });
  metrics.request({ explorer: 'ethereum', operation: 'token', outcome: 'rate-limited', seconds: 0.03 });
  metrics.unknownFields({ explorer: 'ethereum', record: 'Token', count: 2 });
  metrics.head({ explorer: 'ethereum', height: 21_000_000n, timestamp: at });
  metrics.poll({ watch: 'treasury-usdc', of: 'treasury', outcome: 'complete', at, readsList: true });
  metrics.poll({ watch: 'treasury-usdc', of: 'treasury', outcome: 'timeout', at, readsList: true });
  metrics.watchUp({ watch: 'treasury-usdc', of: 'treasury' }, false);
  metrics.watchValue({ watch: 'treasury-usdc', of: 'treasury', token: 'USDC', field: 'balance' }, 1.5e6, 60_000);
  metrics.undecided('treasury-usdc', 1);
  metrics.unfollowed('treasury-usdc', 1);
  metrics.mirrorRests(() => [
    ['ethereum', { reason: 'out-of-credits', doubt: '90,000 credits were left', nextAt: at }],
  ]);
  metrics.mirrorPlans(() => [
    {
      state: aPlanState({
        explorers: ['ethereum', 'gnosis'],
        atReset: -40,
        stretch: { critical: 1, warning: 2.1, info: 4.4 },
      }),
      counts: {
        spent: { critical: 20_000, warning: 20_000, info: 8000, pages: 1500, sweep: 500, probe: 0, enrich: 0 },
        foreign: 300,
        postponed: { warning: 2, info: 5 },
      },
    },
  ]);
  metrics.otherChain({ explorer: 'ethereum', isOther: false });
  metrics.forks({ explorer: 'ethereum', areForked: true });
  metrics.notExamined('treasury-usdc');
  metrics.skipped('treasury-usdc');
  metrics.mirrorAlerts(() => [
    { watch: 'treasury-usdc', alert: 'low', severity: 'warning', state: 'firing', count: 1 },
  ]);
  metrics.mirrorHealth(() => [{ watch: 'treasury-usdc', alert: 'low', health: 'never-true' }]);
  metrics.mirrorData(() => [{ watch: 'treasury-usdc', of: 'treasury', state: 'partial' }]);
  metrics.mirrorBlind(() => [{ watch: 'treasury-usdc', of: 'treasury', explorer: 'ethereum', reason: 'timeout' }]);
  metrics.channelOpened('ops');
  metrics.delivery({ channel: 'ops', outcome: 'again' });
  metrics.deliveryDead('ops');
  metrics.mirrorOutbox(() => Promise.resolve([{ channel: 'ops', rows: 3, oldest: at }]));
  metrics.schedulerLag(0.004);
  metrics.reload(true, at);
  metrics.httpRejected('host');
  metrics.httpAnswered({ route: '/api/v1/overview', status: 200, renderSeconds: 0.004 });
  metrics.httpStreams(2);
  metrics.mirrorStorage(() => true);
  metrics.mirrorOperators(async () => ({
    unacknowledged: new Map([['critical', 1]]),
    silences: new Map([['active', 2]]),
  }));
  metrics.mirrorCluster(() => ({
    replicas: [{ id: 'a', name: 'treasury-1, pid 7', checksum: 'x', isSelf: true, counts: true, outvotedSince: null }],
    shards: [{ shard: 'explorer:ethereum', holder: 'treasury-1, pid 7', isOurs: true }],
    configInForce: 'x',
    counts: { leasesLost: 1, takeovers: 1, fencedCommits: 1 },
  }));
  metrics.beat('sent', at);
  metrics.logDropped(1);
  metrics.recordingFailed();
  metrics.backupMade(at);
  metrics.backupFailed();
  metrics.stateMeasured({ fileBytes: 8192, logBytes: 4096, freeBytes: 2 ** 30 });
  metrics.memoryRecalled('superseded');
  metrics.loopRestarted('sender');
  metrics.mirrorFailing(() => ['sender']);
  metrics.networkErrorUncaught();
}
