export { AddressRefused } from './address-refused.js';
export { GuardedAgent } from './guarded-agent.js';
export { type NetworkFailure, networkFailure } from './network-failure.js';
export { refusalSentence } from './refusal-sentence.js';
export { type ResolveHost, systemResolver } from './resolve-host.js';
export { vetTarget } from './vet-target.js';
