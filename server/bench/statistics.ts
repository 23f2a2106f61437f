import type { ContenderName } from './contenders.ts'
import type { Measured, Round } from './results.ts'

/** The middle of some measured values, and how far they lie apart. */
export interface Spread {
  readonly median: number
  readonly least: number
  readonly most: number
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  const median = ((sorted[Math.ceil(middle) - 1] ?? Number.NaN) + (sorted[Math.floor(middle)] ?? Number.NaN)) / 2
  return { median, least: sorted[0] ?? Number.NaN, most: sorted.at(-1) ?? Number.NaN }
}

type Figure = (measured: Measured) => number

/** Undefined for a contender that took no part. */
export function figureOf(rounds: readonly Round[], name: ContenderName, figure: Figure): Spread | undefined {
  const values = rounds.flatMap((round) => round[name] ?? []).map(figure)
  return values.length === 0 ? undefined : spreadOf(values)
}

/** How many times as much the one has as the other, round by round: what else the machine did then struck both. */
export function ratioOf(
  rounds: readonly Round[],
  [one, other]: readonly [ContenderName, ContenderName],
  figure: Figure,
): Spread | undefined {
  const ratios = rounds.flatMap((round) => {
    const [first, second] = [round[one], round[other]]
    return first && second ? [figure(first) / figure(second)] : []
  })
  return ratios.length === 0 ? undefined : spreadOf(ratios)
}
