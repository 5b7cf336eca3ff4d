// How far the clock of a daemon was set ahead. It stays set: the next daemon in the folder begins with it.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FILE = 'clock-is-ahead';

export function aheadIn(folder: string): number {
  try {
    return Number(readFileSync(join(folder, FILE), 'utf8'));
  } catch {
    return 0;
  }
}

export function setAhead(folder: string, ms: number): void {
  writeFileSync(join(folder, FILE), String(ms));
}
