export { AskTogether, type AskTogetherLimits } from './ask-together.js';
export { type BackOff, backOffMs } from './back-off.js';
export { endsWithin } from './ends-within.js';
export { Loop, type LoopOptions } from './loop.js';
export { pause } from './pause.js';
export { unhurried } from './unhurried.js';
export { Wakeup } from './wakeup.js';
