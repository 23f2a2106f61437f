import { describe, expect, it } from 'vitest'
import { createApp } from '../../app.ts'
import type { Sql } from '../../db/connect.ts'
import { signInWithPassword } from '../../db/users.ts'
import { requireAdmission } from '../../request/admission.ts'
import { testClient, testEvent } from '../../testing/client.ts'
import { canSignIn, isSignedIn, linkTo } from '../../testing/mailed.ts'
import { countSessions } from '../../testing/rows.ts'
import { testPassword } from '../../testing/service.ts'
import { useTestService } from '../../testing/use-service.ts'
import { createVisitor, type Reply } from '../../testing/visitor.ts'
import { consumePasswordAttempt, verifyPassword } from '../account/verify-password.ts'

const another = 'another horse battery staple'

const service = useTestService()

async function forgotten(email: string) {
  await service.visitor().post('/forget-password', { email })
  const { token } = await linkTo(service, email, 'reset-password')
  return () => service.visitor().post('/reset-password', { token, newPassword: another })
}

/** Somebody signs in with the right password; `meanwhile` happens after it was verified, before the session begins. */
function signInDuring(email: string, meanwhile: () => Promise<unknown>): Promise<Reply> {
  const { passwords, config } = service.deps
  const verify: typeof passwords.verify = async (stored, password) => {
    const isRight = await passwords.verify(stored, password)
    await meanwhile()
    return isRight
  }
  const app = createApp({ ...service.deps, passwords: { ...passwords, verify } })
  return createVisitor(app, config).post('/sign-in/email', { email, password: testPassword })
}

/** The last statement of a sign-in, not yet committed while `send` waits for it. */
async function whileSigningIn(email: string, send: () => Promise<Reply>): Promise<Reply> {
  const { sql } = service.deps
  const client = testClient()
  const attempt = await consumePasswordAttempt(service.deps, client, { email, password: testPassword })
  const proof = (await verifyPassword(service.deps, client, attempt))!
  const { admitted } = requireAdmission(service.deps, client, proof)
  const { hash, counters, user } = proof
  const event = testEvent('sign-in-done', { userId: user.id })
  let sent: Promise<Reply> | undefined
  await sql.begin(async (tx) => {
    const signIn = { userId: user.id, hash, admitted, counters, rehash: null, event }
    expect(await signInWithPassword(tx as unknown as Sql, signIn)).toEqual([])
    sent = send()
    const waiting = async () =>
      (await sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`).length
    await expect.poll(waiting).toBe(1)
  })
  return (await sent)!
}

describe('a sign-in with the old password', () => {
  it('that was verified before a reset begins no session after it', async () => {
    const { email } = await service.person()
    const reset = await forgotten(email)
    const reply = await signInDuring(email, reset)
    expect(reply).toMatchObject({ status: 401, body: { code: 'INVALID_EMAIL_OR_PASSWORD' }, setCookies: [] })
    expect(await countSessions(service, email)).toBe(0)
  })

  it('that is under way when a reset comes is ended by it, as all others', async () => {
    const { email } = await service.person()
    const reset = await forgotten(email)
    expect((await whileSigningIn(email, reset)).status).toBe(200)
    expect(await countSessions(service, email)).toBe(0)
  })

  it('that is under way is ended by a change that ends the others', async () => {
    const ann = await service.person()
    const fields = { currentPassword: testPassword, newPassword: another, revokeOtherSessions: true }
    const reply = await whileSigningIn(ann.email, () => ann.post('/change-password', fields))
    expect([reply.status, await countSessions(service, ann.email), await isSignedIn(ann)]).toEqual([200, 1, true])
  })
})

it('a sign-in goes on when the hash alone was replaced meanwhile, by another sign-in', async () => {
  const { email } = await service.person()
  const { passwords, sql } = service.deps
  let isDone = false
  const rehash = async () => {
    if (isDone) return
    isDone = true
    const hash = await passwords.hash(testPassword)
    await sql`update accounts set password = ${hash} where user_id = (select id from users where email = ${email})`
  }
  expect((await signInDuring(email, rehash)).status).toBe(200)
  expect(await canSignIn(service, email)).toBe(true)
})
