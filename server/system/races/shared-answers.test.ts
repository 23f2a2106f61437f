import { afterAll, beforeAll, expect, it } from 'vitest'
import { done, found, newSlug } from '../../testing/organizations.ts'
import { createTestService, type TestService, testPassword } from '../../testing/service.ts'
import type { Reply } from '../../testing/visitor.ts'

let service: TestService
let watcher: TestService
beforeAll(async () => {
  service = await createTestService({ DATABASE_POOL: '4' })
  watcher = await service.sibling()
})
afterAll(() => service.stop())

const full = '/organization/get-full-organization'
const invitations = '/organization/list-invitations'

/** The first large answer waits for a lock, and the caller's others for their turn after it, until `work` is done. */
const whileWaiting = (work: () => Promise<void>) =>
  watcher.deps.sql.begin(async (tx) => {
    await tx`lock table invitations in access exclusive mode`
    await work()
  })

const isWaiting = async (type: string) => {
  const { sql } = watcher.deps
  const waiting = sql`select from pg_stat_activity where datname = current_database() and wait_event_type = ${type}`
  return (await waiting).length > 0
}
const isBlocked = () => isWaiting('Lock')

it('an answer is about the organization that was active when it was asked for', async () => {
  const { owner, id } = await found(service)
  const asked: Promise<Reply>[] = []
  const slug = newSlug()
  await whileWaiting(async () => {
    asked.push(owner.get(full))
    await expect.poll(isBlocked).toBe(true)
    asked.push(owner.get(full))
    // Makes the new one the active one.
    const other = await done(owner.post('/organization/create', { name: 'Other', slug }))
    expect(other.slug).toBe(slug)
    asked.push(owner.get(full))
    for (let n = 0; n < 5; n += 1) await done(owner.get('/get-session'))
  })
  const answers = await Promise.all(asked)
  expect(answers.map(({ body }) => (body.id === id ? 'first' : body.slug))).toEqual(['first', 'first', slug])
})

it('those of one session that ask the same and wait cost one read, and each gets the whole answer', async () => {
  const { owner, id, invite } = await found(service)
  const ids = [await invite('one@example.com'), await invite('two@example.com')]
  const tablet = service.visitor()
  await done(tablet.post('/sign-in/email', { email: owner.email, password: testPassword }))
  await done(tablet.post('/organization/set-active', { organizationId: id }))
  const { list } = service.statements
  const from = list.length
  const asked: Promise<Reply>[] = []
  await whileWaiting(async () => {
    for (let n = 0; n < 10; n += 1)
      asked.push(owner.get(invitations), tablet.get(invitations), owner.get(`${invitations}?limit=1`))
    await expect.poll(isBlocked).toBe(true)
    for (let n = 0; n < 5; n += 1) await done(owner.get('/get-session'))
  })
  const answers = await Promise.all(asked)
  const next = '<?limit=1&offset=1>; rel="next"'
  expect(answers.map(({ body, headers }) => [body.length, headers.get('link')])).toEqual(
    answers.map((_, n) => (n % 3 === 2 ? [1, next] : [2, null])),
  )
  for (const { body } of answers) for (const row of body) expect(ids).toContain(row.id)
  expect(new Set(answers.map(({ headers }) => headers.get('x-request-id'))).size).toBe(answers.length)
  const reads = list.slice(from).filter((statement) => statement.includes('from invitations'))
  // One of each kind, and a few more on a machine so busy that some came late. Alone they would be thirty.
  expect([reads.length >= 3, reads.length <= 10]).toEqual([true, true])
})

it('an answer has what was done before it was asked for, though another that is the same is being read', async () => {
  const { owner } = await found(service)
  const { sql } = watcher.deps
  await sql`alter table invitations rename to kept_invitations`
  await sql`create view invitations as select * from kept_invitations where (select pg_sleep(0.5)) is not null`
  const old = owner.get(full)
  await expect.poll(() => isWaiting('Timeout')).toBe(true)
  await done(owner.post('/organization/update', { data: { name: 'New' } }))
  expect((await done(owner.get(full))).name).toBe('New')
  expect((await done(old)).name).toBe('Acme')
})
