import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { Sql } from '../db/connect.ts'
import { clearCounters, refundUses, settleCounters } from '../db/limits.ts'
import { mailsTo } from '../testing/mailed.ts'
import { enough, rounds } from '../testing/rounds.ts'
import { createTestService, limited, testPassword } from '../testing/service.ts'
import { slack } from '../testing/slack.ts'
import { useTestService } from '../testing/use-service.ts'
import type { Visitor } from '../testing/visitor.ts'
import { countersOfProvenMailbox } from './limits.ts'

const service = useTestService({ RATE_LIMIT: 'on' })

/** So long a password counts as a try and costs no hash. */
const attempt = (visitor: Visitor, email: string, password = 'x'.repeat(1025)) =>
  visitor.post('/sign-in/email', { email, password })
const someone = () => `ann-${randomUUID()}@example.com`

const settlements = [
  ['a proven password', clearCounters],
  ['a refund', (sql: Sql, cleared: readonly Buffer[]) => refundUses(sql, { cleared, returned: null })],
] as const

it.each(settlements)(
  '%s waits for the counters of an account in the order in which they are counted',
  async (_, settle) => {
    const { sql } = service.deps
    // Whichever of the two keys comes first in the table's index, and with a plan that goes by it.
    for (const email of Array.from({ length: 8 }, someone)) {
      await attempt(service.visitor(), email)
      const keys = countersOfProvenMailbox(service.deps, email).cleared
      let cleared: Promise<unknown> | undefined
      await sql.begin(async (tx) => {
        await tx`update rate_limits set count = count where key = ${keys[0]!}`
        cleared = sql.begin(async (own) => {
          await own`set local enable_seqscan = off`
          await own`set local enable_bitmapscan = off`
          await settle(own as unknown as Sql, keys)
        })
        const waiting = async () =>
          (await sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
            .length
        await expect.poll(waiting).toBe(1)
        await tx`update rate_limits set count = count where key = ${keys[1]!}`
      })
      await cleared
      expect(await sql`select from rate_limits where key = any(${keys}::bytea[]) and count > 0`).toHaveLength(0)
    }
  },
)

it('a refund of what was cleared meanwhile, or begun anew, leaves no counter below zero', async () => {
  const { sql } = service.deps
  const email = someone()
  await attempt(service.visitor(), email)
  const { cleared } = countersOfProvenMailbox(service.deps, email)
  const [returned = Buffer.alloc(0)] = cleared
  for (let times = 0; times < 2; times += 1) {
    await refundUses(sql, { cleared, returned: null })
    await sql`with ${settleCounters(sql, { cleared: [], returned }, sql`select`)} done as (select) select from done`
  }
  const left = await sql`select count from rate_limits where key = any(${cleared as Buffer[]}::bytea[])`
  expect(left).toEqual([{ count: 0 }, { count: 0 }])
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

  describe('of many people behind one address', () => {
    const limits = { calls: { max: 10_000 }, passwordCalls: { max: 10_000 }, networkFailures: { max: 20 } }
    const patient = { running: 2, waiting: 200, timeout: 60_000 * slack }
    const office = useTestService({ RATE_LIMIT: 'on' }, { limits, queue: patient })
    const failuresAt = async (address: string) => {
      const key = office.deps.keys.limit.sign(`failures:${address}`)
      const [row] = await office.deps.sql<{ count: number }[]>`select count from rate_limits where key = ${key}`
      return row?.count
    }

    it('exactly as many guesses as the network has reach the hasher, each at another account', async () => {
      const { computed } = office.deps.passwords
      const visitors = Array.from({ length: 60 }, () => office.visitor('198.51.100.70'))
      const replies = await Promise.all(visitors.map((visitor) => attempt(visitor, someone(), 'wrong')))
      expect(replies.filter(({ status }) => status === 401)).toHaveLength(20)
      expect(office.deps.passwords.computed - computed).toBe(20)
      expect(replies.filter(({ status }) => status === 429 || status === 503)).toHaveLength(40)
    })

    it('successes and failures of the same accounts wait for each other in one order, and only failures stay', async () => {
      const people = [await office.person(), await office.person()]
      for (let round = 0; round < Math.ceil(rounds / 20); round += 1) {
        const address = `198.51.100.${80 + round}`
        const tries = [testPassword, 'wrong', testPassword, 'wrong', testPassword, testPassword].flatMap((password) =>
          people.map(({ email }) => attempt(office.visitor(address), email, password)),
        )
        const statuses = (await Promise.all(tries)).map(({ status }) => status)
        expect([...new Set(statuses)].toSorted((one, other) => one - other)).toEqual([200, 401])
        expect(await failuresAt(address)).toBe(statuses.filter((status) => status === 401).length)
        await office.deps.sql`delete from rate_limits where expires_at > now() + interval '1 day'`
      }
    })
  })

  it('a known device has exactly ten tries, and a mailbox exactly three mails', async () => {
    const held = await createTestService(limited)
    const { email, cookies } = await held.person()
    const device = () => {
      const visitor = held.visitor()
      visitor.cookies.set('postern.known_device', cookies.get('postern.known_device') ?? '')
      return visitor
    }
    const guesses = await Promise.all(Array.from({ length: 24 }, () => attempt(device(), email)))
    expect(guesses.filter(({ status }) => status === 401)).toHaveLength(10)
    await Promise.all(Array.from({ length: 24 }, () => held.visitor().post('/forget-password', { email })))
    expect(await mailsTo(held, email)).toHaveLength(3)
    await held.stop()
  })
})
