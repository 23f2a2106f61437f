import { inTurn } from '../../../server/testing/rounds.ts'

/** Columns and rows of the windows that every layout is tried in: by default the smallest and the largest. */
export const windowSizes = inTurn([
  [40, 12],
  [80, 24],
  [120, 40],
  [200, 50],
] as const)

/** The same where each size starts a terminal of its own: by default the smallest. */
export const sizesToStart = inTurn([
  [40, 12],
  [80, 24],
  [200, 50],
] as const)
