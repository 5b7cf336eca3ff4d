/** Takes what must stay inside out of a text before it is shown or stored. */
export type Redact = (text: string) => string;

// Shorter ones would blacken ordinary words, and guard nothing.
const SHORTEST = 4;

/**
 * Removes each secret, also as it looks percent-encoded, decoded or in base64: servers like to repeat what they got.
 *
 * createRedact(['/hooks/s3cret'])('no route for /hooks/s3cret') // 'no route for ***'
 */
export function createRedact(secrets: readonly string[]): Redact {
  const forms = [...new Set(secrets.flatMap(formsOf))].filter((form) => form.length >= SHORTEST);
  const longestFirst = forms.sort((a, b) => b.length - a.length);
  return (text) => longestFirst.reduce((left, form) => left.replaceAll(form, '***'), text);
}

function formsOf(secret: string): string[] {
  const base64 = Buffer.from(secret).toString('base64');
  return [secret, encodeURIComponent(secret), decoded(secret), base64, base64.replace(/=+$/, '')];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
