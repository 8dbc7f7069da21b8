/** The descriptor in the child of the pipe whose other end only the parent holds: what comes after its IPC channel. */
export const leashDescriptor = 4;
