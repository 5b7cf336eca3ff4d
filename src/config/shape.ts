// The config file as a schema. Scalars come as text; `api_key` and every key of a channel may also be
// `{ env: NAME }` or `{ file: PATH }`.
import { z } from 'zod';
import { ENRICH_PERCENT } from '../core/spending/plan.ts';
import { isNetwork } from '../lib/network.ts';
import { DigestShape } from './service/digest-shape.ts';
import {
  boolean,
  duration,
  integer,
  LABEL,
  NAME,
  oneOrMore,
  pace,
  percent,
  quote,
  size,
  text,
} from './values/scalars.ts';
import { explorerUrl, sourceUrl, webUrl } from './values/urls.ts';
import { ZoneShape } from './values/zone-shape.ts';

export const SecretSource = z
  .union(
    [
      z.strictObject({ env: text('name of an environment variable') }),
      z.strictObject({ file: text('path of a file; relative paths start at the config file') }),
    ],
    'must be { env: NAME } or { file: PATH }: a token must not be in this file',
  )
  .meta({ description: '{ env: NAME } or { file: PATH }' });
/**
 * `name` is the name of the installation. If another installation gets the same URL by mistake, its name differs, and
 * it refuses to use this state.
 */
export const DatabaseSource = z
  .union(
    [
      z.strictObject({ env: text('name of an environment variable'), name: installation() }),
      z.strictObject({
        file: text('path of a file; relative paths start at the config file'),
        name: installation(),
      }),
    ],
    'must be { env: NAME, name: INSTALLATION } or { file: PATH, name: INSTALLATION }: the URL must not be in this ' +
      'file, and the name says which installation this is, in letters, digits, _ and -, such as "treasury"',
  )
  .meta({ description: '{ env: NAME, name: INSTALLATION } or { file: PATH, name: INSTALLATION }' });
export const SecretText = z
  .union([z.string(), SecretSource])
  .meta({ description: 'the text itself, { env: NAME } or { file: PATH }' });
export type SecretText = z.output<typeof SecretText>;

function installation() {
  return z
    .string()
    .regex(LABEL)
    .meta({ description: 'name of the installation', examples: ['treasury'] });
}

const Coin = z.strictObject({
  symbol: text('shown for the native coin', 20).default('coin'),
  decimals: integer(0, 77, 'decimals of the native coin').default(18),
});

const MINUTE_MS = 60_000;
const TIME = /^([01]\d|2[0-3]):([0-5]\d)$/;

/** When the credits are refilled, in UTC. */
const Resets = z
  .union([
    z.string().regex(TIME, 'a time of the day in UTC, such as "06:30"').transform(timeOf),
    integer(1, 28, 'a day of the month').transform((day) => ({ type: 'day' as const, day })),
  ])
  .meta({
    description: 'time at which the credits are refilled: a time in UTC, or a day of the month; learned when left out',
  });

function timeOf(written: string): { readonly type: 'time'; readonly ms: number } {
  const [, hours = '0', minutes = '0'] = TIME.exec(written) ?? [];
  return { type: 'time', ms: (Number(hours) * 60 + Number(minutes)) * MINUTE_MS };
}

const Plan = z
  .strictObject({
    requests_per_second: integer(1, 100_000, 'requests that the key allows in a second').optional(),
    credits: integer(1, 1_000_000_000_000, 'credits that the plan includes').optional(),
    per: z.enum(['day', 'month']).default('day').meta({ description: 'period of the credits' }),
    reserve: percent('part of the credits that is kept back').default(0),
    enrich: percent('part of the credits that details of events may cost, by enrich in rules').default(ENRICH_PERCENT),
    resets: Resets.optional(),
    stretch: z
      .enum(['on', 'off'])
      .default('on')
      .meta({ description: 'on: intervals become longer where the plan does not suffice' }),
  })
  .check(({ value, issues }) => {
    const { per, resets } = value;
    if (resets === undefined || (resets.type === 'day') === (per === 'month')) return;
    const message = per === 'day' ? 'per: day needs a time, such as "06:30"' : 'per: month needs a day, 1 to 28';
    issues.push({ code: 'custom', path: ['resets'], message, input: value });
  });

const BLIND_AFTER_MS = 120_000;
const blindAfter = duration(60_000, 30 * 86_400_000, 'time without a usable answer until a watch is blind');

const RPC = 'true if its JSON-RPC may be asked, which the kind read needs, and which saves requests of the kind logs';

const shared = {
  blind_after: blindAfter.optional(),
  coin: Coin.prefault({}).meta({ description: 'the native coin of the chain' }),
  page_url: webUrl('pages of the explorer, for links in messages').optional(),
  plan: Plan.optional().meta({
    description: 'the requests and credits that the key allows; intervals become longer where they do not suffice',
  }),
  concurrency: integer(1, 64, 'requests at the same time').default(1),
  rpc: boolean(RPC).default(false),
  headers: z
    .record(z.string().regex(/^[A-Za-z0-9-]+$/, 'a header name has letters, digits and dashes'), SecretText)
    .default({})
    .meta({ description: 'sent with every request' }),
};

