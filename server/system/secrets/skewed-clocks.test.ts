import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { approve, pollAs, startWaiting } from '../../testing/device.ts'
import { linkTo, open, userOf } from '../../testing/mailed.ts'
import { serviceOn, type TestService, testPassword } from '../../testing/service.ts'
import { tokenOf, verifyAt } from '../../testing/tokens.ts'
import { useTestService } from '../../testing/use-service.ts'

const minute = 60_000
const settings = { COOKIE_CACHE: 'on' }

const service = useTestService(settings)

describe.each([
  ['ahead', 10 * minute],
  ['behind', -10 * minute],
])('beside an instance whose clock is ten minutes %s', (_, skew) => {
  let skewed: TestService
  beforeAll(async () => {
    skewed = await serviceOn(service.database, settings, { now: () => new Date(Date.now() + skew) })
  })
  afterAll(() => skewed.stop())

  /** Each instance as the first, and the other one. */
  const pairs = () =>
    [
      [service, skewed],
      [skewed, service],
    ] as const

  it('a session lives as long wherever it began', async () => {
    const ends = []
    for (const [first, other] of pairs()) {
      const { body } = await other.copyOf(await first.person()).get('/get-session')
      ends.push(Date.parse(body.session.expiresAt))
    }
    expect(Math.abs((ends[0] ?? 0) - (ends[1] ?? 0))).toBeLessThan(5 * minute)
  })

  it('no copy of a session in a cookie is taken by the other one', async () => {
    for (const [first, other] of pairs()) {
      const person = await first.person()
      await person.get('/get-session')
      expect(person.cookies.has('postern.session_data')).toBe(true)
      const [here, there] = [first.copyOf(person), other.copyOf(person)]
      await service.deps.sql`delete from sessions`
      expect((await here.get('/get-session')).body?.user.email).toBe(person.email)
      expect((await there.get('/get-session')).body).toBeNull()
    }
  })

  it('a mailed link of one opens at the other', async () => {
    for (const [first, other] of pairs()) {
      const person = await first.person()
      await first.visitor().post('/send-verification-email', { email: person.email })
      const { url } = await linkTo(first, person.email, 'verify-email')
      expect((await open(other, other.copyOf(person), url)).status).toBeLessThan(400)
      expect(await userOf(service, person.email)).toMatchObject({ emailVerified: true })
      await first.visitor().post('/forget-password', { email: person.email })
      const { token } = await linkTo(first, person.email, 'reset-password')
      const { status } = await other.visitor().post('/reset-password', { token, newPassword: `new ${testPassword}` })
      expect(status).toBe(200)
    }
  })

  it('a machine that asks one signs in at the other', async () => {
    for (const [first, other] of pairs()) {
      const waiting = await startWaiting(first)
      expect((await approve(await other.person(), waiting)).status).toBe(200)
      expect((await pollAs(other.visitor(), waiting.deviceCode)).body.access_token).toEqual(expect.any(String))
    }
  })

  it('a token of one is verified by the keys that the other publishes, where its own clock says so', async () => {
    for (const [first, other] of pairs()) {
      const person = await first.person()
      const { payload } = await verifyAt(other, await tokenOf(person), { currentDate: first.deps.now() })
      expect(payload.email).toBe(person.email)
    }
  })
})
