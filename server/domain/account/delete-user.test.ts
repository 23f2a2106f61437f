import { describe, expect, it } from 'vitest'
import type { Extensions } from '../../settings/extensions.ts'
import { lastAdmin } from '../../testing/admin-ways.ts'
import { isSignedIn, linkTo, mailsTo, open, userOf, withHooks } from '../../testing/mailed.ts'
import { admit, done, found, newSlug } from '../../testing/organizations.ts'
import { ageSessions, dumpTables, trail } from '../../testing/rows.ts'
import { testPassword } from '../../testing/service.ts'
import { useMade, useTestService } from '../../testing/use-service.ts'

const day = 86_400
const deleted = { status: 200, body: { success: true, message: 'User deleted' } }
const mailed = { status: 200, body: { success: true, message: 'Verification email sent' } }
const invalid = { status: 404, body: { code: 'INVALID_TOKEN', message: 'invalid token' } }

const service = useTestService()
const byMail = useMade(() => service.sibling({ DELETE_USER_MODE: 'email' }))

const isThere = async (email: string) => (await service.deps.sql`select from users where email = ${email}`).length === 1
const cleared = (lines: readonly string[]) => lines.every((line) => line.includes('=; Max-Age=0')) && lines.length === 3

/** Somebody who asked for the mail that confirms it. */
async function asked(callbackURL?: string) {
  const person = await byMail.person()
  expect(await person.post('/delete-user', { callbackURL })).toMatchObject({ ...mailed, setCookies: [] })
  return { person, link: await linkTo(service, person.email, 'delete-account') }
}

describe('a deletion at once', () => {
  it('needs the password, in a session however old', async () => {
    const ann = await service.person()
    await ageSessions(service, ann.email, 2 * day)
    const reply = await ann.post('/delete-user', { password: testPassword })
    expect(reply).toMatchObject(deleted)
    expect([cleared(reply.setCookies), ann.cookies.size, await isThere(ann.email)]).toEqual([true, 0, false])
  })

  it('hands out no token of the session that it ended, though that was to be renewed', async () => {
    const renewing = await service.sibling({ SESSION_UPDATE_AGE: '0' })
    const ann = await renewing.person()
    expect((await ann.get('/get-session')).headers.get('set-auth-token')).not.toBeNull()
    const reply = await ann.post('/delete-user', { password: testPassword })
    expect(reply).toMatchObject(deleted)
    expect(reply.headers.get('set-auth-token')).toBeNull()
  })

  it('or a fresh session; activity makes none fresh', async () => {
    const [ann, bob] = [await service.person(), await service.person()]
    expect(await ann.post('/delete-user')).toMatchObject(deleted)
    await ageSessions(service, bob.email, day + 1)
    await bob.get('/get-session')
    await bob.post('/update-user', { name: 'Rob' })
    const reply = await bob.post('/delete-user')
    expect(reply).toMatchObject({
      status: 400,
      body: { message: 'Session expired. Re-authenticate to perform this action.' },
    })
    expect(await isThere(bob.email)).toBe(true)
  })

  it('with SESSION_FRESH_AGE=0 in any session', async () => {
    const always = await service.sibling({ SESSION_FRESH_AGE: '0' })
    const ann = await always.person()
    await ageSessions(service, ann.email, 3 * day)
    expect(await ann.post('/delete-user')).toMatchObject(deleted)
  })

  it('is refused to who acts as the user, whatever they know', async () => {
    const ann = await service.person()
    await service.deps.sql`
      update sessions set impersonated_by = 'admin' where user_id = (select id from users where email = ${ann.email})
    `
    for (const password of [undefined, testPassword])
      expect((await ann.post('/delete-user', { password })).status).toBe(403)
  })

  it('ends every session, and the next call is 401', async () => {
    const ann = await service.person()
    const phone = service.visitor()
    await phone.post('/sign-in/email', { email: ann.email, password: testPassword })
    await ann.post('/delete-user', { password: testPassword })
    expect(await phone.get('/list-sessions')).toMatchObject({ status: 401, text: '' })
    expect((await phone.get('/get-session')).body).toBeNull()
    expect(await isSignedIn(service.copyOf(ann))).toBe(false)
  })

  it('leaves neither the id, nor the address, nor a row of the user anywhere', async () => {
    const ann = await byMail.person({ name: `Ann ${crypto.randomUUID()}` })
    const { id } = await userOf(service, ann.email)
    await service.visitor().post('/forget-password', { email: ann.email })
    await service.visitor().post('/send-verification-email', { email: ann.email })
    await ann.post('/delete-user')
    expect(await dumpTables(service, trail)).toContain(id)
    await service.copyOf(ann).post('/delete-user', { password: testPassword })
    const dump = await dumpTables(service, trail)
    expect([dump.includes(id), dump.includes(ann.email)]).toEqual([false, false])
    expect(await danglingTo(id)).toEqual([])
  })

  it('leaves nothing of the user in organizations and what waits to be mailed, and all that is of others', async () => {
    const acme = await found(service, { name: 'Acme' })
    const ann = await acme.join('admin', acme.teamId ?? undefined)
    const own = await done(ann.post('/organization/create', { name: 'Own', slug: newSlug() }))
    const [bob, dave] = [await service.person(), await service.person()]
    for (const [organizationId, email] of [
      [acme.id, bob.email],
      [own.id, dave.email],
    ])
      await done(ann.post('/organization/invite-member', { organizationId, email, role: 'member' }))
    const kept = await acme.invite(dave.email)
    expect(await mailsTo(service, dave.email, 'invitation')).toHaveLength(2)
    await done(ann.post('/delete-user', { password: testPassword }))
    const dump = await dumpTables(service, trail)
    const traces = [ann.userId, ann.email, ann.memberId, own.id as string, bob.email]
    expect(traces.map((text) => dump.split(text).length - 1)).toEqual([0, 0, 0, 0, 1])
    expect(await danglingTo(ann.userId)).toEqual([])
    const invited = await mailsTo(service, dave.email, 'invitation')
    expect(invited.map(({ text }) => text.includes(kept))).toEqual([true])
    const { body } = await acme.owner.get('/organization/get-full-organization')
    expect([body.members.length, body.invitations.length]).toEqual([1, 1])
  })

  it('tells before and after which organizations go along: those in which nobody else is', async () => {
    const shared = await found(service, { name: 'Shared' })
    const ann = await shared.join('member')
    const made = async (name: string) => done(ann.post('/organization/create', { name, slug: newSlug() }))
    const [own, helped, left] = [await made('Own'), await made('Helped'), await made('Left')]
    const bob = await service.person()
    await admit(service, bob.email, { organizationId: helped.id, role: 'owner' })
    // Without the owner's role too: nobody would be in it.
    await service.deps.sql`update members set roles = '{admin}' where organization_id = ${left.id as string}`
    const listed = (await ann.get('/organization/list')).body as { id: string; soleMember: boolean }[]
    const sole = { [shared.id]: false, [own.id]: true, [helped.id]: false, [left.id]: true }
    expect(Object.fromEntries(listed.map(({ id, soleMember }) => [id, soleMember]))).toEqual(sole)
    const { body } = await ann.post('/delete-user', { password: testPassword })
    const named = [own, left].map(({ id, name, slug }) => ({ id, name, slug }))
    expect(body).toEqual({ ...deleted.body, organizations: named.toSorted((a, b) => (a.slug < b.slug ? -1 : 1)) })
    const ids = [shared.id, own.id, helped.id, left.id] as string[]
    const rows = await service.deps.sql`select id from organizations where id = any(${ids})`
    expect(new Set(rows.map(({ id }) => id as string))).toEqual(new Set([shared.id, helped.id]))
  })

  it('is not there when it is turned off', async () => {
    const off = await service.sibling({ DELETE_USER: 'off' })
    const ann = await off.person()
    expect(await ann.post('/delete-user', { password: 'wrong' })).toMatchObject({ status: 404, text: '' })
    expect(await off.visitor().get('/delete-user/callback?token=x')).toMatchObject({ status: 404, text: '' })
  })
})