const Auth = z.enum(['bearer', 'query']);
const AUTH = { description: 'the key is sent as a bearer token, or as the parameter apikey' };

const INSECURE = boolean('send the key without encryption, over http: to another machine').default(false);

const Multichain = z.strictObject({
  form: z.literal('multichain').meta({ description: '{base_url}/{chain_id}/api/v2/...' }),
  base_url: explorerUrl('address before the chain id'),
  chain_id: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/, 'a chain id has letters, digits, dashes and underscores')
    .meta({ description: 'id of the chain, such as "1"' }),
  api_key: SecretText.optional(),
  insecure: INSECURE,
  auth: Auth.default('bearer').meta(AUTH),
  ...shared,
});

const Instance = z.strictObject({
  form: z.literal('instance').meta({ description: '{instance_url}/api/v2/...' }),
  instance_url: explorerUrl('address of the explorer'),
  api_key: SecretText.optional(),
  insecure: INSECURE,
  // An instance ignores bearer tokens: it would answer as if there were no key.
  auth: Auth.default('query').meta(AUTH),
  ...shared,
});

export const SANDBOX_RELEASES = ['6', '8', '9', '11', '12'] as const;

const Sandbox = z.strictObject({
  form: z.literal('sandbox').meta({ description: 'embedded: a simulated chain that needs no network' }),
  seed: integer(0, 4_294_967_295, 'the same seed gives the same chain').default(1),
  block_time: pace(100, 3_600_000, 'time between two blocks, or manual').default(2000),
  control: boolean('true: the control API is served').default(false),
  faults: boolean('faults drawn by the seed: replaced blocks, lists that are late, rows twice or out of order').default(
    false,
  ),
  as: z
    .enum(SANDBOX_RELEASES)
    .optional()
    .meta({ description: 'the explorer release that is imitated; if left out, answers follow the specification' }),
  rpc: boolean(`${RPC}; true if left out`).default(true),
  blind_after: shared.blind_after,
  coin: shared.coin,
  page_url: shared.page_url,
  plan: Plan.optional().meta({
    description: 'the requests and credits that it allows; it refuses requests when they are used up',
  }),
});

export const ExplorerShapes = { multichain: Multichain, instance: Instance, sandbox: Sandbox } as const;
export const FORMS = ['multichain', 'instance', 'sandbox'] as const;

export const byName = <T extends z.ZodType>(value: T, name = NAME) =>
  z.record(
    z
      .string()
      .regex(
        name,
        name === NAME
          ? 'a name has letters, digits and underscores, and starts with a letter or underscore'
          : 'a name has letters, digits, dashes and underscores, and starts with a letter or underscore',
      ),
    value,
  );

const DAY_MS = 86_400_000;

const Recording = z.strictObject({
  file: text('the recording').default('./data/recording.db'),
  keep: duration(60_000, 3650 * DAY_MS, 'older polls are dropped').default(7 * DAY_MS),
  max_size: size(2 ** 20, 2 ** 36, 'size of the file beyond which the oldest polls are dropped').default(2 ** 28),
});

/**
 * The name of an operator, which is recorded with each action. Characters of mail addresses, such as @, are allowed,
 * since a proxy may identify people by them.
 */
const OPERATOR = /^[A-Za-z0-9_][A-Za-z0-9_.@+-]{0,63}$/;

const Operator = z.strictObject({
  token: SecretSource.optional(),
  role: z
    .enum(['operator', 'viewer'])
    .default('operator')
    .meta({ description: 'operators change things, viewers only read' }),
});

const Proxy = z.strictObject({
  header: text('the header in which the proxy names the user, such as X-Forwarded-User').refine(
    (name) => /^[A-Za-z0-9-]+$/.test(name),
    'a header name has letters, digits and dashes',
  ),
  from: oneOrMore('addresses and networks that the proxy calls from, such as 127.0.0.1').superRefine(
    (networks, context) => {
      const wrong = networks.find((network) => !isNetwork(network) || network.endsWith('/0'));
      if (wrong === undefined) return;
      const message = `${quote(wrong)} is not an address or a network such as 10.0.0.0/24; /0 is refused`;
      context.addIssue({ code: 'custom', message });
    },
  ),
  secret: SecretSource.meta({
    description: 'sent by the proxy in X-Chainwarden-Proxy-Secret: { env: NAME } or { file: PATH }',
  }),
});

