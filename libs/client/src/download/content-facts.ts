/** The first byte that an answer 206 has, by its `Content-Range` (RFC 9110, section 14.4); `null` when it does not say. */
export function contentStart(headers: Headers): number | null {
  const first = /^bytes (\d+)-\d+\/(?:\d+|\*)$/.exec(headers.get('content-range') ?? '')?.[1];
  return first === undefined ? null : Number(first);
}

/** The SHA-256 of the content in hexadecimal, which is its `ETag`; `null` when the tag is something else. */
export function contentSha256(headers: Headers): string | null {
  return /^"([0-9a-f]{64})"$/.exec(headers.get('etag') ?? '')?.[1] ?? null;
}

/** The bytes of the content; `null` when the answer does not say. */
export function contentSizeBytes(headers: Headers): number | null {
  const length = headers.get('content-length') ?? '';
  return /^\d+$/.test(length) ? Number(length) : null;
}
