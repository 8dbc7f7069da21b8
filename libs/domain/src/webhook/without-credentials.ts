/** A URL as it may be shown: itself, but for a user name and a password. */
export function withoutCredentials(text: string): string {
  const url = new URL(text);
  if (url.username === '' && url.password === '') return text;
  url.username = '';
  url.password = '';
  return url.href;
}
