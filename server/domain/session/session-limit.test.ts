import { describe, expect, it } from 'vitest'
import { transaction } from '../../db/transaction.ts'
import { adminOf } from '../../testing/admins.ts'
import { isSignedIn, userOf } from '../../testing/mailed.ts'
import { enough, rounds } from '../../testing/rounds.ts'
import { countSessions } from '../../testing/rows.ts'
import { testPassword } from '../../testing/service.ts'
import { slack } from '../../testing/slack.ts'
import { useTestService } from '../../testing/use-service.ts'
import type { Visitor } from '../../testing/visitor.ts'

// Five hashes each.
const tries = Math.ceil(rounds / 4)

const service = useTestService({ SESSION_LIMIT: '3' }, { queue: { running: 2, waiting: 100, timeout: 60_000 * slack } })

it(
  `parallel sign-ins of one user all succeed, and the next one brings them below the limit, ${tries} times`,
  enough,
  async () => {
    const services = [service, await service.sibling()]
    const { email } = await service.person()
    for (let round = 0; round < tries; round += 1) {
      const visitors = Array.from({ length: 4 }, (_, index) => services[index % 2]!.visitor())
      const replies = await Promise.all(
        visitors.map((visitor) => visitor.post('/sign-in/email', { email, password: testPassword })),
      )
      expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]))
      await service.visitor().post('/sign-in/email', { email, password: testPassword })
      expect(await countSessions(service, email)).toBe(3)
    }
  },
)

it('a sign-in waits for nobody who ends the same old session', async () => {
  const { email } = await service.person()
  const signIn = () => service.visitor().post('/sign-in/email', { email, password: testPassword })
  for (let more = 0; more < 2; more += 1) await signIn()
  await transaction(service.deps.sql, async (tx) => {
    await tx`
      delete from sessions
      where id in (
        select s.id from sessions s join users u on u.id = s.user_id where u.email = ${email} order by s.created_at limit 1
      )
    `
    expect((await signIn()).status).toBe(200)
  })
  expect(await countSessions(service, email)).toBe(3)
})

describe('a sign-in at the limit ends no other device', () => {
  const signIn = (visitor: Visitor, email: string) => visitor.post('/sign-in/email', { email, password: testPassword })
  /** Three devices, the last of which signed in last. */
  const withThree = async () => {
    const laptop = await service.person()
    const [tablet, phone] = [service.visitor(), service.visitor()]
    for (const device of [tablet, phone]) await signIn(device, laptop.email)
    return { email: laptop.email, phone, devices: [laptop, tablet, phone] }
  }
  const areSignedIn = (devices: readonly Visitor[]) => Promise.all(devices.map(isSignedIn))

  it('for a session that it replaces', async () => {
    const { email, phone, devices } = await withThree()
    await signIn(phone, email)
    expect(await areSignedIn(devices)).toEqual([true, true, true])
    expect(await countSessions(service, email)).toBe(3)
  })

  it('for an administrator who acts as the user', async () => {
    const laptop = await service.person()
    const { email } = laptop
    const [admin, tablet, phone] = [await adminOf(service), service.visitor(), service.visitor()]
    await signIn(tablet, email)
    await admin.post('/admin/impersonate-user', { userId: (await userOf(service, email)).id })
    await signIn(phone, email)
    expect(await areSignedIn([laptop, tablet, phone])).toEqual([true, true, true])
    expect((await admin.get('/get-session')).body.user.email).toBe(email)
  })

  it('for one whose session is over', async () => {
    const { email, phone, devices } = await withThree()
    const { id } = (await phone.get('/get-session')).body.session
    await service.deps.sql`update sessions set expires_at = now() where id = ${id}`
    const other = service.visitor()
    await signIn(other, email)
    expect(await areSignedIn([...devices, other])).toEqual([true, true, false, true])
  })
})