const Http = z.strictObject({
  listen: text('host:port of the page, the API, /metrics, /healthz and /readyz').default('127.0.0.1:9797'),
  page: boolean('the pages for people; false leaves the API, metrics and health').default(true),
  read: z.enum(['open', 'operators']).optional().meta({
    description:
      'users who may see the page: open is everybody on this machine, the default on the loopback without public_url',
  }),
  time_zone: ZoneShape.optional().meta({ description: 'former place of time_zone; it is now a key of the whole file' }),
  public_url: webUrl(
    'address of the daemon as seen from other machines, such as https://chainwarden.example.com',
  ).optional(),
  source_url: sourceUrl(
    'address that shows a line of a rule file, such as a code host; without it the page shows the file',
  ).optional(),
  links: boolean(
    'messages to people contain a link that acknowledges the alert, for a day, for anybody who has it; needs public_url in https',
  ).default(false),
  operators: z
    .record(z.string().regex(OPERATOR, 'an operator has letters, digits and _ . @ + - in the name'), Operator)
    .default({})
    .meta({ description: 'users of the API by name; without any, only this machine may use it' }),
  proxy: Proxy.optional().meta({
    description: 'a proxy that names the user; users who are no operators may only read',
  }),
});

/**
 * The config file. This schema does not describe the content of each explorer, address, token, channel and route:
 * these are read one by one.
 */
export const ConfigShape = z.strictObject({
  explorers: byName(z.unknown(), LABEL).meta({ description: 'explorers by name; a rule names one of them' }),
  addresses: byName(z.unknown()).default({}).meta({
    description:
      'addresses and groups of addresses by name; with `is` (contract, safe, token or wallet) check warns of rules in which a contract signs a transaction',
  }),
  tokens: byName(z.unknown()).default({}).meta({ description: 'tokens by name' }),
  channels: byName(z.unknown(), LABEL).meta({ description: 'channels by name; alerts are sent to them' }),
  routes: z
    .array(z.unknown())
    .max(1000, 'more than 1,000 routes')
    .default([])
    .meta({ description: 'routes choose the channels of alerts by labels; all of them are read, in their order' }),
  time_zone: ZoneShape.optional().meta({
    description: 'time zone in which messages to people, the page and the command line show times; UTC without it',
  }),
  inhibit: z
    .array(z.unknown())
    .max(100, 'more than 100 entries')
    .default([])
    .meta({ description: 'open alerts that mute other alerts, because they are the cause of them' }),
  blind_after: blindAfter
    .default(BLIND_AFTER_MS)
    .meta({ description: 'time without a usable answer, at least three due times, until a watch is blind' }),
  self: oneOrMore('channels that get alerts about the daemon itself, or none').optional().meta({
    description: 'channels that get alerts about the daemon itself; left out, the only channel, or the first one',
  }),
  heartbeat: z
    .strictObject({
      url: SecretText.meta({ description: 'address to which a beat is posted: a check of such a service' }),
      every: duration(1000, 3_600_000, 'interval of the beats').default(60_000),
      allow: z
        .array(z.string())
        .default([])
        .meta({
          description: 'networks that are not public, and may be called',
          examples: [['10.20.0.0/16']],
        }),
    })
    .optional()
    .meta({ description: 'a service that alerts when no beat comes any more; none without it' }),
  digest: DigestShape.optional().meta({ description: 'a report once a day about the watches; none without it' }),
  state: z
    .strictObject({
      file: text('the state file').default('./data/state.db'),
      postgres: DatabaseSource.optional().meta({
        description:
          'the URL of a PostgreSQL database that stores the state in place of the file, and the name of this ' +
          'installation; only the token of this machine stays in the folder of the file; a daemon whose name differs ' +
          'from the one in the database does not start; several daemons with the same name share the work',
      }),
      max_size: size(
        2 ** 20,
        2 ** 40,
        'at this size nothing more is kept until there is room: the watches are blind and /readyz is 503',
      ).default(2 ** 31),
      backup: z
        .strictObject({
          directory: text(
            'directory of the backups; by default the directory backups beside the state file',
          ).optional(),
          keep: integer(0, 1000, 'number of daily backups that are kept; with 0 none are made').default(3),
        })
        .prefault({})
        .meta({ description: 'the daemon copies the state file once a day and checks the copy' }),
    })
    .prefault({})
    .meta({ description: 'the place where the daemon stores its state' }),
  recording: Recording.optional().meta({
    description: 'stores the answers of polls for chainwarden replay; none without it',
  }),
  http: Http.prefault({}).meta({ description: 'metrics, health and the API' }),
  rules: z
    .union([
      z.array(text('a path, * for any name')).min(1, 'names no file'),
      text('a path, * for any name').transform((one) => [one]),
    ])
    .default(['rules/*.yaml'])
    .meta({
      description: 'rule files; relative paths start at the config file; 1 MiB each and 32 MiB together at most',
    }),
});