describe('a deletion by mail', () => {
  it('happens by the link in the own session, and leads to the page of the caller', async () => {
    const { person, link } = await asked('/bye?x=1')
    expect(await isThere(person.email)).toBe(true)
    const reply = await open(service, person, link.url)
    expect([reply.status, reply.headers.get('location'), cleared(reply.setCookies)]).toEqual([302, '/bye?x=1', true])
    expect(await isThere(person.email)).toBe(false)
  })

  it('happens by the token as well, pasted, in a session that is no longer fresh', async () => {
    const { person, link } = await asked()
    await ageSessions(service, person.email, 2 * day)
    const reply = await person.post('/delete-user', { token: link.token })
    expect(reply).toMatchObject(deleted)
    expect(cleared(reply.setCookies)).toBe(true)
  })

  it('answers JSON without a page to lead to', async () => {
    const { person, link } = await asked()
    expect(await person.get(`/delete-user/callback?token=${link.token}`)).toMatchObject(deleted)
  })

  it('is asked for with the password or in a fresh session only', async () => {
    const ann = await byMail.person()
    await ageSessions(service, ann.email, 2 * day)
    expect((await ann.post('/delete-user')).status).toBe(400)
    expect((await ann.post('/delete-user', { password: 'wrong horse battery staple' })).body.code).toBe(
      'INVALID_PASSWORD',
    )
    expect(await mailsTo(service, ann.email)).toEqual([])
    const phone = byMail.visitor()
    await phone.post('/sign-in/email', { email: ann.email, password: testPassword })
    await ageSessions(service, ann.email, 2 * day)
    expect(await ann.post('/delete-user', { password: testPassword })).toMatchObject(mailed)
    // The password made this session fresh, and no other one.
    expect(await ann.post('/delete-user')).toMatchObject(mailed)
    expect((await phone.post('/delete-user')).status).toBe(400)
  })

  it('is refused without a session, in a revoked one, and in that of somebody else', async () => {
    const { person, link } = await asked()
    const bob = await service.person()
    const path = `/delete-user/callback?token=${link.token}`
    const nobody = { status: 404, body: { message: 'Failed to get user info' } }
    expect(await service.visitor().get(path)).toMatchObject(nobody)
    expect(await bob.get(path)).toMatchObject(invalid)
    expect(await bob.post('/delete-user', { token: link.token })).toMatchObject(invalid)
    expect((await bob.get(`${path}&callbackURL=/bye`)).headers.get('location')).toBe('/bye?error=invalid_token')
    const stolen = service.copyOf(person)
    await person.post('/revoke-sessions')
    expect(await stolen.get(path)).toMatchObject(nobody)
    expect((await stolen.post('/delete-user', { token: link.token })).status).toBe(401)
    expect([await isThere(person.email), await isThere(bob.email)]).toEqual([true, true])
  })

  it('is refused when the token is over, unknown, or was made before another one ended it', async () => {
    const { person, link } = await asked()
    expect(await person.post('/delete-user', { token: 'no-such-token' })).toMatchObject(invalid)
    await service.deps.sql`update verifications set expires_at = now() where identifier like 'delete-account-%'`
    expect(await person.post('/delete-user', { token: link.token })).toMatchObject(invalid)
    expect(await isThere(person.email)).toBe(true)
  })

  it('has a token of 32 digits and lower-case letters that lives a day, or as long as the settings say', async () => {
    const { link, person } = await asked()
    expect(link.token).toMatch(/^[0-9a-z]{32}$/)
    const [row] = await service.deps.sql`
      select link_seconds from outbox where user_id = (select id from users where email = ${person.email})
    `
    expect(row).toEqual({ linkSeconds: day })
  })
})

