/** Values this short are words like any other. */
const shortestMasked = 6;

/** A text in which the values of an endpoint's own headers are masked: some receivers answer with the request that they got. */
export function maskHeaderValues(text: string, values: readonly string[]): string {
  return values
    .filter((value) => value.length >= shortestMasked)
    .sort((a, b) => b.length - a.length)
    .reduce((masked, value) => [...new Set([value, JSON.stringify(value).slice(1, -1)])].reduce(hide, masked), text);
}

function hide(text: string, value: string): string {
  return text.replaceAll(value, '***');
}
