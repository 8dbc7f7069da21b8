import type { ExplainedError } from './explain-error.js';
import { html, type Html, htmlPage } from './html.js';

/** The page of an error code. */
export function errorPage(error: ExplainedError): string {
  return htmlPage(
    error.code,
    html`<nav><a href="/docs">pdfonce</a></nav>
      <h1>${error.title}</h1>
      <dl>
        <dt>Code</dt>
        <dd><code>${error.code}</code></dd>
        ${error.of === 'refused_request' ? refused(error.status) : failed(error.retryable)}
        <dt>When</dt>
        <dd>${error.when}</dd>
        <dt>What to do</dt>
        <dd>${error.what_to_do}</dd>
      </dl>`,
  );
}

function refused(status: number): Html {
  return html`<dt>What happened</dt>
    <dd>A request was refused with the status ${String(status)}. Nothing was stored under its idempotency key.</dd>`;
}

function failed(isRetryable: boolean): Html {
  return html`<dt>What happened</dt>
    <dd>A job was accepted and has failed. That is final, charges nothing, and its idempotency key keeps naming it.</dd>
    <dt>May the same work succeed another time</dt>
    <dd>${isRetryable ? 'yes' : 'no'}</dd>`;
}
