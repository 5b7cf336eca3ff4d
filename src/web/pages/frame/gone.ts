// The page of a watch or an alert that no longer exists.
import type { Gone } from '../../../query/shapes/alerts.ts';
import { html } from '../../parts/html.ts';
import { timeTag, type Moment } from '../../parts/time.ts';
import { timeline } from '../alert/timeline.ts';
import type { HtmlPage } from './layout.ts';

export function gonePage(name: string, { since, history }: Gone, moment: Moment): HtmlPage {
  return {
    title: name,
    status: 410,
    main: html`<div>
        <h1>${name}</h1>
        <p class="lead">It is no longer there: the state last heard of it ${timeTag(since, moment)}.</p>
      </div>
      ${timeline(history, 'info', moment)}`,
  };
}
