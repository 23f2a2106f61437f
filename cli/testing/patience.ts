/** Milliseconds for whatever is not about time: a busy machine lets a process stand still for seconds. */
export const patience = 100_000
