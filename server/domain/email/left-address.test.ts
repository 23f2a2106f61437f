import { describe, expect, it } from 'vitest'
import { adminOf } from '../../testing/admins.ts'
import { linkTo, open, userOf, verifiedPerson } from '../../testing/mailed.ts'
import { useMade, useTestService } from '../../testing/use-service.ts'
import type { Visitor } from '../../testing/visitor.ts'

// The mailbox of an address that somebody has left may be another person's by the time they come back.

const service = useTestService()
const root = useMade(() => adminOf(service))

const fresh = () => `new-${crypto.randomUUID()}@example.com`
const isAdmin = async (visitor: Visitor) => (await visitor.get('/admin/list-users')).status === 200
const isProven = async (visitor: Visitor) => (await visitor.get('/get-session')).body.session.addressProven

/** Somebody who is an administrator by an address that they proved. */
async function named() {
  const email = fresh()
  const own = await service.sibling({ ADMIN_EMAILS: email })
  const ann = await verifiedPerson(own, { email })
  const { id } = await userOf(service, email)
  await service.deps.sql`update sessions set proven_email = ${email} where user_id = ${id}`
  expect(await isAdmin(ann)).toBe(true)
  return { own, ann, email, id, other: fresh() }
}

type Named = Awaited<ReturnType<typeof named>>
const ways: Record<string, (who: Named) => Promise<unknown>> = {
  'by an administrator': ({ id: userId, other: email }) => root.post('/admin/update-user', { userId, data: { email } }),
  'by an administrator who vouches for the other one': ({ id: userId, other: email }) =>
    root.post('/admin/update-user', { userId, data: { email, emailVerified: true } }),
  'by a link in the old mailbox': async ({ own, ann, email, other: newEmail }) => {
    await ann.post('/change-email', { newEmail })
    await open(own, ann, (await linkTo(own, email, 'change-email')).url)
  },
}

describe('whoever comes back to an address', () => {
  it.each(Object.keys(ways))('that they left %s has to prove it anew', async (way) => {
    const who = await named()
    const { ann, email, other } = who
    await ways[way]!(who)
    expect([(await userOf(service, other)).id, await isAdmin(ann)]).toEqual([who.id, false])
    await service.deps.sql`update users set email_verified = false where id = ${who.id}`
    expect((await ann.post('/change-email', { newEmail: email })).status).toBe(200)
    expect((await userOf(service, email)).id).toBe(who.id)
    expect([await isProven(ann), await isAdmin(ann)]).toEqual([false, false])
  })
})

it('an address that no longer counts as verified is proven by no session, not even by one without a way in', async () => {
  const { ann, id } = await named()
  await service.deps.sql`update sessions set account_id = null where user_id = ${id}`
  expect(await isAdmin(ann)).toBe(true)
  await root.post('/admin/update-user', { userId: id, data: { emailVerified: false } })
  expect([await isProven(ann), await isAdmin(ann)]).toEqual([false, false])
})
