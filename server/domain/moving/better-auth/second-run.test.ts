import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { adminOf } from '../../../testing/admins.ts'
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
import { linkTo } from '../../../testing/mailed.ts'
import { untilOthersEnded } from '../../../testing/others-ended.ts'
import { createTestService, type TestService, testPassword } from '../../../testing/service.ts'
import { slack } from '../../../testing/slack.ts'

// Each password is hashed at its full cost.
vi.setConfig({ testTimeout: 120_000 * slack })

const newPassword = `another ${testPassword}`
const since = { isSince: true }

describe.each(peerVersions)('of what changed between two runs from better-auth %s', (version) => {
  let peer: Peer
  let service: TestService
  const mailed = new Map<string, string>()
  beforeAll(async () => {
    const sendResetPassword = async ({ user, token }: { user: { email: string }; token: string }) =>
      void mailed.set(user.email, token)
    peer = await startPeer(version, {
      emailAndPassword: { sendResetPassword },
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

  const askReset = async (email: string) => {
    await service.visitor().post('/forget-password', { email })
    return linkTo(service, email, 'reset-password')
  }

  it('passwords, roles and addresses come, whatever its times say', async () => {
    const [ann, bo, cy, boss] = [await signUp('ann'), await signUp('bo'), await signUp('cy'), await signUp('boss')]
    await peer.sql.unsafe(`update "user" set role = 'admin' where email in ('bo@example.com', 'boss@example.com')`)
    await peer.sql.unsafe(`update "user" set "emailVerified" = false where email = 'cy@example.com'`)
    await move()
    await there('/change-password', { currentPassword: testPassword, newPassword }, ann.cookie)
    await there('/admin/set-role', { userId: bo.id, role: 'user' }, boss.cookie)
    await there('/change-email', { newEmail: `new-${version}@example.com` }, cy.cookie)
    const { summary, told } = await move(since)
    expect([told, summary.stored]).toEqual([[], expect.objectContaining({ user: 2 })])
    expect([await signsIn(ann.email, testPassword), await signsIn(ann.email, newPassword)]).toEqual([401, 200])
    const rows = await service.deps.sql`select email, roles from users where id in (${bo.id}, ${cy.id}) order by name`
    expect(rows).toEqual([
      { email: bo.email, roles: ['user'] },
      { email: `new-${version}@example.com`, roles: ['user'] },
    ])
    expect((await move(since)).summary.stored).toMatchObject({ user: 0, invitation: 0 })
  })

  it('whose address was verified there since has proved the mailbox, and loses that with another address', async () => {
    const pat = await signUp('pat')
    const set = (values: string) => peer.sql.unsafe(`update "user" set ${values} where id = '${pat.id}'`)
    const proof = () => service.deps.sql`select mailbox_proof, proven_email from accounts where user_id = ${pat.id}`
    const unproven = { mailboxProof: null, provenEmail: null }
    await set('"emailVerified" = false')
    await move(since)
    expect(await proof()).toEqual([unproven])
    await set('"emailVerified" = true')
    await move(since)
    expect(await proof()).toEqual([{ mailboxProof: 'earlier', provenEmail: pat.email }])
    await set(`"emailVerified" = false, email = 'pat-${version}@example.com'`)
    await move(since)
    expect(await proof()).toEqual([unproven])
  })

  it('what changed comes though nothing tells when, and nothing else is read', async () => {
    const owner = await signUp('ivy')
    const { body } = await there('/organization/create', { name: 'Old', slug: 'renamed' }, owner.cookie)
    await untilOthersEnded(peer.sql)
    await move(since)
    const [organizationId, data] = [body['id'], { name: 'New' }]
    await there('/organization/update', { organizationId, data }, owner.cookie)
    await peer.sql.unsafe(`update member set role = 'admin' where "organizationId" = '${organizationId}'`)
    // It replaces nothing, so the next run has to read again what changed before.
    await move()
    const { summary } = await move(since)
    expect(summary.stored).toMatchObject({ user: 0, account: 0, organization: 1, member: 1 })
    const types = ['organization', 'member', 'session', 'public key']
    expect(summary.read).toBeLessThanOrEqual(types.length)
    const [row] = await service.deps.sql`
      select name, m.roles from organizations o join members m on m.organization_id = o.id where o.id = ${organizationId!}
    `
    expect(row).toEqual({ name: 'New', roles: ['admin'] })
  })

  it('what was left out is reported by each run, until it can come or is gone', async () => {
    const mia = await signUp('mia')
    await move()
    expect(await signsIn(mia.email, testPassword)).toBe(200)
    await there('/change-password', { currentPassword: testPassword, newPassword }, mia.cookie)
    const [account] = await peer.sql.unsafe(`select id from account where "userId" = '${mia.id}'`)
    const told = `account ${account?.id} CHANGED_HERE`
    // While other transactions are open in the cluster, older rows are read and told once more.
    for (let run = 0; run < 3; run += 1) expect((await move(since)).told).toContain(told)
    await peer.sql.unsafe(`delete from account where "userId" = '${mia.id}'`)
    expect((await move(since)).told).not.toContain(told)
  })

  it('a column that could not be read before is read, and a role that was taken away', async () => {
    const ned = await signUp('ned')
    await peer.sql.unsafe(`update "user" set banned = true, role = 'admin' where id = '${ned.id}'`)
    await peer.sql.unsafe(`alter table "user" rename banned to hidden`)
    await move(since)
    await peer.sql.unsafe(`alter table "user" rename hidden to banned`)
    const here = () => service.deps.sql`select banned, roles from users where id = ${ned.id}`
    await move(since)
    expect(await here()).toEqual([{ banned: true, roles: ['admin'] }])
    await peer.sql.unsafe(`update "user" set role = null where id = '${ned.id}'`)
    await move(since)
    expect(await here()).toEqual([{ banned: true, roles: ['user'] }])
  })

  it('sessions and links that ended there end here, unless they were used here', async () => {
    const [dee, eve] = [await signUp('dee'), await signUp('eve')]
    const token = await resetThere(dee.email)
    await move()
    expect(await whoami(eve.cookie)).toBe(eve.email)
    await there('/reset-password', { token, newPassword })
    await there('/sign-out', {}, dee.cookie)
    await there('/sign-out', {}, eve.cookie)
    const { summary } = await move(since)
    expect(summary.ended).toBe(2)
    expect([await whoami(dee.cookie), await whoami(eve.cookie)]).toEqual([undefined, eve.email])
    const { status } = await service.visitor().post('/reset-password', { token, newPassword: testPassword })
    expect([status, await signsIn(dee.email, newPassword)]).toEqual([400, 200])
    expect(await service.deps.sql`select from ended_imports`).toEqual([])
  })

  it('a session used here as a bearer counts as used here', async () => {
    const [gus, uma] = [await signUp('gus'), await signUp('uma')]
    await move()
    const signed = gus.cookie.replace(/^.*?session_token=([^;]+).*$/, '$1')
    const raw = decodeURIComponent(uma.cookie.replace(/^.*?session_token=([^;]+).*$/, '$1')).split('.')[0]
    const seen = async (token: string | undefined) =>
      (await service.visitor().get('/get-session', { authorization: `Bearer ${token}` })).body?.user?.email
    const both = async () => [await seen(signed), await seen(raw)]
    expect(await both()).toEqual([gus.email, uma.email])
    service.statements.forget()
    expect(await both()).toEqual([gus.email, uma.email])
    expect(service.statements.list.filter((statement) => /^\s*update/i.test(statement))).toEqual([])
    await there('/sign-out', {}, gus.cookie)
    await there('/sign-out', {}, uma.cookie)
    expect((await move(since)).summary.ended).toBe(0)
    expect(await both()).toEqual([gus.email, uma.email])
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
    const { told } = await move(since)
    expect(told.filter((line) => line.startsWith('invitation'))).toEqual([`invitation ${other} CHANGED_HERE`])
    const rows = await service.deps.sql`select id, status from invitations order by email`
    expect(rows).toEqual([
      { id: one, status: 'canceled' },
      { id: other, status: 'rejected' },
    ])
    await peer.sql.unsafe(`delete from invitation`)
  })

  it('of several invitations of one address comes the one that lives longest', async () => {
    const owner = await signUp('hostess')
    const { body } = await there('/organization/create', { name: 'Inn', slug: 'inn' }, owner.cookie)
    const wish = { email: 'late@example.com', role: 'member', organizationId: body['id'] }
    const invite = async (id: string, days: number) => {
      const made = await there('/organization/invite-member', wish, owner.cookie)
      await peer.sql.unsafe(`
        update invitation set id = '${id}', "expiresAt" = now() + interval '${days} days' where id = '${made.body['id']}'
      `)
    }
    const here = () => service.deps.sql`
      select id, status from invitations where email = ${wish.email} order by expires_at
    `
    await invite('1', -1)
    await invite('2', 1)
    await peer.sql.unsafe(`update invitation set status = 'canceled' where id = '2'`)
    await invite('3', 2)
    await peer.sql.unsafe(`update invitation set status = 'pending' where id = '2'`)
    expect((await move()).told).toContain('invitation 2 INVITATION_EXISTS')
    const before = [
      { id: '1', status: 'canceled' },
      { id: '3', status: 'pending' },
    ]
    expect(await here()).toEqual(before)
    await peer.sql.unsafe(`delete from invitation where id = '2'`)
    await peer.sql.unsafe(`update invitation set "expiresAt" = now() - interval '1 hour' where id = '3'`)
    await service.deps.sql`update invitations set expires_at = now() - interval '1 hour' where id = '3'`
    await invite('4', 1)
    await move()
    expect(await here()).toEqual([
      { id: '1', status: 'canceled' },
      { id: '3', status: 'canceled' },
      { id: '4', status: 'pending' },
    ])
    await peer.sql.unsafe(`delete from invitation`)
  })

  /** Without ids, which differ. */
  const reasonsOf = async (options: MoveOptions) => {
    // Written again, so that the run with what changed reads all of them.
    await peer.sql.unsafe('update "user" set name = name')
    await peer.sql.unsafe('update account set "userId" = "userId"')
    const { told } = await move(options)
    return [...new Set(told.map((line) => line.replace(/ \S+(?= [A-Z_]+$)/, '')))].toSorted()
  }
  const everyRun: readonly MoveOptions[] = [{ isUpdating: true }, since, {}]

  it('whoever set a password here keeps it, whatever happens there later', async () => {
    const fay = await signUp('fay')
    const token = await resetThere(fay.email)
    await move()
    expect((await service.visitor().post('/reset-password', { token, newPassword })).status).toBe(200)
    // Whoever knows the password from before, and is signed in there.
    const { cookie } = await there('/sign-in/email', { email: fay.email, password: testPassword })
    const other = `third ${testPassword}`
    await there('/change-password', { currentPassword: testPassword, newPassword: other }, cookie)
    for (const options of everyRun) expect(await reasonsOf(options)).toContain('session CHANGED_HERE')
    expect(await whoami(cookie)).toBeUndefined()
    const passwords = [testPassword, other, newPassword]
    expect(await Promise.all(passwords.map((password) => signsIn(fay.email, password)))).toEqual([401, 401, 200])
    await peer.sql.unsafe(`delete from verification`)
  })

  it('what an administrator did here stays', async () => {
    const gil = await signUp('gil')
    await move()
    const admin = await adminOf(service)
    expect((await admin.post('/admin/ban-user', { userId: gil.id })).status).toBe(200)
    for (const options of everyRun) await move(options)
    expect(await service.deps.sql`select banned from users where id = ${gil.id}`).toEqual([{ banned: true }])
    expect((await admin.post('/admin/remove-user', { userId: gil.id })).status).toBe(200)
    for (const options of everyRun) expect(await reasonsOf(options)).toContain('user CHANGED_HERE')
    expect(await service.deps.sql`select from users where id = ${gil.id}`).toEqual([])
    for (const table of ['session', 'account'])
      await peer.sql.unsafe(`delete from ${table} where "userId" = '${gil.id}'`)
    await peer.sql.unsafe(`delete from "user" where id = '${gil.id}'`)
  })

  it('what a proof of the mailbox removed here comes again by no run, nor a session of it', async () => {
    const hal = await signUp('hal')
    await peer.sql.unsafe(`update "user" set "emailVerified" = false where email = '${hal.email}'`)
    await move()
    const { token } = await askReset(hal.email)
    expect((await service.visitor().post('/reset-password', { token, newPassword })).status).toBe(200)
    const { sql } = service.deps
    await sql`delete from accounts where user_id = ${hal.id}`
    const { cookie } = await there('/sign-in/email', { email: hal.email, password: testPassword })
    for (const options of everyRun)
      expect(await reasonsOf(options)).toEqual(expect.arrayContaining(['account CHANGED_HERE', 'session CHANGED_HERE']))
    expect([await signsIn(hal.email, testPassword), await whoami(cookie)]).toEqual([401, undefined])
    expect(await sql`select from accounts where user_id = ${hal.id}`).toEqual([])
  })

  it('strangers who only try hold nothing up', async () => {
    const kim = await signUp('kim')
    await move()
    expect(await signsIn(kim.email, 'wrong horse battery staple')).toBe(401)
    await service.visitor().post('/forget-password', { email: kim.email })
    await there('/change-password', { currentPassword: testPassword, newPassword }, kim.cookie)
    await move(since)
    expect([await signsIn(kim.email, testPassword), await signsIn(kim.email, newPassword)]).toEqual([401, 200])
  })

  it('another source ends nothing of this one', async () => {
    const lou = await signUp('lou')
    await move()
    const empty = await startPeer(version)
    const { summary } = await movePeer(service, empty.from, since)
    await empty.stop()
    expect([summary.ended, await whoami(lou.cookie)]).toEqual([0, lou.email])
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
