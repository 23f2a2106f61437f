import { beforeEach, describe, expect, it } from 'vitest'
import type { Environment } from '../../config.ts'
import { onlyNamedAdmin } from '../../testing/admin-ways.ts'
import { adminOf } from '../../testing/admins.ts'
import { linkTo, open, userOf } from '../../testing/mailed.ts'
import { testPassword } from '../../testing/service.ts'
import { useTestService } from '../../testing/use-service.ts'

const service = useTestService()
beforeEach(() => service.deps.sql`delete from users`)

/** The only administrator, by an address, and how they change it. The settings name `also`, too. */
async function namedAdmin(settings: Environment = {}) {
  const { email, id } = await onlyNamedAdmin(service)
  const [also, other] = [`also-${id}@example.com`, `other-${id}@example.com`]
  const named = await service.sibling({ ADMIN_EMAILS: `${email},${also}`, ...settings })
  const visitor = named.visitor()
  await visitor.post('/sign-in/email', { email, password: testPassword })
  const ask = (newEmail: string) => visitor.post('/change-email', { newEmail, callbackURL: '/done' })
  const follow = async (to: string, kind: 'change-email' | 'verify-email') =>
    (await open(named, visitor, (await linkTo(named, to, kind)).url)).headers.get('location')
  return { email, id, also, other, ask, follow }
}

const refused = '/done?error=the_last_admin_cannot_be_removed'

describe('the only administrator, named by an address', () => {
  it('keeps it where another one is unproven at first', async () => {
    const { email, id, also, other, ask, follow } = await namedAdmin()
    for (const to of [other, also]) {
      await ask(to)
      expect(await follow(email, 'change-email')).toBe(refused)
    }
    expect(await userOf(service, email)).toMatchObject({ id, emailVerified: true })
    await adminOf(service)
    expect(await follow(email, 'change-email')).toBe('/done')
    expect(await userOf(service, also)).toMatchObject({ id, emailVerified: false })
  })

  it('exchanges it for another one that is named and proven', async () => {
    const { email, id, also, other, ask, follow } = await namedAdmin({ REQUIRE_EMAIL_VERIFICATION: 'on' })
    for (const [to, answer] of [
      [other, refused],
      [also, '/done'],
    ] as const) {
      await ask(to)
      await follow(email, 'change-email')
      expect(await follow(to, 'verify-email')).toBe(answer)
    }
    expect(await userOf(service, also)).toMatchObject({ id, emailVerified: true })
  })
})
