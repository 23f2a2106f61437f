import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { expect, it, vi } from 'vitest'
import { connectForMigration } from '../../db/connect.ts'
import { cloneDatabase, settingsOf } from '../../testing/database.ts'
import { ownPort, spawnServer } from '../../testing/process.ts'
import { testPassword } from '../../testing/service.ts'
import { slack } from '../../testing/slack.ts'

// Two hundred hashes of production's cost.
vi.setConfig({ testTimeout: 300_000 * slack })

const people = 200
/** Far more than it takes: only somebody who is never let in gives up. */
const patience = 100

interface Visit {
  readonly status: number
  readonly retryAfter: number
}

async function signUp(url: string, agent: Agent, person: number): Promise<Visit> {
  const { statusCode, headers, body } = await request(`${url}/sign-up/email`, {
    method: 'POST',
    dispatcher: agent,
    headersTimeout: 0,
    // Everybody is at home, behind the same proxy.
    headers: { 'content-type': 'application/json', 'x-forwarded-for': `203.0.113.${person}` },
    body: JSON.stringify({ email: `ann-${person}@example.com`, name: 'Ann', password: testPassword }),
  })
  await body.dump()
  return { status: statusCode, retryAfter: Number(headers['retry-after']) }
}

/** Comes again when it was told to, as the command line does. */
async function signUpInTheEnd(url: string, agent: Agent, person: number): Promise<readonly Visit[]> {
  const visits: Visit[] = []
  while (visits.length < patience) {
    const visit = await signUp(url, agent, person)
    visits.push(visit)
    if (visit.status === 200 || !(visit.retryAfter > 0)) break
    await sleep(visit.retryAfter * 1000 * (1 + Math.random() / 5))
  }
  return visits
}

it(`of ${people} who sign up at once everybody is let in, or is told when to come again and then let in`, async () => {
  const { database, drop } = await cloneDatabase()
  // On a machine with little memory, which requests must not use up while they wait.
  const settings = { TRUSTED_PROXIES: '127.0.0.1', RATE_LIMIT: 'on', NODE_OPTIONS: '--max-old-space-size=128' }
  // The queue of passwords is that of production.
  const service = spawnServer({ ...(await ownPort()), ...settingsOf(database), ...settings }, 'serve({})')
  const url = await service.untilListening()
  const agent = new Agent({ connections: people })
  const visits = await Promise.all(Array.from({ length: people }, (_, person) => signUpInTheEnd(url, agent, person)))
  await agent.close()
  const last = visits.map((each) => each.at(-1)?.status)
  expect(last).toEqual(last.map(() => 200))
  const refused = visits.flatMap((each) => each.slice(0, -1))
  // A process has 99 places at most, so the test is of the refusal too.
  expect(refused.length).toBeGreaterThan(0)
  expect(refused.filter(({ status }) => status !== 503)).toEqual([])
  const sql = connectForMigration(database)
  const [counts] = await sql`
    select (select count(*)::int from users) as users, (select count(*)::int from sessions) as sessions
  `
  expect(counts).toEqual({ users: people, sessions: people })
  await sql.end()
  expect(await service.kill('SIGTERM')).toBe(0)
  await drop()
})
