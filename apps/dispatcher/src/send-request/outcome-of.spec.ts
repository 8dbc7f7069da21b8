import { outcomeOfStatus } from './outcome-of.js';

describe('the outcome of a status', () => {
  it.each([
    [200, 'delivered'],
    [204, 'delivered'],
    [299, 'delivered'],
    [301, 'redirected'],
    [304, 'redirected'],
    [400, 'client_error'],
    [410, 'gone'],
    [429, 'client_error'],
    [500, 'server_error'],
    [599, 'server_error'],
  ])('%d is %s', (status, expected) => {
    expect(outcomeOfStatus(status)).toBe(expected);
  });
});
