import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import {
  askPeer,
  type MoveOptions,
  movePeer,
  type Peer,
  peerOrigin,
  peerSecret,
  peerVersions,
  startPeer,
} from '../../../testing/better-auth-peer.ts'
import { createTestService, type TestService, testPassword } from '../../../testing/service.ts'

// better-auth hashes each password in JavaScript, which takes a good part of a second.
vi.setConfig({ testTimeout: 120_000 })

const newPassword = `another ${testPassword}`
/** Later than any change, so that times of change bring nothing. */
const late = { since: '2100-01-01T00:00:00Z' }

describe.each(peerVersions)('of what changed between two runs from better-auth %s', (version) => {
  let peer: Peer
  let service: TestService
  const mailed = new Map<string, string>()
  beforeAll(async () => {
    const sendResetPassword = async ({ user, token }: { user: { email: string }; token: string }) =>
      void mailed.set(user.email, token)
    peer = await startPeer(version, {
      emailAndPassword: { enabled: true, sendResetPassword },
      user: { changeEmail: { enabled: true, updateEmailWithoutVerification: true } },
    })
    service = await createTestService({ BASE_URL: peerOrigin, IMPORTED_SECRET: peerSecret, RATE_LIMIT: 'off' })
  })
  afterAll(async () => {
    await service?.stop()
    await peer?.stop()
  })
  const there = async (path: string, body: object | undefined, cookie = '') => {
    const answer = await askPeer(peer.handler, path, body, cookie)
    expect([path, answer.status]).toEqual([path, 200])
    return answer
  }
  const signUp = async (name: string) => {
    const email = `${name}@example.com`
    const { cookie, body } = await there('/sign-up/email', { email, password: testPassword, name })
    await peer.sql.unsafe(`update "user" set "emailVerified" = true where email = '${email}'`)
    return { email, cookie, id: String(Object(body['user']).id) }
  }
  const signsIn = async (email: string, password: string) =>
    (await service.visitor().post('/sign-in/email', { email, password })).status
  const whoami = async (cookie: string): Promise<string | undefined> =>
    (await service.visitor().get('/get-session', { cookie })).body?.user?.email
  const move = async (options: MoveOptions = {}) => {
    const { left, summary } = await movePeer(service, peer.from, options)
    return { summary, told: left.map(({ type, id, reason }) => [type, id, reason].join(' ')) }
  }
  const resetThere = async (email: string) => {
    const asked = version === '1.2.8' ? '/forget-password' : '/request-password-reset'
    await there(asked, { email, redirectTo: '/' })
    return mailed.get(email) ?? ''
  }

  it('passwords, roles and addresses come, whatever its times say', async () => {
    const [ann, bo, cy, boss] = [await signUp('ann'), await signUp('bo'), await signUp('cy'), await signUp('boss')]
    await peer.sql.unsafe(`update "user" set role = 'admin' where email in ('bo@example.com', 'boss@example.com')`)
    await peer.sql.unsafe(`update "user" set "emailVerified" = false where email = 'cy@example.com'`)
    await move()
    await there('/change-password', { currentPassword: testPassword, newPassword }, ann.cookie)
    await there('/admin/set-role', { userId: bo.id, role: 'user' }, boss.cookie)
    await there('/change-email', { newEmail: `new-${version}@example.com` }, cy.cookie)
    const { summary, told } = await move(late)
    expect([told, summary.stored]).toEqual([[], expect.objectContaining({ user: 2 })])
    expect([await signsIn(ann.email, testPassword), await signsIn(ann.email, newPassword)]).toEqual([401, 200])
    const rows = await service.deps.sql`select email, roles from users where id in (${bo.id}, ${cy.id}) order by name`
    expect(rows).toEqual([
      { email: bo.email, roles: ['user'] },
      { email: `new-${version}@example.com`, roles: ['user'] },
    ])
    expect((await move(late)).summary.stored).toMatchObject({ user: 0, invitation: 0 })
  })

  it('sessions and links that ended there end here, unless they were used here', async () => {
    const [dee, eve] = [await signUp('dee'), await signUp('eve')]
    const token = await resetThere(dee.email)
    await move()
    expect(await whoami(eve.cookie)).toBe(eve.email)
    await there('/reset-password', { token, newPassword })
    await there('/sign-out', {}, dee.cookie)
    await there('/sign-out', {}, eve.cookie)
    const { summary } = await move(late)
    expect(summary.ended).toBe(2)
    expect([await whoami(dee.cookie), await whoami(eve.cookie)]).toEqual([undefined, eve.email])
    const { status } = await service.visitor().post('/reset-password', { token, newPassword: testPassword })
    expect([status, await signsIn(dee.email, newPassword)]).toEqual([400, 200])
    expect(await service.deps.sql`select from ended_imports`).toEqual([])
  })

  it('invitations come that were answered there, and stay that were answered here', async () => {
    const owner = await signUp('owner')
    const made = await there('/organization/create', { name: 'Acme', slug: 'acme' }, owner.cookie)
    const organizationId = made.body['id']
    const invite = async (name: string) => {
      const wish = { email: `${name}@example.com`, role: 'member', organizationId }
      return String((await there('/organization/invite-member', wish, owner.cookie)).body['id'])
    }
    const [one, other] = [await invite('guest'), await invite('other')]
    await move()
    await there('/organization/cancel-invitation', { invitationId: one }, owner.cookie)
    await service.deps.sql`update invitations set status = 'rejected' where id = ${other}`
    expect((await move(late)).told).toEqual([`invitation ${other} CHANGED_HERE`])
    const rows = await service.deps.sql`select id, status from invitations order by email`
    expect(rows).toEqual([
      { id: one, status: 'canceled' },
      { id: other, status: 'rejected' },
    ])
    await peer.sql.unsafe(`delete from invitation`)
  })

  it('what was done here for safety stays, and sessions of a password from before do not come', async () => {
    const [fay, gil] = [await signUp('fay'), await signUp('gil')]
    await move()
    await service.deps.sql`
      update users set banned = true, roles = '{}', updated_at = now() + interval '1 second' where id = ${gil.id}
    `
    const token = await resetThere(fay.email)
    await move()
    expect((await service.visitor().post('/reset-password', { token, newPassword })).status).toBe(200)
    // Whoever knows the password from before.
    const { cookie } = await there('/sign-in/email', { email: fay.email, password: testPassword })
    const reasonsOf = async (options: MoveOptions) => {
      const lines = (await move(options)).told.map((line) => line.replace(/(?<=^account|^session|^link) \S+/, ''))
      return [...new Set(lines)]
    }
    const changed = [`user ${gil.id} CHANGED_HERE`, 'account CHANGED_HERE']
    const outdated = ['session SESSION_OUTDATED', 'link LINK_OUTDATED']
    expect(await reasonsOf({ isUpdating: true })).toEqual([...changed, ...outdated])
    expect(await reasonsOf(late)).toEqual([...changed, 'link LINK_OUTDATED'])
    expect(await reasonsOf({})).toEqual(outdated)
    expect(await whoami(cookie)).toBeUndefined()
    expect([await signsIn(fay.email, testPassword), await signsIn(fay.email, newPassword)]).toEqual([401, 200])
    const [row] = await service.deps.sql`select banned, roles from users where id = ${gil.id}`
    expect(row).toEqual({ banned: true, roles: [] })
    await peer.sql.unsafe(`delete from verification`)
  })

  it('a password that a proof of the mailbox removed here does not come again', async () => {
    const hal = await signUp('hal')
    await peer.sql.unsafe(`update "user" set "emailVerified" = false where email = '${hal.email}'`)
    await move()
    const { sql } = service.deps
    await sql`delete from accounts where user_id = ${hal.id}`
    await sql`update users set email_verified = true, updated_at = now() where id = ${hal.id}`
    expect((await move(late)).told).toContainEqual(expect.stringMatching(/^account .* CHANGED_HERE$/))
    expect(await signsIn(hal.email, testPassword)).toBe(401)
  })

  it('sessions live no longer than those that begin here', async () => {
    const [ida, joe] = [await signUp('ida'), await signUp('joe')]
    const age = (id: string, days: number) =>
      peer.sql.unsafe(`
        update session set "createdAt" = now() - interval '${days} days', "expiresAt" = now() + interval '300 days'
        where "userId" = '${id}'
      `)
    await age(ida.id, 80)
    await age(joe.id, 91)
    const [over] = await peer.sql.unsafe(`select id from session where "userId" = '${joe.id}'`)
    expect((await move()).told).toContain(`session ${over!['id']} SESSION_OUTDATED`)
    const rows = await service.deps.sql`
      select round(extract(epoch from expires_at - now()) / 86400)::integer as days from sessions
      where user_id in (${ida.id}, ${joe.id})
    `
    expect(rows).toEqual([{ days: 10 }])
  })
})
