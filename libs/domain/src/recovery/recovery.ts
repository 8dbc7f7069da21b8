/** Which events a recovery sends again: those whose delivery ended `exhausted` or `skipped`, and those that have none (`missing`). */
export const recoverableStates = ['exhausted', 'skipped', 'missing'] as const;

/** One of {@link recoverableStates}. */
export type RecoverableState = (typeof recoverableStates)[number];

/** The states of a recovery. */
export const recoveryStates = ['running', 'completed', 'cancelled'] as const;

/** One of {@link recoveryStates}. */
export type RecoveryState = (typeof recoveryStates)[number];
