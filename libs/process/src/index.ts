export { type Environment, processLog, runProcess, type RunningProcess } from './run-process.js';
export { type Command, runCommand } from './run-command.js';
