import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ContenderName, contenderNames } from '../../../server/bench/contenders.ts'
import type { Measured, Result } from '../../../server/bench/results.ts'
import { type Scenario, scenarios } from '../../../server/bench/scenarios.ts'
import type { StartUp, StartUpRound } from '../../../server/bench/start-up.ts'
import { figureOf, ratioOf, type Spread, spreadOf } from '../../../server/bench/statistics.ts'
import { table } from './markdown.ts'
import { root } from './pages.ts'
import { drawChart } from './performance-chart.ts'

interface Measurement extends Result {
  readonly scenario: Scenario['name']
}

/** What `npm run bench` wrote; undefined for what it has not measured. */
export function readResult<Kind>(name: string): Kind | undefined {
  const path = join(root, 'server/bench/results', `${name}.json`)
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Kind) : undefined
}

const measurements = scenarios.flatMap((scenario) => {
  const result = readResult<Measurement>(scenario.name)
  return result ? [{ ...scenario, ...result }] : []
})
/** Beside the load of others a request's own cost cannot be told. */
const [calls, besides] = [
  measurements.filter(({ meanwhile }) => !meanwhile),
  measurements.filter(({ meanwhile }) => meanwhile),
]
const starts = readResult<{ readonly rounds: readonly StartUpRound[] } & Pick<Result, 'surroundings'>>('start-up')

const titles: Readonly<Record<ContenderName, string>> = {
  ours: 'Postern',
  'peer-1.2': 'better-auth 1.2',
  'peer-1.7': 'better-auth 1.7',
  limit: 'the limit',
}
const peers = ['peer-1.2', 'peer-1.7'] as const

/** The generated parts of docs/performance.md. */
export const performanceParts = (): Readonly<Record<string, string>> => ({
  'performance-ratios': ratiosTable(),
  'performance-waits': waitsTable(),
  'performance-start': startTable(),
  'performance-growth': growthTable(),
  'performance-figures': figuresTable(),
  'performance-surroundings': surroundingsList(),
})

export const performanceChart = (): string =>
  drawChart(
    calls,
    [...(['ours', ...peers] as const)].map((name) => [name, titles[name]]),
  )

type Figure = (measured: Measured) => number
const cpuOf: Figure = ({ cpu }) => cpu
const wholeCpuOf: Figure = ({ cpu, databaseCpu }) => cpu + databaseCpu

function ratiosTable(): string {
  const head = ['Call', ...peers.map((name) => titles[name]), 'Of the limit']
  return table(
    head,
    calls.map(({ title, rounds, limit }) => [
      title,
      ...peers.map((name) => {
        const [own, whole] = [cpuOf, wholeCpuOf].map((figure) => ratioOf(rounds, [name, 'ours'], figure))
        return own && whole ? `${times(own)}; ${short(whole.median)} with PostgreSQL` : ''
      }),
      limit === undefined ? '' : share(ratioOf(rounds, ['limit', 'ours'], cpuOf)),
    ]),
  )
}

const times = ({ median, least, most }: Spread) => `${short(median)} times (${short(least)} to ${short(most)})`
const share = (spread: Spread | undefined) => (spread ? `${(spread.median * 100).toFixed(0)} %` : '')

function waitsTable(): string {
  const head = ['Call', ...(['ours', ...peers] as const).map((name) => `${titles[name]}: p50, p99`)]
  return table(
    head,
    besides.map(({ title, rounds }) => [
      title,
      ...(['ours', ...peers] as const).map((name) => {
        const [p50, p99] = [figureOf(rounds, name, (one) => one.p50), figureOf(rounds, name, (one) => one.p99)]
        return p50 && p99 ? `${short(p50.median)} ms, ${short(p99.median)} ms` : ''
      }),
    ]),
  )
}

