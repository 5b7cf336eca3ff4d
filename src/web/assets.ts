// The page's own files: stylesheet, scripts, icons. Their names contain a digest of the content, so that browsers keep
// them for a year and still load new ones after an upgrade.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { gzipSync } from 'node:zlib';
import type { Handler } from 'hono';
import { takesGzip } from './gzip.ts';

const TYPES = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
} as const;

const OWN = ['page.css', 'app.js', 'chart.js', 'icon-firing.svg', 'icon-blind.svg', 'icon-ok.svg'] as const;

/** Files of packages, by the names that they have here. */
const FOREIGN = { 'uplot.js': 'uplot/dist/uPlot.iife.min.js', 'uplot.css': 'uplot/dist/uPlot.min.css' } as const;

export type AssetName = (typeof OWN)[number] | keyof typeof FOREIGN;

interface Asset {
  readonly path: string;
  readonly type: string;
  readonly body: Buffer<ArrayBuffer>;
  readonly zipped: Buffer<ArrayBuffer>;
}

const ROOT = '/assets/';
const YEAR_S = 31_536_000;

const { resolve } = createRequire(import.meta.url);

const assets: ReadonlyMap<AssetName, Asset> = new Map<AssetName, Asset>([
  ...OWN.map((name) => [name, load(name, ownFile(name))] as const),
  ...(Object.keys(FOREIGN) as (keyof typeof FOREIGN)[]).map(
    (name) => [name, load(name, readFileSync(resolve(FOREIGN[name])))] as const,
  ),
]);

/** `assetPath('page.css') // '/assets/page.0f3c….css'` */
export function assetPath(name: AssetName): string {
  return assets.get(name)?.path ?? '';
}

const byPath = new Map([...assets.values()].map((asset) => [asset.path, asset]));

export const ASSETS_PATH = `${ROOT}:file`;

export const answerAsset: Handler = (c) => {
  const asset = byPath.get(c.req.path);
  if (asset === undefined) return c.text('not found', 404);
  c.header('Content-Type', asset.type);
  c.header('Cache-Control', `public, max-age=${YEAR_S}, immutable`);
  c.header('Vary', 'Accept-Encoding');
  if (!takesGzip(c)) return c.body(asset.body);
  c.header('Content-Encoding', 'gzip');
  return c.body(asset.zipped);
};

function load(name: AssetName, body: Buffer<ArrayBuffer>): Asset {
  const [stem = '', ending = ''] = name.split('.');
  const digest = createHash('sha256').update(body).digest('hex').slice(0, 16);
  const type = Object.entries(TYPES).find(([known]) => known === ending)?.[1] ?? 'application/octet-stream';
  return { path: `${ROOT}${stem}.${digest}.${ending}`, type, body, zipped: gzipSync(body, { level: 9 }) };
}

function ownFile(name: string): Buffer<ArrayBuffer> {
  return readFileSync(new URL(`assets/${name}`, import.meta.url));
}
