// The files for Docker Compose and Kubernetes, checked by the published schemas.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { ServiceMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/ServiceMonitor';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap';
import { PersistentVolumeClaim } from 'kubernetes-models/v1/PersistentVolumeClaim';
import { Service } from 'kubernetes-models/v1/Service';
import { parse, parseAllDocuments } from 'yaml';
import { loadSetup } from '../../src/app/setup/setup.ts';
import { createFolder } from '../support/daemon.ts';
import { formatProblems } from '../../src/config/problem.ts';

const KINDS = {
  ConfigMap,
  Deployment,
  NetworkPolicy,
  PersistentVolumeClaim,
  PodDisruptionBudget,
  Service,
  ServiceMonitor,
} as const;
type KindName = keyof typeof KINDS;

interface Manifest {
  readonly kind: KindName;
  readonly [key: string]: unknown;
}

const ALONE = manifestsIn('deploy/kubernetes');
const REPLICAS = manifestsIn('deploy/kubernetes-replicas');

function manifestsIn(folder: string): Manifest[] {
  return readdirSync(folder).flatMap((file) =>
    parseAllDocuments(readFileSync(`${folder}/${file}`, 'utf8')).map((document) => document.toJS() as Manifest),
  );
}

function manifest(kind: KindName, manifests = ALONE): Manifest {
  const found = manifests.find((one) => one.kind === kind);
  if (found === undefined) throw new Error(`no ${kind}`);
  return found;
}

const VALUES: Readonly<Record<string, string>> = {
  DATABASE_URL: 'postgres://chainwarden:a-password@db.example.com/chainwarden',
  OPS_WEBHOOK_URL: 'https://ops.example.com/hook',
  ALICE_TOKEN: 'a'.repeat(64),
  PROMETHEUS_TOKEN: 'b'.repeat(64),
};

interface DeploymentParts {
  readonly spec: {
    readonly replicas: number;
    readonly strategy: { readonly type: string };
    readonly template: {
      readonly spec: {
        readonly containers: readonly {
          readonly envFrom: readonly { readonly secretRef: { readonly name: string } }[];
          readonly livenessProbe: { readonly httpGet: { readonly path: string } };
          readonly readinessProbe: { readonly httpGet: { readonly path: string } };
          readonly ports: readonly { containerPort: unknown }[];
        }[];
      };
    };
  };
}

describe('the Kubernetes manifests', () => {
  test.each([...ALONE, ...REPLICAS].map((one) => [one.kind, one] as const))(
    '%s fits the published schema',
    (kind, one) => {
      const Kind = KINDS[kind] as new (data: never) => { validate(): void };
      expect(() => {
        new Kind(one as never).validate();
      }).not.toThrow();
    },
  );

  test('a port that is no number does not fit it', () => {
    const broken = structuredClone(manifest('Deployment') as unknown as DeploymentParts);
    const [container] = broken.spec.template.spec.containers;
    if (container?.ports[0] !== undefined) container.ports[0].containerPort = 'http';
    expect(() => {
      new Deployment(broken as never).validate();
    }).toThrow('containerPort must be integer');
  });

  test('there is one replica, and never two at once', () => {
    const { spec } = manifest('Deployment') as unknown as DeploymentParts;
    expect([spec.replicas, spec.strategy.type]).toEqual([1, 'Recreate']);
    const [container] = spec.template.spec.containers;
    expect(container?.livenessProbe.httpGet.path).toBe('/healthz');
    expect(container?.readinessProbe.httpGet.path).toBe('/readyz');
  });

  test.each([
    ['kubernetes', ALONE],
    ['kubernetes-replicas', REPLICAS],
  ])('%s holds no Secret that an apply would write over the real one, and says how to make it', (folder, manifests) => {
    expect(manifests.map<string>(({ kind }) => kind)).not.toContain('Secret');
    const { spec } = manifest('Deployment', manifests) as unknown as DeploymentParts;
    const name = spec.template.spec.containers[0]?.envFrom[0]?.secretRef.name ?? 'none';
    expect(readFileSync(`deploy/${folder}/chainwarden.yaml`, 'utf8')).toContain(`create secret generic ${name} `);
  });

  test.each([
    ['one', ALONE],
    ['several', REPLICAS],
  ])('no pod but Prometheus reaches %s', (_, manifests) => {
    const labels = { matchLabels: { 'app.kubernetes.io/name': 'prometheus' } };
    expect(manifest('NetworkPolicy', manifests)['spec']).toEqual({
      podSelector: (manifest('Deployment', manifests)['spec'] as { selector: unknown }).selector,
      policyTypes: ['Ingress'],
      ingress: [{ from: [{ namespaceSelector: {}, podSelector: labels }], ports: [{ port: 'http' }] }],
    });
  });

  test('replicas share a database and nothing else, and are taken down one at a time', () => {
    const { spec } = manifest('Deployment', REPLICAS) as unknown as DeploymentParts;
    expect(spec.replicas).toBeGreaterThan(1);
    expect(spec.strategy).toMatchObject({ type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1 } });
    expect(manifest('PodDisruptionBudget', REPLICAS)['spec']).toMatchObject({ maxUnavailable: 1 });
    expect(REPLICAS.some(({ kind }) => kind === 'PersistentVolumeClaim')).toBe(false);
  });

  test.each([
    ['kubernetes', ALONE, null],
    ['kubernetes-replicas', REPLICAS, expect.anything()],
  ])(
    'config and rules of the ConfigMap in %s load, with the secrets that are to be made',
    (folderName, manifests, postgres) => {
      const data = manifest('ConfigMap', manifests)['data'] as Record<string, string>;
      const head = readFileSync(`deploy/${folderName}/chainwarden.yaml`, 'utf8');
      const named = [...head.matchAll(/--from-literal=(\w+)=/g)].map(([, name]) => name ?? '');
      const env = Object.fromEntries(named.map((name) => [name, VALUES[name] ?? 'a-key']));
      using folder = createFolder(data);
      const readFile = (file: string): string => readFileSync(file, 'utf8');
      const { setup, problems } = loadSetup(`${folder.path}/config.yaml`, { env, readFile });
      expect(formatProblems(problems)).toBe('');
      expect(setup?.watches).toHaveLength(1);
      expect(setup?.config.state).toMatchObject({ file: '/data/state.db', postgres });
      // Without one, the page that is forwarded would be 404.
      expect(setup?.config.http.operators.map(({ name, role }) => `${name} ${role}`)).toEqual([
        'alice operator',
        'prometheus viewer',
      ]);
    },
  );
});

