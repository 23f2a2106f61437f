import { expect, it } from 'vitest'
import { done, found, newSlug } from '../../testing/organizations.ts'
import { testPassword } from '../../testing/service.ts'
import { useMade, useTestService } from '../../testing/use-service.ts'
import type { Reply, Visitor } from '../../testing/visitor.ts'

const service = useTestService({ DATABASE_POOL: '4' })
const watcher = useMade(() => service.sibling())

const full = '/organization/get-full-organization'
const invitations = '/organization/list-invitations'

/** The first large answer waits for a lock, and the caller's others for their turn after it, until `work` is done. */
const whileWaiting = (work: () => Promise<void>) =>
  watcher.deps.sql.begin(async (tx) => {
    await tx`lock table invitations in access exclusive mode`
    await work()
  })

const isBlocked = async () => {
  const { sql } = watcher.deps
  const waiting = sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  return (await waiting).length > 0
}

/** By then those that were asked for before have been looked up, and wait. */
const settle = async (owner: Visitor) => {
  for (let n = 0; n < 5; n += 1) await done(owner.get('/get-session'))
}

it('an answer is about the organization that was active when it was asked for', async () => {
  const { owner } = await found(service)
  const asked: Promise<Reply>[] = []
  const slug = newSlug()
  await whileWaiting(async () => {
    asked.push(owner.get(full))
    await expect.poll(isBlocked).toBe(true)
    asked.push(owner.get(full))
    await settle(owner)
    // Makes the new one the active one.
    await done(owner.post('/organization/create', { name: 'Other', slug }))
    asked.push(owner.get(full))
    await settle(owner)
  })
  expect((await Promise.all(asked)).at(-1)?.body.slug).toBe(slug)
})

/** The statements that read invitations while the large answers of `ask` wait, and the answers. */
async function readsOf(owner: Visitor, ask: (asked: Promise<Reply>[]) => Promise<void>, at = service) {
  const { list } = at.statements
  const from = list.length
  const asked: Promise<Reply>[] = []
  await whileWaiting(async () => {
    await ask(asked)
    await expect.poll(isBlocked).toBe(true)
    await settle(owner)
  })
  const answers = await Promise.all(asked)
  return { answers, reads: list.slice(from).filter((statement) => statement.includes('from invitations')).length }
}

it('those of one session that ask the same and wait cost one read, and each gets the whole answer', async () => {
  const { owner, id, slug, invite } = await found(service)
  const ids = [await invite('one@example.com'), await invite('two@example.com')]
  const tablet = service.visitor()
  await done(tablet.post('/sign-in/email', { email: owner.email, password: testPassword }))
  await done(tablet.post('/organization/set-active', { organizationId: id }))
  const { answers, reads } = await readsOf(owner, async (asked) => {
    for (let n = 0; n < 8; n += 1)
      asked.push(
        owner.get(invitations),
        tablet.get(invitations),
        owner.get(`${invitations}?limit=1`),
        owner.get('/organization/list'),
      )
  })
  const whole = [2, null]
  const kinds = [whole, whole, [1, '<?limit=1&offset=1>; rel="next"'], [1, null]]
  expect(answers.map(({ body, headers }) => [body.length, headers.get('link')])).toEqual(
    answers.map((_, n) => kinds[n % 4]),
  )
  const known = answers.map(({ body }, n) =>
    body.every((row: Row) => (n % 4 === 3 ? row.slug === slug : ids.includes(row.id))),
  )
  expect(known).toEqual(answers.map(() => true))
  expect(new Set(answers.map(({ headers }) => headers.get('x-request-id'))).size).toBe(answers.length)
  // One of each kind, and a few more on a machine so busy that some came late. Alone they would be 24.
  expect([reads >= 3, reads <= 8]).toEqual([true, true])
})

interface Row {
  readonly id: string
  readonly slug?: string
}

it('an answer is as recent as its caller may expect where a replica gives it', async () => {
  // Nobody is there: then the primary answers, and what callers may expect is the same.
  const away = 'postgres://127.0.0.1:9/away'
  const replicated = await service.sibling({ DATABASE_URL: away, DATABASE_REPLICA_URL: away })
  const acme = await found(replicated)
  const { reads } = await readsOf(
    acme.owner,
    async (asked) => {
      asked.push(acme.owner.get(invitations))
      await expect.poll(isBlocked).toBe(true)
      asked.push(acme.owner.get(invitations))
      await settle(acme.owner)
      await done(acme.owner.post('/organization/update', { data: { name: 'New' } }))
      asked.push(acme.owner.get(invitations))
    },
    replicated,
  )
  expect(reads).toBe(3)
})

it('an answer has what was done before it was asked for, though another that is the same is being read', async () => {
  const { owner } = await found(service)
  const { sql } = watcher.deps
  await sql`alter table invitations rename to kept_invitations`
  await sql`create view invitations as select * from kept_invitations where (select pg_advisory_xact_lock_shared(1)) is not null`
  const asked = await sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(1)`
    const old = owner.get(full)
    await expect.poll(isBlocked).toBe(true)
    await done(owner.post('/organization/update', { data: { name: 'New' } }))
    const changed = owner.get(full)
    await settle(owner)
    return { old, changed }
  })
  expect((await done(asked.changed)).name).toBe('New')
  expect((await done(asked.old)).name).toBe('Acme')
})
