/** The fields behind the name in parentheses, from the state on; times of the processor are in hundredths of a second whatever the kernel's own tick. */
const stateField = 0;
const userTimeField = 11;
const systemTimeField = 12;
const startTimeField = 19;
const tickMs = 10;

/** What the system says of a process. */
export interface ProcessStat {
  /** One letter: Z and X for a process that has ended. */
  readonly state: string;
  /** In clock ticks since boot. */
  readonly startTime: string;
  /** What all its threads have used together. */
  readonly processorMs: number;
}

/** Takes the content of /proc/PID/stat apart (proc(5)). */
export function readProcessStat(content: string): ProcessStat {
  const fields = content.slice(content.lastIndexOf(')') + 2).split(' ');
  return {
    state: fields[stateField] ?? '',
    startTime: fields[startTimeField] ?? '0',
    processorMs: (Number(fields[userTimeField]) + Number(fields[systemTimeField])) * tickMs,
  };
}
