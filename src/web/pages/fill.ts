// A page is rendered once for all who may see the same. What is of one visitor alone stands in it as a mark, and is filled
// in when it is sent: the name, and the proofs in forms. The marks are drawn at the start, so that nobody who writes
// something that a page shows can write one.
import { randomBytes, randomUUID } from 'node:crypto';
import { formProof } from '../guard/forms.ts';
import type { Visitor } from '../guard/visitors.ts';
import { escapeHtml } from '../../lib/untrusted.ts';
import { trusted, type Html } from '../parts/html.ts';

const SECRET = randomBytes(12).toString('hex');
const NAME_MARK = `name-${SECRET}`;
const LEAVE_MARK = `leave-${SECRET}`;
const FORM_MARK = new RegExp(`form-${SECRET}:([^"]*):`, 'g');

export const NAME_SLOT = trusted(NAME_MARK);
export const LEAVE_SLOT = trusted(LEAVE_MARK);

/** What every form that changes something holds. */
export function proofFields(action: string): Html {
  return trusted(`<input type="hidden" name="proof" value="form-${SECRET}:${encodeURIComponent(action)}:">`);
}

const LEAVE = `<form method="post" action="/leave">${proofFields('/leave').toString()}<button type="submit" class="small">Leave</button></form>`;

/** The value of `proof` is the proof and the id of the operation, so that a form that is sent twice acts once. */
export function filled(page: string, visitor: Visitor, now: number): string {
  const name = visitor.name === null ? '' : `<span class="who">${escapeHtml(visitor.name)}</span>`;
  const { forms } = visitor;
  return page
    .replaceAll(NAME_MARK, name)
    .replaceAll(LEAVE_MARK, visitor.hasEntered ? LEAVE : '')
    .replace(FORM_MARK, (_mark, action: string) =>
      forms === null ? '' : `${formProof(forms, decodeURIComponent(action), now)}.${randomUUID()}`,
    );
}