describe('the functions of the config file', () => {
  /** What a deletion comes to, and whether the user is still there. */
  async function deleting(hooks: Extensions) {
    const hooked = await withHooks(service, hooks)
    const ann = await hooked.person()
    const { status } = await ann.post('/delete-user')
    return { status, isThere: await isThere(ann.email), failures: hooked.logged.filter(isHookFailure).length }
  }
  const isHookFailure = ({ msg }: Record<string, unknown>) => msg === 'a hook failed'
  const fail = () => {
    throw new Error('on purpose')
  }

  it('are told of the user before and after', async () => {
    const told: string[] = []
    const tell =
      (when: string) =>
      async ({ email }: { email: string }) =>
        void told.push(`${when} ${await isThere(email)}`)
    expect((await deleting({ beforeDeleteUser: tell('before'), afterDeleteUser: tell('after') })).status).toBe(200)
    expect(told).toEqual(['before true', 'after false'])
  })

  it('keep the user when the first one throws or rejects', async () => {
    const kept = { status: 500, isThere: true, failures: 0 }
    expect(await deleting({ beforeDeleteUser: fail })).toEqual(kept)
    expect(await deleting({ beforeDeleteUser: () => Promise.reject(new Error('on purpose')) })).toEqual(kept)
  })

  it('undo nothing when the second one does: the log is told', async () => {
    expect(await deleting({ afterDeleteUser: fail })).toEqual({ status: 200, isThere: false, failures: 1 })
  })

  it('may take their time: the user stays if the session ends meanwhile', async () => {
    const { sql } = service.deps
    const hooked = await withHooks(service, {
      beforeDeleteUser: ({ id }) => sql`delete from sessions where user_id = ${id}`,
    })
    const ann = await hooked.person()
    expect([(await ann.post('/delete-user')).status, await isThere(ann.email)]).toEqual([401, true])
  })
})

/** Columns of any table that name users and still hold this one, by the foreign keys there are. */
async function danglingTo(id: string): Promise<string[]> {
  const { sql } = service.deps
  const columns = await sql<{ table: string; column: string }[]>`
    select c.conrelid::regclass::text as table, a.attname as column
    from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = any(c.conkey)
    where c.contype = 'f' and c.confrelid = 'users'::regclass
  `
  expect(columns.length).toBeGreaterThanOrEqual(4)
  const found = await Promise.all(
    columns.map(async ({ table, column }) => {
      const rows = await sql`select from ${sql(table)} where ${sql(column)} = ${id}`
      return rows.map(() => `${table}.${column}`)
    }),
  )
  return found.flat()
}

it('tells the last administrator too that a link is not valid', async () => {
  const only = await lastAdmin(service)
  expect(await only.post('/delete-user', { token: 'no-such-token' })).toMatchObject(invalid)
  expect(await only.post('/delete-user')).toMatchObject({ body: { code: 'THE_LAST_ADMIN_CANNOT_BE_REMOVED' } })
})
