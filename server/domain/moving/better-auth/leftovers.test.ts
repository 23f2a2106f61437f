import { createLocalJWKSet, jwtVerify } from 'jose'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { connectForMigration } from '../../../db/connect.ts'
import {
  askPeer,
  movePeer,
  type Peer,
  peerOrigin,
  peerSecret,
  peerVersions,
  startPeer,
} from '../../../testing/better-auth-peer.ts'
import { createTestService, type TestService, testPassword } from '../../../testing/service.ts'
import { slack } from '../../../testing/slack.ts'
import { exportRecords } from '../export-records.ts'

// Each password is hashed at its full cost.
vi.setConfig({ testTimeout: 120_000 * slack })

const newPassword = `another ${testPassword}`

describe.each(peerVersions)('of what is under way at better-auth %s', (version) => {
  let peer: Peer
  let service: TestService
  const mailed = new Map<string, string>()
  beforeAll(async () => {
    const sendResetPassword = async ({ user, token }: { user: { email: string }; token: string }) =>
      void mailed.set(user.email, token)
    const sendDeleteAccountVerification = async ({ token }: { token: string }) => void mailed.set('deletion', token)
    peer = await startPeer(version, {
      emailAndPassword: { sendResetPassword },
      user: {
        changeEmail: { enabled: true, updateEmailWithoutVerification: true },
        deleteUser: { enabled: true, sendDeleteAccountVerification },
      },
    })
    service = await createTestService({ BASE_URL: peerOrigin, IMPORTED_SECRET: peerSecret, DELETE_USER_MODE: 'email' })
  })
  afterAll(async () => {
    await service?.stop()
    await peer?.stop()
  })
  const signUp = async (name: string) => {
    const email = `${name}@example.com`
    const { cookie } = await askPeer(peer.handler, '/sign-up/email', { email, password: testPassword, name })
    return { email, cookie }
  }

  it('tokens for other services verify, and ours are signed by a key of ours', async () => {
    const { cookie, email } = await signUp('ann')
    const { token } = (await askPeer(peer.handler, '/token', undefined, cookie)).body
    const { left, summary } = await movePeer(service, peer.from)
    expect([left, summary.stored.signingKey, summary.different]).toEqual([[], 1, []])
    const browser = service.visitor()
    expect((await browser.get('/get-session', { cookie })).status).toBe(200)
    const own = (await browser.get('/token')).body.token as string
    const { body: jwks } = await service.visitor().get('/jwks')
    const verified = async (jwt: string | undefined) =>
      (await jwtVerify(jwt ?? '', createLocalJWKSet(jwks))).payload['email']
    expect([await verified(token), await verified(own)]).toEqual([email, email])
    expect(JSON.stringify(jwks)).not.toContain('"d"')
    expect(service.logged.filter(({ level }) => Number(level) >= 40)).toEqual([])
    const days = await service.deps.sql`
      select round(extract(epoch from published_until - now()) / 86400)::integer as days, length(private_key) as secret
      from signing_keys where published_until is not null
    `
    expect(days).toEqual([{ days: 7, secret: 0 }])
  })

  it('a key is published for longer after each run with what changed, and a new one of ours follows none of them', async () => {
    await service.deps
      .sql`update signing_keys set published_until = now() + interval '1 hour' where length(private_key) = 0`
    expect((await movePeer(service, peer.from, { isSince: true })).left).toEqual([])
    const rows = await service.deps.sql`
      select published_until > now() + interval '6 days' as longer from signing_keys where length(private_key) = 0
    `
    expect(rows).toEqual([{ longer: true }])
  })

  const resetToken = async (email: string) => {
    const asked = version === '1.2.8' ? '/forget-password' : '/request-password-reset'
    expect((await askPeer(peer.handler, asked, { email, redirectTo: '/' })).status).toBe(200)
    return mailed.get(email) ?? ''
  }
  const verify = (email: string) => peer.sql.unsafe(`update "user" set "emailVerified" = true where email = '${email}'`)

  it('a link to a new password does, once', async () => {
    const { email } = await signUp('bo')
    await verify(email)
    const token = await resetToken(email)
    expect((await movePeer(service, peer.from)).summary.stored.link).toBe(1)
    const visitor = service.visitor()
    expect((await visitor.post('/reset-password', { token, newPassword })).status).toBe(200)
    const { left } = await movePeer(service, peer.from)
    expect(left.filter(({ type }) => type === 'link').map(({ reason }) => reason)).toEqual(['CHANGED_HERE'])
    expect((await visitor.post('/reset-password', { token, newPassword: testPassword })).status).toBe(400)
    expect((await visitor.post('/sign-in/email', { email, password: newPassword })).status).toBe(200)
    await peer.sql.unsafe(`delete from verification`)
  })

  it('a link to a new password that went to another address does not come', async () => {
    const { email, cookie } = await signUp('evil')
    const token = await resetToken(email)
    const taken = { newEmail: `ops-${version}@example.com` }
    expect((await askPeer(peer.handler, '/change-email', taken, cookie)).status).toBe(200)
    const told = async (isUpdating = false) =>
      (await movePeer(service, peer.from, { isUpdating })).left
        .filter(({ type }) => type === 'link')
        .map(({ reason }) => reason)
    expect(await told()).toEqual(['LINK_UNPROVEN'])
    // Not even after its owner verified the address here.
    await service.deps.sql`update users set email_verified = true, updated_at = now() where email = ${taken.newEmail}`
    expect(await told(true)).toEqual(['LINK_UNPROVEN'])
    const { status } = await service.visitor().post('/reset-password', { token, newPassword })
    expect(status).toBe(400)
    await peer.sql.unsafe(`delete from verification`)
  })

  it('a link to a new password proves no mailbox here', async () => {
    const { email } = await signUp('fay')
    await verify(email)
    const token = await resetToken(email)
    await movePeer(service, peer.from)
    const { sql } = service.deps
    await sql`update users set email_verified = false where email = ${email}`
    await sql`insert into accounts (id, user_id, provider_id, account_id)
      select ${email}, id, 'github', ${email} from users where email = ${email}`
    expect((await service.visitor().post('/reset-password', { token, newPassword })).status).toBe(200)
    const rows = await sql`
      select email_verified, provider_id, mailbox_proof, mailbox_proven_at, a.proven_email
      from users u join accounts a on a.user_id = u.id where email = ${email} order by provider_id
    `
    const unproven = { emailVerified: false, mailboxProof: null, mailboxProvenAt: null, provenEmail: null }
    expect(rows).toEqual([
      { ...unproven, providerId: 'credential' },
      { ...unproven, providerId: 'github' },
    ])
    await peer.sql.unsafe(`delete from verification`)
  })

  it('a link to the end of the account does, in its own session', async () => {
    const { cookie } = await signUp('dee')
    expect((await askPeer(peer.handler, '/delete-user', {}, cookie)).status).toBe(200)
    const token = mailed.get('deletion') ?? ''
    await movePeer(service, peer.from)
    expect((await service.visitor().post('/delete-user', { token }, { cookie })).body).toMatchObject({ success: true })
    await peer.sql.unsafe(`delete from verification`)
  })

  it('what we do not know is listed, unless it is over', async () => {
    await peer.sql.unsafe(`
      insert into verification (id, identifier, value, "expiresAt", "createdAt", "updatedAt") values
        ('code', 'sign-in-otp-ann@example.com', '123456', now() + interval '5 minutes', now(), now()),
        ('over', 'sign-in-otp-bo@example.com', '123456', now() - interval '5 minutes', now(), now())
    `)
    const { left } = await movePeer(service, peer.from, { isDryRun: true })
    expect(left.filter(({ type }) => type === 'link')).toMatchObject([{ id: 'code', reason: 'LINK_UNKNOWN' }])
  })
})

