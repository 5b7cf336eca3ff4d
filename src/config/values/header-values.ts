// Values of HTTP headers, checked at load: Node would refuse them only when the explorer is opened.

/** Why a text is no header value, such as `has a line break in it`; null when it is one. */
export function headerFault(text: string): string | null {
  if (/[\r\n]/.test(text)) return 'has a line break in it';
  if (/(?!\t)\p{Cc}/u.test(text)) return 'has a control character in it';
  return /[^\t -\u00ff]/.test(text) ? 'has a character in it that no header can carry' : null;
}

/** Why a text is no API key; null when it is one. A key is sent as a bearer token or in the address. */
export function keyFault(text: string): string | null {
  return headerFault(text) ?? (/[^\u0021-\u007e]/.test(text) ? 'has a blank or a letter with an accent in it' : null);
}
