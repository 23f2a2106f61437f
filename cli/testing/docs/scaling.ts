import type { Result } from '../../../server/bench/results.ts'
import { scenarios } from '../../../server/bench/scenarios.ts'
import { type Cost, findCapacity, type Kind, type Layout } from '../../../server/bench/simulation.ts'
import { figureOf } from '../../../server/bench/statistics.ts'
import { table } from './markdown.ts'
import { readResult, short } from './performance.ts'

/** The share of a core that may be used for long. */
const usable = 0.7

/** The generated parts of docs/scaling.md. */
export const scalingParts = (): Readonly<Record<string, string>> => ({
  'scaling-cores': coresTable(),
  'scaling-steps': stepsTable(),
})

/** As `npm run bench` measured it last. */
function costOf(name: string): Cost {
  const { rounds = [] } = readResult<Result>(name) ?? {}
  const service = figureOf(rounds, 'ours', ({ cpu }) => cpu)?.median ?? Number.NaN
  const database = figureOf(rounds, 'ours', ({ databaseCpu }) => databaseCpu)?.median ?? Number.NaN
  return { service, database }
}

const measured = ['get-session', 'list-organizations', 'sign-in-8', 'create-organization']

function coresTable(): string {
  const perSecond = (milliseconds: number) => short((usable * 1000) / milliseconds)
  return table(
    ['Call', 'A core of the service', 'A core of PostgreSQL'],
    measured.map((name) => {
      const { service, database } = costOf(name)
      const title = scenarios.find((scenario) => scenario.name === name)?.title ?? name
      return [title, `${perSecond(service)} a second`, `${perSecond(database)} a second`]
    }),
  )
}

const steps: readonly (readonly [title: string, layout: Layout])[] = [
  ['one process of one core, PostgreSQL of 4 cores', { serviceCores: 1, databaseCores: 4 }],
  ['4 workers on one machine', { serviceCores: 4, databaseCores: 4 }],
  ['4 machines with 4 workers each', { serviceCores: 16, databaseCores: 4 }],
  ['16 machines', { serviceCores: 64, databaseCores: 4 }],
  ['the same, if a replica of 4 cores took the lists', { serviceCores: 64, databaseCores: 4, replicaCores: 4 }],
  ['the same with a primary of 16 cores instead', { serviceCores: 64, databaseCores: 16 }],
  ['8 cells with 4 machines and a PostgreSQL of 4 cores each', { serviceCores: 16, databaseCores: 4, cells: 8 }],
]

const signInShare = 0.002

/** Of 1,000 requests: 983 sessions looked up, 10 lists, 2 sign-ins, 5 organizations created. */
const mix = (): readonly Kind[] => [
  { ...costOf('get-session'), share: 0.983 },
  { ...costOf('list-organizations'), share: 0.01, isReplicable: true },
  { ...costOf('sign-in-8'), share: signInShare },
  { ...costOf('create-organization'), share: 0.005 },
]

function stepsTable(): string {
  const kinds = mix()
  return table(
    ['Step', 'Requests a second', 'Sign-ins among them', 'What is busiest then'],
    steps.map(([title, layout]) => {
      const { rate, busiest } = findCapacity(layout, kinds)
      return [title, short(rate), short(rate * signInShare), busiest.part === 'service' ? 'the service' : 'PostgreSQL']
    }),
  )
}
