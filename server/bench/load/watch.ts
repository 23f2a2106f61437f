import { loadavg } from 'node:os'
import type { Contender } from '../contenders.ts'
import type { BenchDatabase } from '../database.ts'
import { spreadOf } from '../statistics.ts'
import type { Tally } from './tally.ts'

/** Of the time of one core: 2 is two cores, always busy. */
export interface Shares {
  readonly service: number
  readonly database: number
  /** What makes the requests, and takes its cores from the service. */
  readonly generator: number
}

export interface Watched {
  readonly shares: Shares
  /** The service's resident memory, the median of each minute. */
  readonly memoryMb: readonly number[]
  /** The least of each minute: what it keeps, without the 19 MB that each password's hash takes while it runs. */
  readonly keptMb: readonly number[]
  /** Of the machine, by minute: what others do on it is in there. */
  readonly loadAverages: readonly number[]
}

const minute = 60_000
const sampleTime = 2000

/** Looks at memory and CPU until it is stopped, and closes the tally's minutes. */
export function startWatch(contender: Contender, database: BenchDatabase, tally: Tally) {
  const costs = () => ({
    at: performance.now(),
    service: contender.cost().cpuMs,
    database: database.cost().cpuMs,
    generator: ownCpu(),
  })
  const before = costs()
  let samples: number[] = []
  const memoryMb: number[] = []
  const keptMb: number[] = []
  const loadAverages: number[] = []
  const look = () => samples.push(contender.cost().residentMb)
  const close = () => {
    tally.closeMinute()
    if (samples.length > 0) {
      const { median, least } = spreadOf(samples)
      memoryMb.push(median)
      keptMb.push(least)
    }
    loadAverages.push(loadavg()[0] ?? 0)
    samples = []
  }
  const timers = [setInterval(look, sampleTime), setInterval(close, minute)]
  return {
    stop: (): Watched => {
      for (const timer of timers) clearInterval(timer)
      // The last minute ends with the load; a shorter one would tell little.
      if (samples.length > minute / sampleTime / 2) close()
      const after = costs()
      const share = (of: 'service' | 'database' | 'generator') => (after[of] - before[of]) / (after.at - before.at)
      const shares = { service: share('service'), database: share('database'), generator: share('generator') }
      return { shares, memoryMb, keptMb, loadAverages }
    },
  }
}

function ownCpu(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
