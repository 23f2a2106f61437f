import { expect, it } from 'vitest'
import { untilWaiting } from '../../testing/locks.ts'
import { done, found } from '../../testing/organizations.ts'
import { enough } from '../../testing/rounds.ts'
import { testPassword } from '../../testing/service.ts'
import { useTestService } from '../../testing/use-service.ts'
import { cookieHeader, type Reply } from '../../testing/visitor.ts'
import { listenTo, rawRequest } from '../../testing/wire.ts'

const service = useTestService({ DATABASE_POOL: '4' })

const path = '/organization/list-invitations'
/** An organization with one invitation: the list of those needs a table that no session is looked up in. */
async function foundWithInvitation() {
  const acme = await found(service)
  const asked = acme.owner.post('/organization/invite-member', { email: 'new@example.com', role: 'member' })
  return { ...acme, invitationId: String((await done(asked)).id) }
}

const idsOf = ({ body }: Reply) => body.map(({ id }: { id: string }) => id)

it('one user with forty large requests in flight holds one of four connections, and nobody else waits', async () => {
  const [acme, other] = [await foundWithInvitation(), await foundWithInvitation()]
  const watcher = await service.sibling()
  const waiting = async () => {
    const rows = await watcher.deps.sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
    `
    return rows.length
  }
  const replies: Reply[] = []
  let asked: Promise<unknown> = Promise.resolve()
  await watcher.deps.sql.begin(async (tx) => {
    // What the large answers are made of cannot be read for a while, as if it took long.
    await tx`lock table invitations in access exclusive mode`
    asked = Promise.all(
      // Twenty ask for something else each, and twenty more for the same.
      Array.from({ length: 40 }, async (_, n) => {
        replies.push(await acme.owner.get(`${path}?limit=${1 + (n % 20)}`))
      }),
    )
    await expect.poll(waiting).toBeGreaterThan(0)
    const seen: number[] = []
    for (let look = 0; look < 10; look += 1) seen.push(await waiting())
    const { status, body } = await other.owner.get('/get-session')
    expect([status, body?.user.id]).toEqual([200, other.owner.userId])
    // Large ones of others have their turn too: this one needs nothing that is locked.
    expect((await other.owner.get('/organization/list-teams')).status).toBe(200)
    expect(Math.max(...seen, await waiting())).toBe(1)
    // One runs and 32 wait; the others are told to come back.
    await expect.poll(() => replies.length).toBeGreaterThanOrEqual(7)
  })
  await asked
  const shed = replies.filter(({ status }) => status === 503)
  const served = replies.filter(({ status }) => status === 200)
  expect([served.length + shed.length, shed.length >= 7]).toEqual([40, true])
  for (const { headers, setCookies } of shed) expect([headers.get('retry-after'), setCookies]).toEqual(['1', []])
  for (const reply of served) expect(idsOf(reply)).toEqual([acme.invitationId])
  expect(idsOf(await other.owner.get(path))).toEqual([other.invitationId])
  expect(idsOf(await acme.owner.get(path))).toEqual([acme.invitationId])
})

/** More sign-ins of one person would be refused. */
const leavings = 3

it(
  `${40 * leavings} clients that leave while their requests wait keep no socket, no turn and no connection`,
  enough,
  async () => {
    const acme = await foundWithInvitation()
    const { deps, logged } = service
    const { queue } = deps.passwords
    const watcher = await service.sibling()
    const wire = await listenTo(service)
    const list = rawRequest(`GET /api/auth${path}`, { Cookie: cookieHeader(acme.owner.cookies) })
    const password = JSON.stringify({ email: acme.owner.email, password: testPassword })
    const signIn = rawRequest('POST /api/auth/sign-in/email', { 'Content-Type': 'application/json' }, password)
    const countOpen = () => new Promise((resolve) => wire.server.getConnections((_error, count) => resolve(count)))
    for (let round = 0; round < leavings; round += 1) {
      let open = () => {}
      const gate = new Promise<void>((resolve) => (open = resolve))
      // As many as run at once.
      const taken = [1, 2].map(() => queue.run(() => gate))
      await watcher.deps.sql.begin(async (tx) => {
        await tx`lock table invitations in access exclusive mode`
        const leave = async (request: string) => {
          const socket = await wire.connect()
          socket.write(request)
          return () => socket.resetAndDestroy()
        }
        const leaving = await Promise.all(Array.from({ length: 40 }, (_, n) => leave(n % 4 === 0 ? signIn : list)))
        await expect.poll(() => queue.waiting).toBe(10)
        await untilWaiting(watcher)
        for (const leaves of leaving) leaves()
        await expect.poll(countOpen).toBe(0)
      })
      open()
      await Promise.all(taken)
      await expect.poll(() => [queue.running, queue.waiting]).toEqual([0, 0])
    }
    await wire.stop()
    expect(idsOf(await acme.owner.get(path))).toEqual([acme.invitationId])
    // Each has a connection of its own, until the last one has.
    let meeting = 0
    const meet = async () => {
      meeting += 1
      await expect.poll(() => meeting).toBe(deps.config.DATABASE_POOL)
    }
    await Promise.all(Array.from({ length: deps.config.DATABASE_POOL }, () => deps.sql.begin(meet)))
    expect(logged.filter(({ level }) => Number(level) >= 50)).toEqual([])
  },
)
