/** How often a race is run, as the environment says: a few times by default, often in the long checks. */
export const rounds = Number(process.env.RACE_ROUNDS ?? 20)

/** Time for a race of that many rounds, on a busy machine. */
export const enough = { timeout: 30_000 + rounds * 1000 }
