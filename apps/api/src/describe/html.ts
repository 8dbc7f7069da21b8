import { createHash } from 'node:crypto';

/** Text that is HTML already. */
export interface Html {
  readonly html: string;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** HTML in which every value that is not HTML itself is escaped. */
export function html(literals: TemplateStringsArray, ...values: readonly (string | Html | readonly Html[])[]): Html {
  const parts = literals.map((literal, index) => `${literal}${index < values.length ? rendered(values[index]) : ''}`);
  return { html: parts.join('') };
}

function rendered(value: string | Html | readonly Html[] | undefined): string {
  if (value === undefined) return '';
  if (typeof value === 'string') return value.replace(/[&<>"']/g, (character) => entities[character] ?? '');
  return 'html' in value ? value.html : value.map((each) => each.html).join('\n');
}

const style = `
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; }
h2 { font-size: 1.15rem; margin-top: 2rem; }
dt { font-weight: 600; margin-top: 0.75rem; }
dd { margin-left: 0; }
li { margin: 0.25rem 0; }
nav { margin-bottom: 2rem; }
`;

/** Its text is the one of the hash, to the last space. */
const styleElement: Html = { html: `<style>${style}</style>` };

const styleHash = createHash('sha256').update(style).digest('base64');

/** What the pages of the service may do: show themselves in their own style, and nothing else. */
export const pageHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

/** A whole page. */
export function htmlPage(title: string, body: Html): string {
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} - pdfonce</title>
        ${styleElement}
      </head>
      <body>
        ${body}
      </body>
    </html> `;
  return page.html;
}