function startTable(): string {
  const rounds = starts?.rounds ?? []
  const of = (name: ContenderName, figure: (start: StartUp) => number) => {
    const values = rounds.flatMap((round) => round[name] ?? []).map(figure)
    return values.length === 0 ? undefined : short(spreadOf(values).median)
  }
  const row = (title: string, unit: string, figure: (start: StartUp) => number) => [
    title,
    ...(['ours', ...peers] as const).map((name) => `${of(name, figure) ?? '-'} ${unit}`),
  ]
  const afterSignIns = measurements.find(({ name }) => name === 'sign-in-32')?.rounds ?? []
  const first = rounds.length === 0 ? '' : `${short(spreadOf(rounds.map((one) => one.firstMilliseconds)).median)} ms`
  return table(
    ['What', ...(['ours', ...peers] as const).map((name) => titles[name])],
    [
      ['the first start ever, with the embedded database created and migrated', first, '', ''],
      row('any later start, until it takes requests', 'ms', ({ milliseconds }) => milliseconds),
      row('CPU of that', 'ms', ({ cpu }) => cpu),
      row('resident memory, idle', 'MB', ({ idleMb }) => idleMb),
      [
        'resident memory after sign-ins, 32 at once',
        ...(['ours', ...peers] as const).map((name) => {
          const memory = figureOf(afterSignIns, name, ({ residentMb }) => residentMb)
          return memory ? `${short(memory.most)} MB` : ''
        }),
      ],
    ],
  )
}

type Waits = Readonly<Record<'p50' | 'p99', number>>

/** What `npm run bench:growth` wrote. */
interface Growth extends Pick<Result, 'surroundings'> {
  readonly scenario: string
  readonly sizes: readonly number[]
  readonly calls: Readonly<Record<string, Readonly<Record<'small' | 'large' | 'ratio', Waits>>>>
}

const growth = readResult<Growth>('growth')

function growthTable(): string {
  const { sizes = [], calls: grown = {} } = growth ?? {}
  const columns = sizes.map((size) => `${size.toLocaleString('en')} users: p50, p99`)
  const waits = ({ p50, p99 }: Waits) => `${short(p50)} ms, ${short(p99)} ms`
  return table(
    ['Call', ...columns, 'Ratio of p50'],
    Object.entries(grown).map(([call, { small, large, ratio }]) => [
      call,
      waits(small),
      waits(large),
      short(ratio.p50),
    ]),
  )
}

function figuresTable(): string {
  const head = [
    'Call',
    'Who',
    'A second',
    'p50, p99 (ms)',
    'CPU a request (ms)',
    'PostgreSQL (ms)',
    'Memory, PostgreSQL (MB)',
  ]
  const rows = calls.flatMap(({ title, connections, rounds }) =>
    contenderNames.flatMap((name) => {
      const medianOf = (figure: Figure) => short(figureOf(rounds, name, figure)?.median ?? Number.NaN)
      if (!figureOf(rounds, name, cpuOf)) return []
      const waits = `${medianOf(({ p50 }) => p50)}, ${medianOf(({ p99 }) => p99)}`
      const memory = `${medianOf(({ residentMb }) => residentMb)}, ${medianOf(({ databaseMb }) => databaseMb)}`
      const costs = [medianOf(cpuOf), medianOf(({ databaseCpu }) => databaseCpu)]
      return [
        [`${title}; ${connections} connections`, titles[name], medianOf(({ rate }) => rate), waits, ...costs, memory],
      ]
    }),
  )
  return table(head, rows)
}

/** Files that were measured alike share a line. */
function surroundingsList(): string {
  const all = [...measurements, ...(starts ? [{ ...starts, scenario: 'start-up' }] : []), ...(growth ? [growth] : [])]
  const lines = new Map<string, string[]>()
  for (const { scenario, surroundings } of all) {
    const versions = Object.entries(surroundings.versions).map(([name, version]) => `${name} ${version}`)
    const line = `${surroundings.date}: ${surroundings.machine}; ${versions.join(', ')}`
    lines.set(line, [...(lines.get(line) ?? []), scenario])
  }
  const isOne = lines.size === 1
  return Array.from(lines, ([line, names]) => `- ${line}${isOne ? '' : ` (${names.join(', ')})`}`).join('\n')
}

/** As many digits as the machine's noise leaves. */
export const short = (value: number): string => {
  if (Number.isNaN(value)) return ''
  const rounded = Number(value.toPrecision(value >= 1000 ? 3 : 2))
  return rounded.toLocaleString('en', { maximumFractionDigits: 4 })
}
