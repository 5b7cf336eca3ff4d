// Examples for editors, by key: what a person sees when they complete it.

export const EXAMPLES: Readonly<Record<string, readonly unknown[]>> = {
  // rules
  ...{ defaults: [{ explorer: 'ethereum', notify: ['ops'], every: '1m' }], watches: [[]], alerts: [[]] },
  ...{
    id: ['treasury-usdc', 'low'],
    explorer: ['ethereum', ['ethereum', 'gnosis']],
    notify: ['ops', ['ops', 'oncall']],
  },
  ...{ every: ['30s', '5m'], cron: ['*/15 * * * * *'], severity: ['critical'], max_pages: [5], metrics: [false] },
  ...{
    of: ['treasury', ['treasury', 'vault'], '0x47ac0Fb4F2D84898e4D9E7b4DaB3C24507a6D503'],
    direction: ['to'],
    start: [21034112],
  },
  ...{ token: ['USDC', '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'], on: ['new', 'changed'] },
  ...{ if: ['success == false', 'value > 100'], while: ['balance < 1000000'], until: ['balance > 1050000'] },
  ...{ for: ['2m'], keep_firing_for: ['10m'], title: ['Treasury is low'], text: ['{{ balance }} left'] },
  ...{ cooldown: ['30m'], confirmations: [12], provisional: [true], none_for: ['6h'], per: ['to.hash', ['to.hash']] },
  ...{ at_least: [{ count: 3, within: '10m' }], count: [3], within: ['10m'] },
  ...{ sum: ['value'], than: [100], ratio: ['20%'], min: [20] },
  ...{ labels: [{ team: 'payments' }] },
  ...{ runbook: ['https://wiki.example.com/treasury-low'] },
  // config
  ...{ routes: [[{ match: { severity: 'critical' }, add: ['oncall'] }]], match: [{ severity: 'critical' }] },
  ...{ add: ['oncall', ['oncall', 'phone']], group_by: [['team']], group_wait: ['30s'], group_interval: ['5m'] },
  ...{ repeat: ['12h', 'off'], require_ack: [true], escalate: [[{ after: '15m', notify: ['phone'] }]], after: ['15m'] },
  ...{
    failover: [['phone']],
    mute: [[{ days: 'sat-sun', zone: 'Europe/Berlin' }]],
    days: ['sat-sun', ['mon', 'wed-fri']],
  },
  ...{ zone: ['Europe/Berlin'], cap: [{ per_hour: 60, burst: 20 }], per_hour: [60], burst: [20] },
  ...{ inhibit: [[{ when: { alert: 'stalled' }, mute: { severity: '!critical' }, equal: ['explorer'] }]] },
  ...{ when: [{ watch: 'head', alert: 'stalled' }], equal: [['explorer']] },
  ...{ explorers: [{ playground: { form: 'sandbox' } }], channels: [{ screen: { type: 'log' } }] },
  ...{ addresses: [{ treasury: '0x47ac0Fb4F2D84898e4D9E7b4DaB3C24507a6D503' }] },
  ...{ tokens: [{ USDC: { ethereum: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48' } }] },
  ...{ state: [{ file: './data/state.db' }], http: [{ listen: '127.0.0.1:9797' }], listen: ['127.0.0.1:9797'] },
  ...{ public_url: ['https://chainwarden.example.com'], operators: [{ anne: { token: { env: 'ANNE_TOKEN' } } }] },
  ...{ proxy: [{ header: 'X-Forwarded-User', from: '10.0.0.7', secret: { env: 'PROXY_SECRET' } }], header: ['X-User'] },
  ...{ rules: [['rules/*.yaml']], base_url: ['https://explorer.example.com'], chain_id: ['1'], auth: ['bearer'] },
  ...{ instance_url: ['https://gnosis.explorer.example.com'], api_key: [{ env: 'EXPLORER_API_KEY' }], seed: [7] },
  ...{
    block_time: ['2s', 'manual'],
    control: [true],
    insecure: [true],
    faults: [true],
    coin: [{ symbol: 'ETH', decimals: 18 }],
    symbol: ['ETH'],
  },
  ...{ decimals: [18], page_url: ['https://explorer.example.com'], concurrency: [4], headers: [{ 'x-team': 'ops' }] },
  ...{ plan: [{ requests_per_second: 5, credits: 100000, per: 'day', reserve: '10%' }], requests_per_second: [5] },
  ...{ credits: [100000], reserve: ['10%'], env: ['OPS_WEBHOOK_URL'], file: ['/run/secrets/ops'] },
  ...{ backup: [{ keep: 7 }], directory: ['./backups'] },
  ...{ self: [['ops']], heartbeat: [{ url: { env: 'HEARTBEAT_URL' }, every: '60s' }] },
  ...{ digest: [{ at: '08:00', zone: 'Europe/Berlin', notify: ['ops'] }] },
  ...{ recording: [{ file: './data/recording.db' }], keep: ['7d'], max_size: ['256MiB'] },
  ...{ url: [{ env: 'OPS_WEBHOOK_URL' }], secret: [{ file: '/run/secrets/ops' }], smtp: [{ env: 'SMTP_URL' }] },
  ...{ channel: ['C0123ABCD'], chat: ['-1001234567890'], thread_id: ['1234567890123456789'], thread_name: ['Alerts'] },
  ...{ routing_key: [{ env: 'PAGERDUTY_KEY' }], region: ['eu'] },
  ...{ user: ['warden'], password: [{ env: 'AM_PASSWORD' }], refresh: ['60s'], hold: ['24h'] },
  ...{ format: ['text'], from: ['chainwarden@example.com', '10.0.0.7'], to: [['oncall@example.com']] },
};

/** Descriptions that the shapes themselves lack, since their parts are parsed one by one. */
export const DESCRIPTIONS: Readonly<Record<string, string>> = {
  explorers: 'explorers by name; a rule names one of them',
  addresses: 'addresses and groups of addresses by name',
  tokens: 'tokens by name: an address, or one per explorer',
  channels: 'channels by name; a rule tells them',
};
