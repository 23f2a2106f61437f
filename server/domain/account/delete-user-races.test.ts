import { beforeAll, expect, it } from 'vitest'
import { userOf, verifiedPerson } from '../../testing/mailed.ts'
import { found, type Insider, type Person } from '../../testing/organizations.ts'
import { race, steady } from '../../testing/races.ts'
import { enough, rounds } from '../../testing/rounds.ts'
import { keepRows } from '../../testing/rows.ts'
import { useMade, useTestService } from '../../testing/use-service.ts'
import type { Reply } from '../../testing/visitor.ts'

const service = useTestService()
/** Its only owner, and somebody who is invited to be one. */
let ann: Insider
let bob: Person
let bobsId: string
let invitationId: string
let restore: () => Promise<void>
const acme = useMade(() => found(service))
beforeAll(async () => {
  ann = steady(acme.owner, service)
  bob = steady(await verifiedPerson(service), await service.sibling())
  bobsId = (await userOf(service, bob.email)).id
  invitationId = await acme.invite(bob.email, 'owner')
  restore = await keepRows(service)
})

const accept = () => bob.post('/organization/accept-invitation', { invitationId })
const leave = () => ann.post('/organization/leave', { organizationId: acme.id })
const remove = () => bob.post('/delete-user')

/** Organizations that nobody can manage any more. */
const orphans = async () => {
  const rows = await service.deps.sql<{ id: string }[]>`
    select id from organizations o where not exists (
      select from members m where m.organization_id = o.id and 'owner' = any(m.roles)
    )
  `
  return rows.map(({ id }) => id)
}

/** Resolves when so many statements wait for a lock, not counting those that want the row of a user. */
async function untilWaiting(count: number, except = /^\s*select from users/): Promise<void> {
  const waiting = async () => {
    const rows = await service.deps.sql<{ query: string }[]>`
      select query from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
    `
    return rows.filter(({ query }) => !except.test(query)).length
  }
  await expect.poll(waiting).toBe(count)
}

it('an organization that is joined between the two locks of a deletion is locked as well', async () => {
  const { sql } = service.deps
  let leaving: Promise<Reply> | undefined
  let deleting: Promise<Reply> | undefined
  await sql.begin(async (sessions) => {
    await sql.begin(async (users) => {
      await users`select from users where id = ${bobsId} for key share`
      deleting = remove()
      await untilWaiting(1, /^$/)
      expect((await accept()).status).toBe(200)
      // Whoever leaves has decided, with the new owner locked, and waits with the last write.
      await sessions`select from sessions where user_id = ${ann.userId} for update`
      leaving = leave()
      await untilWaiting(1)
    })
    await untilWaiting(2)
  })
  const replies = await Promise.all([leaving, deleting])
  expect(replies.map((reply) => reply?.status)).toEqual([200, 200])
  expect(await orphans()).toEqual([])
})

it(`who joins as an owner and is deleted leaves no organization without one, ${rounds} times`, enough, async () => {
  for (let round = 0; round < rounds; round += 1) {
    await restore()
    let left: Promise<Reply> | undefined
    // The deletion is held up for a moment, as on a busy server: what comes then has the time that it needs.
    const slowly = service.deps.sql.begin(async (tx) => {
      await tx`select from users where id = ${bobsId} for key share`
      await tx`select pg_sleep(${(round % 5) / 100})`
      left = leave()
    })
    await race(accept, remove)
    await slowly
    expect([(await left)?.status ?? 0, await orphans()]).toEqual([expect.toBeOneOf([200, 400]), []])
  }
})
