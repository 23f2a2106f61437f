import type { Bound } from '../../../server/bench/load/bounds.ts'
import type { Surroundings } from '../../../server/bench/results.ts'
import { table } from './markdown.ts'
import { readResult, short } from './performance.ts'

interface LoadResult {
  readonly surroundings: Surroundings
  readonly minutes: number
  readonly loadAverages: readonly number[]
  readonly shares: Readonly<Record<'service' | 'database' | 'generator', number>>
  readonly bounds: readonly Bound[]
}

const titles = {
  'load-overload': 'ten times as many sign-ins as it can do, while others look at their sessions',
  'load-mixed': 'reads, sign-ins at half capacity, organizations, devices and the trail',
} as const

/** The generated parts of docs/performance.md that `npm run test:load` measured. */
export const loadParts = (): Readonly<Record<string, string>> => ({
  load: Object.keys(titles).map(partOf).join('\n\n'),
})

function partOf(name: string): string {
  const title = titles[name as keyof typeof titles]
  const result = readResult<LoadResult>(name)
  if (!result) return `Not measured yet: ${title}.`
  const rows = result.bounds.map(({ title: what, most, least, measured, isHeld }) => {
    const bound = most === undefined ? `at least ${least}` : `at most ${most}`
    if (!isHeld) return [what, bound, `${exact(measured)} (broken)`]
    return [what, bound, Number.isInteger(most ?? least) ? short(measured) : exact(measured)]
  })
  return `${introductionOf(title, result)}\n\n${table(['What', 'Bound', 'Measured'], rows)}`
}

/** Rounded to two digits, what broke a bound could look as if it held it, and a ratio of 1.04 as if nothing grew. */
const exact = (value: number): string => Number(value.toPrecision(4)).toLocaleString('en')

function introductionOf(title: string, { minutes, surroundings, shares, loadAverages }: LoadResult): string {
  const versions = Object.entries(surroundings.versions).map(([name, version]) => `${name} ${version}`)
  const busiest = Math.max(...loadAverages)
  const cores = (share: number) => short(share)
  return [
    `**${minutes} minutes: ${title}.** ${surroundings.date}, ${surroundings.machine}; ${versions.join(', ')}.`,
    `Cores in use: the service ${cores(shares.service)}, PostgreSQL ${cores(shares.database)}, the generator ${cores(shares.generator)}.`,
    `The load average of the machine was ${short(Math.min(...loadAverages))} to ${short(busiest)}, other work included.`,
  ].join('\n')
}
