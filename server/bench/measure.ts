import { setTimeout as sleep } from 'node:timers/promises'
import type { Contender } from './contenders.ts'
import type { BenchDatabase } from './database.ts'
import { type Request, send } from './person.ts'
import type { Measured } from './results.ts'
import { type Scenario, wholeSize } from './scenarios.ts'
import { startWrk } from './wrk.ts'

/** The most that requests which are sent once may take. */
const onceSeconds = 120

/** The least that a round beside others takes: a peer that hashes on its only thread answers after seconds. */
const besideSeconds = 10

interface RoundPlan {
  readonly scenario: Scenario
  readonly requests: readonly Request[]
  readonly meanwhile: readonly Request[]
  readonly seconds: number
}

/** One round of one contender: whether it answers rightly, how fast, and at what cost. */
export async function measure(contender: Contender, database: BenchDatabase, plan: RoundPlan): Promise<Measured> {
  const { scenario, requests } = plan
  const checked = requests.slice(0, scenario.isOnce ? 1 : 4)
  const shortest = await checkAnswers(contender, scenario, checked)
  const others = await startOthers(contender, plan)
  const before = [contender.cost(), database.cost()] as const
  const load = await startWrk({
    origin: contender.origin,
    requests: scenario.isOnce ? requests.slice(1) : requests,
    connections: scenario.connections,
    seconds: secondsOf(plan),
    isOnce: scenario.isOnce ?? false,
  }).finished
  const after = [contender.cost(), database.cost()] as const
  await others.stop()
  if (!scenario.isOnce) await checkAnswers(contender, scenario, checked)
  // An answer without its body is no fast answer.
  if (load.bytes < shortest) throw new Error(`${contender.name} answered with ${load.bytes} bytes, not ${shortest}`)
  const { rate, p50, p99, errors } = load
  return {
    rate,
    p50,
    p99,
    errors,
    cpu: (after[0].cpuMs - before[0].cpuMs) / load.requests,
    databaseCpu: (after[1].cpuMs - before[1].cpuMs) / load.requests,
    residentMb: after[0].residentMb,
    databaseMb: database.memoryMb(),
  }
}

function secondsOf({ scenario, seconds }: RoundPlan): number {
  if (scenario.isOnce) return onceSeconds
  return scenario.meanwhile ? Math.max(seconds, besideSeconds) : seconds
}

/** The load of others, from a second before. */
async function startOthers({ origin }: Contender, { scenario, meanwhile, seconds }: RoundPlan) {
  if (!scenario.meanwhile) return { stop: () => Promise.resolve() }
  const { connections } = scenario.meanwhile
  const load = startWrk({ origin, requests: meanwhile, connections, seconds: Math.max(seconds, besideSeconds) + 60 })
  // Else a failure before the end of the round would count as unhandled.
  load.finished.catch(() => undefined)
  await sleep(1000)
  return {
    stop: async () => {
      load.stop()
      await load.finished
    },
  }
}

/** Throws unless each answer is what was asked for; gives the length of the shortest body. */
async function checkAnswers(contender: Contender, scenario: Scenario, requests: readonly Request[]): Promise<number> {
  let shortest = Number.POSITIVE_INFINITY
  for (const request of requests) {
    const { method, path } = request
    const answer = await send(contender, request)
    const text = await answer.text()
    if (!answer.ok || !scenario.isRight(JSON.parse(text) as never, wholeSize))
      throw new Error(`${contender.name} answered ${method} ${path} with ${answer.status}: ${text.slice(0, 300)}`)
    shortest = Math.min(shortest, Buffer.byteLength(text))
  }
  return shortest
}
