export { graceOf } from './grace-of.js';
export { HealthModule } from './health/health.module.js';
export { openDatabase, openProcessMessaging, publicUrl } from './open-parts.js';
export { reportedLoop } from './reported-loop.js';
export { runCommand } from './run-command.js';
export { type Fail, processLog, runProcess, type RunningProcess } from './run-process.js';
export { serve } from './serve.js';
