import { subscribe } from 'node:diagnostics_channel';

/** What undici tells of before a request is sent. */
interface Created {
  readonly request: { addHeader(name: string, value: string): void };
}

/** Imported into a process before its app: every request that it sends names the process in `pdfonce-test-pid`. */
subscribe('undici:request:create', (message) => {
  (message as Created).request.addHeader('pdfonce-test-pid', String(process.pid));
});
