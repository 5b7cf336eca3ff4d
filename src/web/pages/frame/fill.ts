// A page is rendered once for all visitors who may see the same content. In place of the data of one visitor (the name,
// and the proofs in forms), the page contains marks, which are replaced when it is sent. The marks are random for each
// process, so nobody can write one into a text that a page shows.
import { randomBytes, randomUUID } from 'node:crypto';
import { formProof } from '../../guard/forms.ts';
import type { Visitor } from '../../guard/visitors.ts';
import { escapeHtml } from '../../../lib/untrusted.ts';
import { html, trusted, type HtmlContent, type Html } from '../../parts/html.ts';

const SECRET = randomBytes(12).toString('hex');
const NAME_MARK = `name-${SECRET}`;
const LEAVE_MARK = `leave-${SECRET}`;
const TAG_MARK = `tag-${SECRET}`;
const FORM_MARK = new RegExp(`form-${SECRET}:([^"]*):`, 'g');

export const NAME_SLOT = trusted(NAME_MARK);
/** The place of the page's tag, which parts.ts computes. */
export const TAG_SLOT = trusted(TAG_MARK);
export const LEAVE_SLOT = trusted(LEAVE_MARK);

export interface FormButton {
  readonly action: string;
  readonly label: HtmlContent;
  readonly fields?: Readonly<Record<string, string>>;
  readonly class?: string;
}

/** A form with one button. Changes are made by such forms, so they work without scripts. */
export function buttonForm({ action, label, fields = {}, class: name = '' }: FormButton): Html {
  const hidden = Object.entries(fields).map(
    ([field, value]) => html`<input type="hidden" name="${field}" value="${value}" />`,
  );
  return html`<form method="post" action="${action}">
    ${proofFields(action)}${hidden}<button type="submit" class="${name}">${label}</button>
  </form>`;
}

/** The hidden fields of every form that changes something. */
export function proofFields(action: string): Html {
  return trusted(`<input type="hidden" name="proof" value="form-${SECRET}:${encodeURIComponent(action)}:">`);
}

const LEAVE = buttonForm({ action: '/leave', label: 'Leave', class: 'small' }).toString();

export function tagged(page: string, tag: string): string {
  return page.replace(TAG_MARK, tag);
}

/** Shown to visitors who have not entered: nothing else on the page explains how to acknowledge. */
const HOW_TO_ENTER = '<a href="/enter" title="chainwarden open prints a link that enters">Read only: enter to act</a>';

/**
 * Fills in the data of the visitor. The value of `proof` is the proof and an id of the operation, so that a form that
 * is sent twice acts once.
 */
export function filled(page: string, visitor: Visitor, now: number): string {
  const name = visitor.name === null ? HOW_TO_ENTER : `<span class="who">${escapeHtml(visitor.name)}</span>`;
  const { forms } = visitor;
  return page
    .replaceAll(NAME_MARK, name)
    .replace(TAG_MARK, '')
    .replaceAll(LEAVE_MARK, visitor.hasEntered ? LEAVE : '')
    .replace(FORM_MARK, (_mark, action: string) =>
      forms === null ? '' : `${formProof(forms, decodeURIComponent(action), now)}.${randomUUID()}`,
    );
}
