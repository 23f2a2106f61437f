import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Sql } from '../db/connect.ts'
import { clearUse } from '../db/limits.ts'
import { enough, rounds } from '../testing/races.ts'
import { createTestService, type TestService } from '../testing/service.ts'
import type { Visitor } from '../testing/visitor.ts'
import { mailboxProof } from './limits.ts'

let service: TestService
beforeAll(async () => {
  service = await createTestService({ RATE_LIMIT: 'on' })
})
afterAll(() => service.stop())

/** So long a password counts as a try and costs no hash. */
const attempt = (visitor: Visitor, email: string, password = 'x'.repeat(1025)) =>
  visitor.post('/sign-in/email', { email, password })
const someone = () => `ann-${randomUUID()}@example.com`

it('a proven password waits for the counters of its account in the order in which they are counted', async () => {
  const { sql } = service.deps
  // Whichever of the two keys comes first in the table's index, and with a plan that goes by it.
  for (const email of Array.from({ length: 8 }, someone)) {
    await attempt(service.visitor(), email)
    const keys = mailboxProof(service.deps, email).cleared
    let cleared: Promise<unknown> | undefined
    await sql.begin(async (tx) => {
      await tx`update rate_limits set count = count where key = ${keys[0]!}`
      cleared = sql.begin(async (own) => {
        await own`set local enable_seqscan = off`
        await own`set local enable_bitmapscan = off`
        await clearUse(own as unknown as Sql, keys)
      })
      const waiting = async () =>
        (await sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`).length
      await expect.poll(waiting).toBe(1)
      await tx`update rate_limits set count = count where key = ${keys[1]!}`
    })
    await cleared
    expect(await sql`select from rate_limits where key in ${sql(keys)}`).toHaveLength(0)
  }
})

describe('in a race', () => {
  it('200 guesses from 200 addresses, at two services, reach the hasher exactly ten times', async () => {
    const services = [service, await service.sibling()]
    const { email } = await service.person()
    const before = services.map(({ deps }) => deps.passwords.computed)
    const visitors = Array.from({ length: 200 }, (_, index) => services[index % 2]!.visitor())
    const replies = await Promise.all(visitors.map((visitor) => attempt(visitor, email, 'wrong')))
    const hashes = services.map(({ deps }, index) => deps.passwords.computed - before[index]!)
    expect(hashes[0]! + hashes[1]!).toBe(10)
    expect(replies.filter(({ status }) => status === 401)).toHaveLength(10)
    // On a slow machine some find no connection in time: also refused, before any hash.
    expect(replies.filter(({ status }) => status === 429 || status === 503)).toHaveLength(190)
  })

  it(
    `exactly ten of 24 get through to an account, and three of 8 from an address, ${rounds} times`,
    enough,
    async () => {
      const services = [service, await service.sibling()]
      for (let round = 0; round < rounds; round += 1) {
        const account = someone()
        const visitors = Array.from({ length: 24 }, (_, index) => services[index % 2]!.visitor())
        const guesses = await Promise.all(visitors.map((visitor) => attempt(visitor, account)))
        expect(guesses.filter(({ status }) => status === 401)).toHaveLength(10)
        const one = services.map((each) => each.visitor(`2001:db8:0:${round}::1`))
        const tries = await Promise.all(Array.from({ length: 8 }, (_, index) => attempt(one[index % 2]!, someone())))
        expect(tries.filter(({ status }) => status === 401)).toHaveLength(3)
      }
    },
  )
})
