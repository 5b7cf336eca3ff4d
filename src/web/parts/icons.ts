// Icons drawn with lines, on a grid of 16 by 16. They are always shown beside a word.
import { trusted, type Html } from './html.ts';

const SHAPES = {
  critical:
    '<path class="solid" d="M5.2 1.2h5.6l4 4v5.6l-4 4H5.2l-4-4V5.2z"/><path class="gap" d="M8 4.6v4M8 11.2v.1"/>',
  warning: '<path d="M8 2 14.6 13.6H1.4z"/><path d="M8 6.6v3M8 11.6v.1"/>',
  info: '<circle cx="8" cy="8" r="6.2"/><path d="M8 7.4v3.6M8 5v.1"/>',
  blind:
    '<circle cx="8" cy="8" r="6.2" stroke-dasharray="2.2 2"/><path d="M6.4 6.2a1.7 1.7 0 1 1 2.4 1.9c-.6.3-.8.6-.8 1.1M8 11.4v.1"/>',
  clock: '<circle cx="8" cy="8" r="6.2"/><path d="M8 4.4V8l2.4 1.6"/>',
  ok: '<circle cx="8" cy="8" r="6.2"/><path d="m5.4 8.2 1.8 1.8 3.4-3.8"/>',
  check: '<path d="m3 8.4 3.2 3.2L13 4.8"/>',
  cross: '<path d="m4 4 8 8M12 4l-8 8"/>',
  acknowledged: '<path d="M3 8.5 6.5 12 13 4.5"/><path d="M1.5 14.5h13"/>',
  mail: '<path d="M1.8 3.5h12.4v9H1.8zM2 4l6 5 6-5"/>',
  glass: '<path d="M4 2.5h8M4 13.5h8M5 2.5c0 3 3 4 3 5.5s-3 2.5-3 5.5M11 2.5c0 3-3 4-3 5.5s3 2.5 3 5.5"/>',
  back: '<path d="M13 8a5 5 0 1 1-1.6-3.7M13 2v3h-3"/>',
  muted: '<path d="M2 6v4h3l4 3.5v-11L5 6zM11.5 6l3 4M14.5 6l-3 4"/>',
  paused: '<path d="M5.5 3v10M10.5 3v10"/>',
} as const;

export type IconName = keyof typeof SHAPES;

export function icon(name: IconName): Html {
  return trusted(`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true">${SHAPES[name]}</svg>`);
}

export const LOGO = trusted(
  '<svg viewBox="0 0 20 20" aria-hidden="true"><path d="M10 1.5 17.5 5v5c0 4.4-3.1 7.3-7.5 8.5C5.6 17.3 2.5 14.4 2.5 10V5z" fill="none" stroke="currentColor" stroke-width="1.7" stroke-linejoin="round"/><path d="M7.2 10.8a2 2 0 0 1 0-2.9l.9-.9a2 2 0 0 1 2.9 0M12.8 9.2a2 2 0 0 1 0 2.9l-.9.9a2 2 0 0 1-2.9 0" fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round"/></svg>',
);

/** The hatching for unknown values. Drawings refer to it; each page contains it once. */
export const HATCH = trusted(
  '<svg class="defs" aria-hidden="true"><defs><pattern id="hatch" width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path class="hatch" d="M0 0v4"/></pattern></defs></svg>',
);
