import { type ExplainedError, explainedErrors } from './explain-error.js';
import { html, type Html, htmlPage } from './html.js';

/** The page that leads to everything else that is documented. */
export function docsPage(version: string): string {
  const errors = explainedErrors();
  return htmlPage(
    'Documentation',
    html`<h1>pdfonce ${version}</h1>
      <ul>
        <li><a href="/openapi.json">OpenAPI 3.1 document</a>: every route, with its fields, answers and refusals</li>
        <li><a href="/asyncapi.json">AsyncAPI 3.0 document</a>: every record of the Kafka topics</li>
        <li>
          In the directory <code>docs</code> of the package: <code>using.md</code> (one example for each thing),
          <code>idempotency.md</code> (keys and retries), <code>webhooks.md</code>, <code>kafka.md</code>,
          <code>errors.md</code>, <code>settings.md</code>, <code>operating.md</code>
        </li>
        <li><a href="/healthz">Health</a>, <a href="/readyz">readiness</a>, <a href="/metrics">metrics</a></li>
      </ul>
      <h2>Refused requests</h2>
      ${listOf(errors.filter((error) => error.of === 'refused_request'))}
      <h2>Failed jobs</h2>
      ${listOf(errors.filter((error) => error.of === 'failed_job'))}`,
  );
}

function listOf(errors: readonly ExplainedError[]): Html {
  return html`<ul>
    ${errors.map(
      ({ code, title }) =>
        html`<li>
          <a href="/docs/errors/${code}"><code>${code}</code></a
          >: ${title}
        </li>`,
    )}
  </ul>`;
}
