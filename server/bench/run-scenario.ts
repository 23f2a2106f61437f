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
  const runTurn = async ({ contender, nextRequests, meanwhile }: Entry, length: number) => {
    const requests = await nextRequests()
    const measured = await measure(contender, database, { scenario, requests, meanwhile, seconds: length })
    return { measured, answers: scenario.isOnce ? requests.length : measured.rate * length }
  }
  const runRound = async (order: readonly Entry[]) => {
    const round: Partial<Record<ContenderName, Measured>> = {}
    for (const entry of order) round[entry.contender.name] = (await runTurn(entry, seconds)).measured
    return round
  }
  try {
    await warmUp(entries, async (entry) => (await runTurn(entry, 2)).answers)
    const measured: Round[] = []
    for (let n = 0; n < rounds; n += 1) measured.push(await runRound(n % 2 === 0 ? entries : entries.toReversed()))
    return measured
  } finally {
    for (const { contender } of entries) await contender.stop()
  }
}

/**
 * The engine compiles code in steps as it is called, and drops some of it once, a minute or so after the start: the cost
 * of a request falls to a half until about the four thousandth, of reads and writes alike. Those who hash slowly get no
 * further in these seconds, but with them the hash is nearly all of the cost.
 */
const warm = { answers: 5000, secondsEach: 30 }

/** Calls all in turn until the code of each is compiled and the connections are open. */
async function warmUp(entries: readonly Entry[], answerSome: (entry: Entry) => Promise<number>): Promise<void> {
  const end = performance.now() + 1000 * warm.secondsEach * entries.length
  const answers = new Map(entries.map((entry) => [entry, 0]))
  while (Math.min(...answers.values()) < warm.answers && performance.now() < end)
    for (const [entry, before] of answers) answers.set(entry, before + (await answerSome(entry)))
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
