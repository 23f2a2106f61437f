import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Failure } from '../../../shared/failure.ts'
import { createApp } from '../../app.ts'
import { hashQueueFull } from '../../crypto/hash-queue.ts'
import { lastAdmin } from '../../testing/admin-ways.ts'
import { userOf, withHooks } from '../../testing/mailed.ts'
import { found } from '../../testing/organizations.ts'
import { createTestService, type TestService, testPassword } from '../../testing/service.ts'
import { slack } from '../../testing/slack.ts'
import { createVisitor, type Visitor } from '../../testing/visitor.ts'
import { limitOf, limitsOfPasswordTries } from '../limits.ts'

const another = 'another horse battery staple'
const wrong = 'wrong horse battery staple'
const change = { currentPassword: testPassword, newPassword: another }
const own = { password: testPassword }
/** Every stranger of these tests is in one network. */
const address = '198.51.100.7'

let service: TestService
beforeAll(async () => {
  const limits = { calls: { max: 10_000 }, passwordCalls: { max: 10_000 } }
  // A statement gives up on a lock after two fifths of its time.
  service = await createTestService({ RATE_LIMIT: 'on' }, { limits, deadlines: { queue: 60_000, query: 2500 * slack } })
})
afterAll(() => service.stop())

/** The same session on a device that is not known: its attempts are counted on the account and on the network. */
function strangerWith(person: Visitor, on: { readonly app: TestService['app'] } = service): Visitor {
  const visitor = createVisitor(on.app, service.deps.config, address)
  for (const [name, value] of person.cookies) if (!name.endsWith('known_device')) visitor.cookies.set(name, value)
  return visitor
}

const signIn = (email: string, app: TestService['app']) =>
  createVisitor(app, service.deps.config, address).post('/sign-in/email', { email, password: testPassword })

/** What is counted of failures: of the network, and of the account. */
async function countsOf(email: string): Promise<number[]> {
  const limits = [
    limitOf(service.deps, 'networkFailures', `failures:${address}`),
    ...limitsOfPasswordTries(service.deps, email),
  ]
  const counted = limits.map(async ({ key }) => {
    const [row] = await service.deps.sql<{ count: number }[]>`select count from rate_limits where key = ${key}`
    return row?.count ?? 0
  })
  return Promise.all(counted)
}

/** How the counters change when a call is made after two wrong passwords. */
async function movedBy(person: Visitor & { email: string }, call: () => Promise<unknown>): Promise<number[]> {
  for (let count = 0; count < 2; count += 1)
    expect((await strangerWith(person).post('/change-password', { ...change, currentPassword: wrong })).status).toBe(
      400,
    )
  const before = await countsOf(person.email)
  expect(before.slice(1)).toEqual([2, 2])
  await call()
  const after = await countsOf(person.email)
  return after.map((count, index) => count - before[index]!)
}

/** What a call comes to while another connection holds the user's row for longer than a statement waits. */
async function whileLocked(email: string, send: () => Promise<{ status: number }>): Promise<number> {
  return service.deps.sql.begin(async (tx) => {
    await tx`select from users where email = ${email} for update`
    return (await send()).status
  }) as Promise<number>
}

const kept = [0, 0, 0]

