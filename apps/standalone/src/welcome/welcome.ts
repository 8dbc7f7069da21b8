/** What a newcomer is told. */
export interface WelcomeFacts {
  readonly url: string;
  readonly apiKey: string;
  readonly directory: string;
  readonly samples: readonly string[];
}

/** The text that a start prints: where the service is, the key, and one line to paste that merges two documents. */
export function welcome({ url, apiKey, directory, samples }: WelcomeFacts): string {
  const files = samples.map((path) => `-F files=@${quoted(path)}`).join(' ');
  const headers = [
    `Authorization: Bearer ${apiKey}`,
    'Idempotency-Key: first-merge',
    'Prefer: wait=30',
    'Accept: application/pdf',
  ];
  const curl = [
    'curl -sS',
    ...headers.map((header) => `-H '${header}'`),
    '-F operation=merge',
    files,
    '-o merged.pdf',
    `${url}/v1/jobs`,
  ];
  return `
pdfonce is ready.

  URL       ${url}
  API key   ${apiKey}
  data      ${directory}

Merge two documents into merged.pdf; paste it again, and it is the same job:

${curl.join(' ')}

Ctrl-C stops everything.
`;
}

/** A path as a curl form value in single quotes: `"` and `\\` are escaped for curl, `'` for the shell. */
function quoted(path: string): string {
  const forCurl = /[,;"\\]/.test(path) ? `"${path.replaceAll(/["\\]/g, '\\$&')}"` : path;
  return `'${forCurl.replaceAll("'", `'\\''`)}'`;
}
