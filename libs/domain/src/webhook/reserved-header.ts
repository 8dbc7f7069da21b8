const reserved =
  /^(webhook-.*|pdfonce-.*|content-type|content-length|host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect|user-agent)$/i;

/** Whether the service or HTTP itself sets a header of a webhook request, so that an endpoint may not. */
export function isReservedHeader(name: string): boolean {
  return reserved.test(name);
}
