/** It cannot be told what is used: whatever draws with it keeps all. */
export class Unclear extends Error {
  override readonly name = 'Unclear';
}
