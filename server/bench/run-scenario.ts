import { type Contender, type ContenderName, startContender } from './contenders.ts'
import type { BenchDatabase } from './database.ts'
import { measure } from './measure.ts'
import type { Request } from './person.ts'
import type { Measured, Round } from './results.ts'
import { type Scenario, wholeSize } from './scenarios.ts'

export interface Extent {
  readonly rounds: number
  readonly seconds: number
}

interface Entry {
  readonly contender: Contender
  readonly nextRequests: () => Promise<readonly Request[]>
  readonly meanwhile: readonly Request[]
}

/** All contenders of a scenario in turn, A B A B, so that what else the machine does strikes all of them. */
export async function runScenario(
  scenario: Scenario,
  database: BenchDatabase,
  { rounds, seconds }: Extent,
): Promise<readonly Round[]> {
  const entries = await startEntries(scenario, database)
  const runRound = async (order: readonly Entry[], length: number) => {
    const measured: Partial<Record<ContenderName, Measured>> = {}
    for (const { contender, nextRequests, meanwhile } of order) {
      const plan = { scenario, requests: await nextRequests(), meanwhile, seconds: length }
      measured[contender.name] = await measure(contender, database, plan)
    }
    return measured
  }
  try {
    // Until the code is compiled and the connections are open.
    for (let n = 0; n < (scenario.warmUps ?? 1); n += 1) await runRound(entries, 2)
    const measured: Round[] = []
    for (let n = 0; n < rounds; n += 1)
      measured.push(await runRound(n % 2 === 0 ? entries : entries.toReversed(), seconds))
    return measured
  } finally {
    for (const { contender } of entries) await contender.stop()
  }
}

async function startEntries(scenario: Scenario, database: BenchDatabase): Promise<readonly Entry[]> {
  const { contenders = ['ours', 'peer-1.2', 'peer-1.7'], limit } = scenario
  const env = { COOKIE_CACHE: scenario.cookieCache ? 'on' : 'off' }
  const started: Contender[] = []
  const start = async (...args: Parameters<typeof startContender>) => {
    const contender = await startContender(...args)
    started.push(contender)
    return contender
  }
  try {
    const entries: Entry[] = []
    for (const name of contenders) {
      const contender = await start(name, { database: await database.create(name.replace('.', '_')), env })
      const nextRequests = await scenario.prepare(contender, wholeSize)
      const meanwhile = (await scenario.meanwhile?.prepare(contender, wholeSize)) ?? []
      entries.push({ contender, nextRequests, meanwhile })
    }
    const [first] = entries
    if (limit === undefined || !first) return entries
    // The same requests to the same rows.
    const contender = await start('limit', { database: first.contender.database, env: { LIMIT: limit } })
    return [...entries, { ...first, contender }]
  } catch (error) {
    for (const contender of started) await contender.stop()
    throw error
  }
}
