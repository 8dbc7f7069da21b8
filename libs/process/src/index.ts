export { type Grace, graceOf } from './grace-of.js';
export { type HealthReport, healthReport, type HealthSource } from './health/health-report.js';
export { HealthModule } from './health/health.module.js';
export { openDatabase, openProcessMessaging, publicUrl } from './open-parts.js';
export { reportedLoop } from './reported-loop.js';
export { type Command, runCommand } from './run-command.js';
export { type Fail, processLog, runProcess, type RunningProcess } from './run-process.js';
export { serve, type ServeOptions } from './serve.js';
