import { inTurn } from '../../../server/testing/rounds.ts'

/** Columns and rows of the windows that every layout is tried in: by default the smallest and the largest. */
export const windowSizes = inTurn([
  [40, 12],
  [80, 24],
  [120, 40],
  [200, 50],
] as const)
