/** What a line of the contract promises and this version does not have. A line that no test names needs a note here. */
export const toBeBuilt: Readonly<Record<string, string>> = {
  '2.4': '`compress`, `convert`, `render` and `parse`',
  '2.10': 'warnings of the operations to come, such as `no_gain`',
};
