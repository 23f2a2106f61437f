import { beforeAll, describe, expect, it } from 'vitest'
import { digestOf } from '../../crypto/token.ts'
import type { Sql } from '../../db/connect.ts'
import { deleteUser } from '../../db/delete-user.ts'
import { verifyEmail } from '../../db/emails.ts'
import { findInvitation } from '../../db/invitations.ts'
import { findResetTokenUser, resetPassword } from '../../db/passwords.ts'
import { findSession } from '../../db/session-look-up.ts'
import { hasVerification, isVerificationLive } from '../../db/verifications.ts'
import { createAlert, linkIdentifierOf } from '../../domain/mails.ts'
import { testEvent } from '../../testing/client.ts'
import { linkTo, userOf } from '../../testing/mailed.ts'
import { done, found } from '../../testing/organizations.ts'
import { useTestService } from '../../testing/use-service.ts'

const service = useTestService({ DELETE_USER_MODE: 'email' })
let facts: Awaited<ReturnType<typeof gather>>
beforeAll(async () => {
  facts = await gather()
})

/** Somebody with one living token of each kind. */
async function gather() {
  const ann = await service.person()
  const { email } = ann
  await done(ann.post('/forget-password', { email }))
  await done(ann.post('/send-verification-email', { email }))
  await done(ann.post('/delete-user'))
  const [, claims = ''] = (await linkTo(service, email, 'verify-email')).token.split('.')
  const { session } = (await ann.get('/get-session')).body
  return {
    email,
    userId: (await userOf(service, email)).id,
    session: session as { id: string; userId: string; token: string },
    reset: linkIdentifierOf['reset-password']((await linkTo(service, email, 'reset-password')).token),
    deletion: linkIdentifierOf['delete-account']((await linkTo(service, email, 'delete-account')).token),
    verification: linkIdentifierOf['verify-email'](JSON.parse(Buffer.from(claims, 'base64url').toString()).jti),
    invitation: await (await found(service)).invite(email),
  }
}

const lifetimes = { expiresIn: 60, updateAge: 60, maxAge: 600, freshAge: 60 }

/** Whatever asks whether something is over, and whether it took it for living. */
const questions: Record<string, (tx: Sql) => Promise<boolean>> = {
  'a reset link that is read': async (tx) => (await findResetTokenUser(tx, facts.reset, [])).email !== null,
  'a reset link that is opened': (tx) => isVerificationLive(tx, facts.reset),
  'a reset link that is used': async (tx) => {
    const notice = createAlert(service.deps, { kind: 'password-changed', to: facts.email })
    const reset = {
      identifier: facts.reset,
      accountId: 'a',
      password: 'p',
      proof: { cleared: [], returned: null },
      notice,
      event: testEvent('password-reset-done', { userId: null }),
      endedEvent: testEvent('sessions-revoked', { userId: null, count: 0 }),
    }
    return (await resetPassword(tx, reset)) !== null
  },
  'a verification link that is used': async (tx) => {
    const { userId, email, verification: identifier } = facts
    const event = testEvent('email-verified', { userId })
    return (
      (await verifyEmail(tx, {
        userId,
        email,
        identifier,
        opener: null,
        admitted: null,
        isAdminAddress: false,
        counters: null,
        event,
      })) !== null
    )
  },
  'a deletion link that is read': (tx) => hasVerification(tx, facts.deletion, facts.userId),
  'a deletion link that is used': async (tx) => {
    const event = testEvent('account-deleted', { userId: facts.userId })
    const deletion = { session: facts.session, identifier: facts.deletion, ownerRole: 'owner', event, endings: [] }
    return (await deleteUser(tx, deletion)).outcome === 'done'
  },
  'a session': async (tx) => (await findSession(tx, digestOf(facts.session.token), lifetimes))?.isExpired === false,
  'an invitation': async (tx) => (await findInvitation(tx, facts.invitation))?.isUsable === true,
}

/** What the answer is when everything ends so many milliseconds from now: within a transaction, time stands still. */
async function askAt(milliseconds: number, question: (tx: Sql) => Promise<boolean>): Promise<boolean> {
  const undone = new Error('undone')
  let isTaken = false
  const asking = service.deps.sql.begin(async (begun) => {
    const tx = begun as unknown as Sql
    const end = tx`date_trunc('milliseconds', now()) + make_interval(secs => ${milliseconds / 1000})`
    for (const table of ['verifications', 'sessions', 'invitations'])
      await tx`update ${tx(table)} set expires_at = ${end}`
    isTaken = await question(tx)
    throw undone
  })
  await expect(asking).rejects.toBe(undone)
  return isTaken
}

describe.each(Object.entries(questions))('%s', (_name, question) => {
  it('is over from the millisecond of its end on, by the clock of the database', async () => {
    expect([await askAt(1, question), await askAt(0, question), await askAt(-1, question)]).toEqual([
      true,
      false,
      false,
    ])
  })
})
