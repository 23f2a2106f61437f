import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { type App, createApp } from '../../app.ts'
import { connect, type Sql } from '../../db/connect.ts'
import { patience } from '../../testing/database.ts'
import { type Pooler, startPooler } from '../../testing/ha/pooler.ts'
import { limitTries } from '../../testing/rounds.ts'
import { createTestService, limited, type TestService } from '../../testing/service.ts'
import { slack } from '../../testing/slack.ts'
import { createVisitor } from '../../testing/visitor.ts'

/** So many tries meet at one limit, so many of them at once; and so many limits are tried side by side. */
const [crowd, atOnce, lanes] = [500, 16, 4]
const contests = Math.ceil(limitTries / crowd / lanes / 2)
vi.setConfig({ testTimeout: (120_000 + 50 * limitTries) * slack, hookTimeout: 200_000 * slack })

let service: TestService
let pooler: Pooler
/** Four services, each with limits in memory and connections of its own: all that they share is the database. */
const nodes: App[] = []
const pools: Sql[] = []
beforeAll(async () => {
  // Windows as long as any run, so that what is let through is known to the last one.
  const limits = { passwordCalls: { max: 3, window: '1d' }, accountTries: { max: 10, window: '1d' } } as const
  service = await createTestService({ ...limited, LOG_LEVEL: 'silent' }, { limits })
  pooler = await startPooler(service.database, ['default_pool_size = 12', 'query_wait_timeout = 0'])
  for (let node = 0; node < 4; node += 1) {
    const sql = connect(pooler.databaseUrl, { connections: 4, prepare: false, deadlines: patience })
    pools.push(sql)
    nodes.push(createApp({ ...service.deps, sql }))
    await vi.waitFor(() => sql`select 1`, { timeout: 60_000 * slack, interval: 50 })
  }
})
afterAll(async () => {
  await Promise.all(pools.map((sql) => sql.end({ timeout: 1 })))
  await pooler.stop()
  await service.stop()
})

let turn = 0
/** An address that no other try has; each is a network of its own. */
const newNetwork = (): string => {
  turn += 1
  return `2001:db8:${(turn >> 16).toString(16)}:${(turn % 65_536).toString(16)}::1`
}

async function signIn(email: string, network: string): Promise<number> {
  turn += 1
  const visitor = createVisitor(nodes[turn % nodes.length]!, service.deps.config, network)
  return (await visitor.post('/sign-in/email', { email, password: 'wrong horse battery' })).status
}

/** How often each status was answered to a crowd. */
async function statusesOf(ask: () => Promise<number>): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  let left = crowd
  const askAgain = async () => {
    while (left > 0) {
      left -= 1
      const status = await ask()
      counts[status] = (counts[status] ?? 0) + 1
    }
  }
  await Promise.all(Array.from({ length: atOnce }, askAgain))
  return counts
}

const kinds = {
  'tries at one account, from a network each': {
    limit: 10,
    crowdOf: () => {
      const email = `${randomUUID()}@example.com`
      return () => signIn(email, newNetwork())
    },
  },
  'tries from one network, at an account each': {
    limit: 3,
    crowdOf: () => {
      const network = newNetwork()
      return () => signIn(`${randomUUID()}@example.com`, network)
    },
  },
}

it.each(Object.entries(kinds))(
  `four services behind PgBouncer let through as many %s as one does: ${contests * lanes} times ${crowd}`,
  async (_kind, { limit, crowdOf }) => {
    const others: unknown[] = []
    const compete = async () => {
      for (let contest = 0; contest < contests; contest += 1) {
        const counts = await statusesOf(crowdOf())
        if (counts[401] !== limit || counts[429] !== crowd - limit) others.push(counts)
      }
    }
    await Promise.all(Array.from({ length: lanes }, compete))
    expect(others).toEqual([])
  },
)