it('second factors are kept as they are, encrypted', async () => {
  const peer = await startPeer('newest')
  const service = await createTestService({ BASE_URL: peerOrigin })
  const { body, cookie } = await askPeer(peer.handler, '/sign-up/email', {
    email: 'ann@example.com',
    password: testPassword,
    name: 'Ann',
  })
  expect((await askPeer(peer.handler, '/two-factor/enable', { password: testPassword }, cookie)).status).toBe(200)
  const [given] = await peer.sql.unsafe(`select * from "twoFactor"`)
  await peer.sql.unsafe(`insert into "twoFactor" (id, "userId", secret, "backupCodes")
    select 'codes', "userId", secret, '["plain"]' from "twoFactor"`)
  await peer.sql.unsafe(`insert into "twoFactor" (id, "userId", secret, "backupCodes")
    select 'plain', "userId", 'JBSWY3DPEHPK3PXP', "backupCodes" from "twoFactor" where id = 'codes'`)
  const { left, summary } = await movePeer(service, peer.from)
  const told = left.map(({ id, reason, detail }) => [id, reason, detail].join(' '))
  expect(told.toSorted((one, other) => one.localeCompare(other))).toEqual([
    'codes ALTERED backupCodes',
    'plain SECOND_FACTOR_READABLE ',
  ])
  expect(summary.stored.secondFactor).toBe(2)
  const rows = await service.deps
    .sql`select id, user_id, secret, backup_codes from imported_two_factors order by id = 'codes'`
  const kept = { userId: Object(body['user']).id, secret: given!['secret'] }
  expect(rows).toEqual([
    { ...kept, id: given!['id'], backupCodes: given!['backupCodes'] },
    { ...kept, id: 'codes', backupCodes: null },
  ])
  const sql = connectForMigration(service.database)
  const exported = async (withSecrets: boolean) => {
    const parts: string[] = []
    await exportRecords(sql, { keys: service.deps.keys, withSecrets, write: async (part) => void parts.push(part) })
    return parts.join('').includes(given!['secret'])
  }
  expect([await exported(true), await exported(false)]).toEqual([true, false])
  await sql.end()
  await service.stop()
  await peer.stop()
})