test('what docs/deploy.md has run makes the Secret that the manifests name, and Prometheus reads its token there', () => {
  const commands = readFileSync('docs/deploy.md', 'utf8');
  const head = readFileSync('deploy/kubernetes/chainwarden.yaml', 'utf8').replaceAll(/^#\s+/gm, '');
  const command = /kubectl -n chainwarden create secret .*(?:\\\n.*)+/.exec(head)?.[0] ?? 'none';
  expect(commands.replaceAll(/^ +/gm, '')).toContain(command);
  expect(manifest('ServiceMonitor')).toMatchObject({
    spec: { endpoints: [{ authorization: { credentials: { name: 'chainwarden-secrets', key: 'PROMETHEUS_TOKEN' } } }] },
  });
});

describe.each(['compose.yaml', 'compose-replicas.yaml'])('the compose file %s', (file) => {
  test('passes the linter, which knows the schema of compose files', () => {
    const { status, stdout, stderr } = spawnSync(
      'node_modules/.bin/dclint',
      // The order of services and keys is for readers.
      [
        `deploy/${file}`,
        '--max-warnings=0',
        '--disable-rule=services-alphabetical-order',
        '--disable-rule=service-keys-order',
      ],
      { encoding: 'utf8' },
    );
    expect([status, stdout.trim(), stderr.trim()]).toEqual([0, '', '']);
  });

  test('runs what it need not change without a right to change it', () => {
    const { services } = parse(readFileSync(`deploy/${file}`, 'utf8'), { merge: true }) as {
      services: Record<string, object>;
    };
    // The database changes its user when it starts.
    const { database: _, ...others } = services;
    for (const service of Object.values(others))
      expect(service).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      });
  });

  test('mounts files that exist, and opens ports on this machine only', () => {
    const { services } = parse(readFileSync(`deploy/${file}`, 'utf8'), { merge: true }) as {
      services: Record<string, { ports?: string[]; volumes: string[] }>;
    };
    for (const { ports = [], volumes } of Object.values(services)) {
      for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/);
      const files = volumes.map((volume) => volume.split(':')[0] ?? '').filter((path) => path.startsWith('./'));
      // These the commands of docs/deploy.md make.
      const made = ['./config', './prometheus-token'];
      expect(files.filter((path) => !made.includes(path) && !existsSync(`deploy/${path}`))).toEqual([]);
    }
  });
});
