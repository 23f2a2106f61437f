import { scryptSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { Sql } from '../../db/connect.ts'
import { untilWaiting } from '../../testing/locks.ts'
import { linkTo, userOf, verifiedPerson } from '../../testing/mailed.ts'
import { proveAddress } from '../../testing/prove-address.ts'
import { steady } from '../../testing/races.ts'
import { limited, testPassword, testServiceKey } from '../../testing/service.ts'
import { useMade, useTestService } from '../../testing/use-service.ts'
import type { Reply, Visitor } from '../../testing/visitor.ts'

// Every write locks its user before all that is the user's, and before the counters of mails: then none can deadlock.
const service = useTestService({ ...limited, DELETE_USER_MODE: 'email' })
const strict = useMade(() => service.sibling({ REQUIRE_EMAIL_VERIFICATION: 'on' }))

const another = 'another horse battery staple'
type Person = Visitor & { email: string }
type Flow = (person: Person) => Promise<() => Promise<Reply>>

async function forgotten({ email }: Person) {
  await service.visitor().post('/forget-password', { email })
  return (await linkTo(service, email, 'reset-password')).token
}

/** The hash that the reference would have stored: it is replaced at the next sign-in. */
async function makeOutdated({ email }: Person) {
  const salt = '0123456789abcdef0123456789abcdef'
  const options = { N: 16_384, r: 16, p: 1, maxmem: 128 * 16_384 * 16 * 2 }
  const hash = `${salt}:${scryptSync(testPassword, salt, 64, options).toString('hex')}`
  await service.deps.sql`
    update accounts set password = ${hash} where user_id = (select id from users where email = ${email})
  `
}

/** Each prepares what it needs, and returns the request. */
const flows: Record<string, Flow> = {
  'a sign-in':
    async ({ email }) =>
    () =>
      service.visitor().post('/sign-in/email', { email, password: testPassword }),
  'a sign-in that replaces an old hash': async (person) => {
    await makeOutdated(person)
    return () => service.visitor().post('/sign-in/email', { email: person.email, password: testPassword })
  },
  'a refused sign-in':
    async ({ email }) =>
    () =>
      strict.visitor().post('/sign-in/email', { email, password: testPassword }),
  'a sign-up with a taken address':
    async ({ email }) =>
    () =>
      strict.visitor().post('/sign-up/email', { email, name: 'Ann', password: another }),
  'a change of the password': async (person) => () =>
    person.post('/change-password', { currentPassword: testPassword, newPassword: another }),
  'a change of the password that ends sessions': async (person) => () =>
    person.post('/change-password', {
      currentPassword: testPassword,
      newPassword: another,
      revokeOtherSessions: true,
    }),
  'a forgotten password':
    async ({ email }) =>
    () =>
      service.visitor().post('/forget-password', { email }),
  'a reset': async (person) => {
    const token = await forgotten(person)
    return () => service.visitor().post('/reset-password', { token, newPassword: another })
  },
  'a first password': async ({ email }) => {
    const { id: userId } = await userOf(service, email)
    await service.deps.sql`delete from accounts where user_id = ${userId}`
    const headers = { authorization: `Bearer ${testServiceKey}` }
    return () => service.visitor().post('/set-password', { userId, newPassword: another }, headers)
  },
  'a request to verify':
    async ({ email }) =>
    () =>
      service.visitor().post('/send-verification-email', { email }),
  'a verification': async ({ email }) => {
    await service.visitor().post('/send-verification-email', { email })
    const { token } = await linkTo(service, email, 'verify-email')
    return () => service.visitor().get(`/verify-email?token=${token}`)
  },
  'a change of the address at once': async (person) => () =>
    person.post('/change-email', { newEmail: `new-${person.email}` }),
  'a request to change the address': async (person) => {
    await proveAddress(service.deps.sql, person.email)
    return () => person.post('/change-email', { newEmail: `new-${person.email}` })
  },
  'a change of the address by the link': async () => {
    const person = await verifiedPerson(service)
    await person.post('/change-email', { newEmail: `new-${person.email}` })
    const { token } = await linkTo(service, person.email, 'change-email')
    return () => person.get(`/verify-email?token=${token}`)
  },
  'an agreement to change the address, where the new one is asked too': async () => {
    const person = await verifiedPerson(service)
    const there = steady(person, strict)
    await there.post('/change-email', { newEmail: `new-${person.email}` })
    const { token } = await linkTo(service, person.email, 'change-email')
    return () => there.get(`/verify-email?token=${token}`)
  },
  'a change of the address by the link to the new one': async (person) => {
    const there = steady(person, strict)
    await there.post('/change-email', { newEmail: `new-${person.email}` })
    const { token } = await linkTo(service, `new-${person.email}`, 'verify-email')
    return () => there.get(`/verify-email?token=${token}`)
  },
  'a sign-in after a sign-up with a taken address': async ({ email }) => {
    await strict.visitor().post('/sign-up/email', { email, name: 'Ann', password: another })
    return () => strict.visitor().post('/sign-in/email', { email, password: another })
  },
  'a request to delete': async (person) => () => person.post('/delete-user', { password: testPassword }),
  'a deletion by the link': async (person) => {
    await person.post('/delete-user')
    const { token } = await linkTo(service, person.email, 'delete-account')
    return () => person.get(`/delete-user/callback?token=${token}`)
  },
}

/** Takes the row of every user; then sends, and goes on as `then` says while the request waits. */
async function whileHeld(send: () => Promise<Reply>, then: (tx: Sql) => Promise<unknown>): Promise<Reply> {
  let sent: Promise<Reply> | undefined
  await service.deps.sql.begin(async (tx) => {
    await tx`select from users for update`
    sent = send()
    await untilWaiting(service)
    await then(tx as unknown as Sql)
  })
  return (await sent) as Reply
}

describe.each(Object.entries(flows))('%s', (_name, flow) => {
  it('waits for its user before it locks anything that another write may want', async () => {
    const send = await flow(await service.person())
    const reply = await whileHeld(send, async (tx) => {
      for (const table of ['accounts', 'sessions', 'verifications'])
        await tx`update ${tx(table)} set updated_at = now()`
      await tx`update outbox set attempts = attempts`
      // Those that all mails share.
      const shared = ['mail', 'sign-up-mail'].map((name) => service.deps.keys.limit.sign(name))
      await tx`update rate_limits set count = count where key = any(${shared}::bytea[])`
    })
    expect([200, 302, 403]).toContain(reply.status)
  })

  it('is refused, not failed, when its user is deleted meanwhile', async () => {
    const send = await flow(await service.person())
    const reply = await whileHeld(send, (tx) => tx`delete from users`)
    expect(reply.status).toBeLessThan(500)
  })
})
