export { AskTogether } from './ask-together.js';
export { backOffMs } from './back-off.js';
export { endsWithin } from './ends-within.js';
export { Loop, type LoopOptions } from './loop.js';
export { pause } from './pause.js';
export { unhurried } from './unhurried.js';
