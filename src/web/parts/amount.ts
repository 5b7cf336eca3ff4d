// Exact numbers. They are decimal text and stay exact; they are shortened only in columns for orientation.
import { html, type Html } from './html.ts';

/** `grouped('-1234567.5') // '−1,234,567.5'` */
export function grouped(amount: string): string {
  const { sign, whole, fraction } = partsOf(amount);
  return `${sign}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

/** Rounded to two decimals, and below 1 to four significant digits: `short('59735.405315') // '59,735.41'`. */
export function short(amount: string): string {
  const [whole = '', fraction = ''] = amount.split('.');
  if (fraction === '') return grouped(amount);
  const places = /^-?0$/.test(whole) ? fraction.search(/[1-9]/) + 4 : 2;
  if (fraction.length <= places) return grouped(amount);
  const cut = rounded(BigInt(whole.replace('-', '') + fraction), fraction.length - places).toString();
  const text = cut.padStart(places + 1, '0');
  return grouped(`${amount.startsWith('-') ? '-' : ''}${text.slice(0, -places)}.${text.slice(-places)}`);
}

/** Without cents from 1,000 on: `dollars('12340120.4') // '$12,340,120'`. */
export function dollars(amount: string): string {
  const [whole = '', fraction = ''] = amount.split('.');
  if (whole.length > 3) return `$${grouped(rounded(BigInt(whole + fraction), fraction.length).toString())}`;
  return `$${short(amount).replace(/\.\d$/, '$&0')}`;
}

/** The fraction is shown paler than the whole number. */
export function amountTag(amount: string): Html {
  const { sign, whole, fraction } = partsOf(amount);
  return html`${sign}${whole}${fraction === '' ? null : html`<span class="frac">.${fraction}</span>`}`;
}

/** `1204 // '1,204'` */
export function counted(count: number): string {
  return grouped(Math.round(count).toString());
}

/** `plural(2, 'watch', 'watches') // '2 watches'` */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${counted(count)} ${count === 1 ? one : many}`;
}

/** `change(-0.216) // '−21.6 %'` */
export function change(ratio: number): string {
  const text = Math.abs(ratio * 100).toFixed(1);
  return `${ratio < 0 ? '−' : '+'}${grouped(text)} %`;
}

function partsOf(amount: string) {
  const [whole = '', fraction = ''] = amount.replace(/^-/, '').split('.');
  const sign = amount.startsWith('-') ? '−' : '';
  return { sign, whole: whole.replace(/\B(?=(?:\d{3})+$)/g, ','), fraction };
}

function rounded(digits: bigint, places: number): bigint {
  const unit = 10n ** BigInt(places);
  return (digits + unit / 2n) / unit;
}
