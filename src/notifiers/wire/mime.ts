// A mail as bytes. All of its parts come from the delivery: two attempts differ in the attempt header alone.
import MailComposer from 'nodemailer/lib/mail-composer';
import { createHash } from 'node:crypto';
import { isHoldSummary, type Attempt, type Delivery } from '../../core/model/delivery.ts';
import { toContent } from '../rendering/group-content.ts';
import { toHtml, toText } from '../rendering/mail-parts.ts';
import { attemptText } from '../rendering/wording.ts';
import { domainOf, type MailAddress } from './mail-address.ts';

/** Headers contain names from the config and texts of the program, and nothing from the chain. */
export function toMime(delivery: Delivery, from: MailAddress, attempt: Attempt): Promise<Buffer> {
  const content = toContent(delivery, attempt);
  const domain = domainOf(from);
  const [thread, ...others] = rootsOf(delivery, domain);
  const mail = new MailComposer({
    from: { ...from },
    to: { name: '', address: delivery.recipient },
    // Mail programs would decode an encoded word (RFC 2047), with any line breaks in it.
    subject: content.subject.replaceAll('=?', '= ?'),
    date: new Date(delivery.at),
    messageId: `<${idPart(delivery.id)}@${domain}>`,
    ...(thread === undefined ? {} : { inReplyTo: [thread, ...others].join(' '), references: thread }),
    headers: {
      'X-Chainwarden-Attempt': attemptText(attempt),
      // The mailbox is not read: out-of-office replies to alerts would only go around in circles (RFC 3834).
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

/**
 * The roots of the mail's threads, one for each alert and episode. A summary of held back alerts opens its own thread.
 */
function rootsOf({ kind, members }: Delivery, domain: string): string[] {
  if (isHoldSummary(kind)) return [];
  return [...new Set(members.map(({ message }) => `<${idPart(message.key)}.${message.episode}@${domain}>`))];
}

/** Ids are base32 already; any other id is replaced by its hash. */
function idPart(id: string): string {
  return /^\w{1,64}$/.test(id) ? id : createHash('sha256').update(id).digest('hex').slice(0, 32);
}
