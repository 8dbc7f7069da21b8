import { createHash } from 'node:crypto';
import { jobErrors, requestErrors } from '#libs/contract';
import { docsPage } from './docs-page.js';
import { errorPage } from './error-page.js';
import { explainedErrors, explainError } from './explain-error.js';
import { html, htmlPage, pageHeaders } from './html.js';

describe('a page of the service', () => {
  it('shows text as text, wherever it stands', () => {
    const page = htmlPage('<script>', html`<a href="${'"x"'}">${"it's <b>&"}</a>${[html`<i></i>`]}`);
    expect(page).toContain('<title>&lt;script&gt; - pdfonce</title>');
    expect(page).toContain('<a href="&quot;x&quot;">it&#39;s &lt;b&gt;&amp;</a><i></i>');
  });

  it('may load nothing, and show itself in the one style that it has', () => {
    const [, style = ''] = /<style>([^]*?)<\/style>/.exec(htmlPage('', html``)) ?? [];
    const hash = createHash('sha256').update(style).digest('base64');
    const policy = pageHeaders['content-security-policy'];
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain(`style-src 'sha256-${hash}'`);
  });
});

describe('the page of an error code', () => {
  it('says of each what happened, when, and what to do with which key (contract 6.2)', () => {
    for (const error of explainedErrors()) {
      const page = errorPage(error);
      expect(page).toContain(html`${error.when}`.html);
      expect(page).toContain(html`${error.what_to_do}`.html);
      expect(page).toContain(error.of === 'failed_job' ? 'keeps naming it' : 'was refused with the status');
    }
  });

  it('is reached from the index, for every code there is', () => {
    const linked = [...docsPage('1').matchAll(/href="\/docs\/errors\/(\w+)"/g)].map(([, code]) => code);
    expect(linked).toEqual([...Object.keys(requestErrors), ...Object.keys(jobErrors)]);
  });

  it('is there for no other code', () => {
    expect(['constructor', '', 'toString', '__proto__'].map(explainError)).toEqual([null, null, null, null]);
  });
});
