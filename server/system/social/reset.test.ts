import { describe, expect, it } from 'vitest'
import { approve, startWaiting } from '../../testing/device.ts'
import { untilWaiting } from '../../testing/locks.ts'
import { isSignedIn, linkTo } from '../../testing/mailed.ts'
import { startOpenIdProvider } from '../../testing/openid-provider.ts'
import { proveAddress } from '../../testing/prove-address.ts'
import { callbackOf, locationOf, personAt, signInAt } from '../../testing/social.ts'
import { useStarted, useTestService } from '../../testing/use-service.ts'
import type { Visitor } from '../../testing/visitor.ts'

const provider = useStarted(startOpenIdProvider)
const service = useTestService(() => provider.settings('GOOGLE'))

async function reset(email: string): Promise<void> {
  await service.visitor().post('/forget-password', { email })
  const { token } = await linkTo(service, email, 'reset-password')
  const newPassword = 'another horse battery staple'
  expect((await service.visitor().post('/reset-password', { token, newPassword })).status).toBe(200)
}

describe('a reset of the password', () => {
  it('takes the account away from whoever made it at a provider with an address that is not theirs', async () => {
    const attacker = service.visitor()
    const eve = personAt({ email_verified: false })
    await signInAt(provider, attacker, eve)
    expect(await isSignedIn(attacker)).toBe(true)
    await reset(eve.email ?? '')
    expect(await isSignedIn(attacker)).toBe(false)
    expect(locationOf(await signInAt(provider, attacker, eve))).toContain('error=account_not_linked')
    expect(await isSignedIn(attacker)).toBe(false)
  })

  it('leaves the accounts of whoever has proven the address', async () => {
    const visitor = service.visitor()
    const ann = personAt()
    await signInAt(provider, visitor, ann)
    await reset(ann.email ?? '')
    expect(await isSignedIn(visitor)).toBe(false)
    expect(locationOf(await signInAt(provider, visitor, ann))).toBe('/home')
  })
})

/** What a session does while its user's password is being reset: it waits, and finds the session ended. */
async function whileReset<T>(email: string, act: () => Promise<T>): Promise<T> {
  const { sql } = service.deps
  let acting: Promise<T> | undefined
  await sql.begin(async (tx) => {
    await tx`select from users where email = ${email} for no key update`
    await tx`delete from sessions s using users u where u.id = s.user_id and u.email = ${email}`
    acting = act()
    await Promise.race([untilWaiting(service), acting])
    await proveAddress(tx as unknown as typeof sql, email)
  })
  return acting as Promise<T>
}

describe('while the password is being reset', () => {
  it('no account is linked', async () => {
    const eve: Visitor & { email: string } = await service.person()
    const begun = await eve.post('/link-social', { provider: 'google', callbackURL: '/linked' })
    const back = callbackOf(await provider.visit(begun.body.url, personAt({ email: eve.email })))
    const reply = await whileReset(eve.email, () => eve.get(back))
    expect(locationOf(reply)).toContain('error=unable_to_link_account')
  })

  it('no other machine is let in', async () => {
    const eve = await service.person()
    const waiting = await startWaiting(service)
    await whileReset(eve.email, () => eve.get(`/device?user_code=${waiting.userCode}`))
    expect((await approve(eve, waiting)).status).toBe(401)
    const [row] = await service.deps.sql`select user_id from device_requests r join users u on u.id = r.user_id
      where u.email = ${eve.email}`
    expect(row).toBeUndefined()
  })
})

it('an administrator who acts as somebody links no account to them', async () => {
  const ann = await service.person()
  const begun = await ann.post('/link-social', { provider: 'google', callbackURL: '/linked' })
  const back = callbackOf(await provider.visit(begun.body.url, personAt({ email: ann.email })))
  await service.deps
    .sql`update sessions s set impersonated_by = 'admin' from users u where u.id = s.user_id and u.email = ${ann.email}`
  expect(locationOf(await ann.get(back))).toContain('error=unable_to_link_account')
  expect((await ann.get('/list-accounts')).body).toHaveLength(1)
})
