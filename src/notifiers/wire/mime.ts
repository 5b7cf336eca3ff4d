// A mail as bytes. Every part of it comes from the delivery: two tries differ in the attempt header alone.
import MailComposer from 'nodemailer/lib/mail-composer';
import { createHash } from 'node:crypto';
import type { Attempt, Delivery } from '../../core/model/delivery.ts';
import { toMailContent, toText } from '../rendering/mail.ts';
import { toHtml } from '../rendering/mail-html.ts';
import { domainOf, type MailAddress } from './mail-address.ts';

/** Headers carry names from the config and text of ours; nothing from the chain. */
export function toMime(delivery: Delivery, from: MailAddress, attempt: Attempt): Promise<Buffer> {
  const [{ message }] = delivery.members;
  const content = toMailContent(message);
  const domain = domainOf(from);
  const thread = `<${idPart(message.key)}.${message.episode}@${domain}>`;
  const mail = new MailComposer({
    from: { ...from },
    to: { name: '', address: delivery.recipient },
    subject: content.subject,
    date: new Date(message.at),
    messageId: `<${idPart(delivery.id)}@${domain}>`,
    inReplyTo: thread,
    references: thread,
    headers: {
      'X-Chainwarden-Attempt': String(attempt.number),
      // Nobody reads answers: out-of-office replies to alerts would only go around in circles (RFC 3834).
      'Auto-Submitted': 'auto-generated',
      'X-Auto-Response-Suppress': 'All',
    },
    text: toText(content),
    html: toHtml(content),
    baseBoundary: idPart(delivery.id),
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return mail.compile().build();
}

/** Ids are base32 already; should one ever be not, its hash stands for it. */
function idPart(id: string): string {
  return /^\w{1,64}$/.test(id) ? id : createHash('sha256').update(id).digest('hex').slice(0, 32);
}