describe('a right password is no failed attempt', () => {
  it('when a sign-in finds no turn to replace an old hash', async () => {
    const ann = await service.person()
    const { passwords } = service.deps
    const hash = () => Promise.reject(hashQueueFull('on purpose'))
    const app = createApp({ ...service.deps, passwords: { ...passwords, hash, isOutdated: () => true } })
    const moved = await movedBy(ann, async () => expect((await signIn(ann.email, app)).status).toBe(503))
    expect(moved).toEqual(kept)
  })

  it('when a change of the password finds no turn to hash the new one', async () => {
    const ann = await service.person()
    const { passwords } = service.deps
    const hash = () => Promise.reject(hashQueueFull('on purpose'))
    const app = createApp({ ...service.deps, passwords: { ...passwords, hash } })
    const moved = await movedBy(ann, async () =>
      expect((await strangerWith(ann, { app }).post('/change-password', change)).status).toBe(503),
    )
    expect(moved).toEqual(kept)
  })

  it.each([
    ['a change of the password', '/change-password', change],
    ['a deletion', '/delete-user', own],
  ])('when the transaction of %s waits too long', async (_what, path, body) => {
    const ann = await service.person()
    const moved = await movedBy(ann, async () =>
      expect(await whileLocked(ann.email, () => strangerWith(ann).post(path, body))).toBe(503),
    )
    expect(moved).toEqual(kept)
  })

  it('however often the owner tries: neither the change nor sign-in is closed to them', async () => {
    const ann = await service.person()
    const { passwords } = service.deps
    const hash = () => Promise.reject(hashQueueFull('on purpose'))
    const app = createApp({ ...service.deps, passwords: { ...passwords, hash } })
    for (let count = 0; count < 11; count += 1)
      expect((await strangerWith(ann, { app }).post('/change-password', change)).status).toBe(503)
    const signIn = { email: ann.email, password: testPassword }
    expect((await service.visitor().post('/sign-in/email', signIn)).status).toBe(200)
    expect((await strangerWith(ann).post('/change-password', change)).status).toBe(200)
  })

  it('when the only owner of an organization asks for the deletion, however often', async () => {
    const acme = await found(service, { name: 'Acme' })
    await acme.join('member')
    const { body } = await acme.owner.get('/get-session')
    const { email } = body.user as { email: string }
    const before = await countsOf(email)
    for (let count = 0; count < 11; count += 1)
      expect((await strangerWith(acme.owner).post('/delete-user', own)).status).toBe(400)
    expect(await countsOf(email)).toEqual([before[0], 0, 0])
    expect((await service.visitor().post('/sign-in/email', { email, ...own })).status).toBe(200)
  })

  it('when the last administrator asks for the deletion', async () => {
    const admin = await lastAdmin(service)
    const moved = await movedBy(admin, async () =>
      expect((await strangerWith(admin).post('/delete-user', own)).body.code).toBe('THE_LAST_ADMIN_CANNOT_BE_REMOVED'),
    )
    expect(moved).toEqual(kept)
  })

  it('when the token beside it is not valid', async () => {
    const ann = await service.person()
    const moved = await movedBy(ann, async () =>
      expect((await strangerWith(ann).post('/delete-user', { ...own, token: 'no-such-token' })).status).toBe(404),
    )
    expect(moved).toEqual(kept)
  })

  it('when the function of the config file refuses the deletion', async () => {
    const hooked = await withHooks(service, { beforeDeleteUser: () => Promise.reject(new Error('on purpose')) })
    const ann = await service.person()
    const moved = await movedBy(ann, async () =>
      expect((await strangerWith(ann, hooked).post('/delete-user', own)).status).toBe(500),
    )
    expect(moved).toEqual(kept)
  })

  it('when it deletes the user: the network has its attempt back, and nothing is kept of the account', async () => {
    const ann = await service.person()
    const moved = await movedBy(ann, async () =>
      expect((await strangerWith(ann).post('/delete-user', own)).status).toBe(200),
    )
    expect(moved).toEqual([0, -2, -2])
  })
})

it.each([
  ['/change-password', { ...change, currentPassword: wrong }, 400],
  ['/delete-user', { password: wrong }, 400],
  ['/delete-user', { password: wrong, token: 'no-such-token' }, 400],
])('a wrong password counts once by %s', async (path, body, status) => {
  const ann = await service.person()
  const moved = await movedBy(ann, async () => expect((await strangerWith(ann).post(path, body)).status).toBe(status))
  expect(moved).toEqual([1, 1, 1])
})

it('a sign-in settles the counters once, also when its answer is lost', async () => {
  const ann = await service.person()
  const add = () => {
    throw new Failure('SERVICE_UNAVAILABLE', { cause: 'on purpose' })
  }
  const app = createApp({ ...service.deps, revocations: { ...service.deps.revocations, add } })
  const moved = await movedBy(ann, async () => expect((await signIn(ann.email, app)).status).toBe(503))
  expect(moved).toEqual([0, -2, -2])
})

it('a right password that changes the password settles the counters once', async () => {
  const ann = await service.person()
  const { id } = await userOf(service, ann.email)
  const moved = await movedBy(ann, async () =>
    expect((await strangerWith(ann).post('/change-password', change)).body.user.id).toBe(id),
  )
  expect(moved).toEqual([0, -2, -2])
})
