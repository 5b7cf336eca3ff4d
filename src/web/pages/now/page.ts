// The first page: whether the answer can be trusted.
import { html } from '../../parts/html.ts';
import type { PageQueries } from '../queries.ts';
import type { PageRoute } from '../route.ts';
import { blindTable } from './blind.ts';
import { trustStrip } from './trust.ts';

const REFRESH_S = 30;

export function nowPage({ trust }: Pick<PageQueries, 'trust'>): PageRoute {
  return {
    path: '/',
    role: 'viewer',
    nav: 'Now',
    async show(request) {
      const found = await trust();
      return {
        title: 'Now',
        main: html`<h1 class="skip">Now</h1>
          ${trustStrip(found, request)}${blindTable(found.blind, request)}`,
        refreshS: REFRESH_S,
      };
    },
  };
}
