import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { canSignIn, linkTo, mailsTo, userOf, verifiedPerson } from '../../testing/mailed.ts'
import { enough, rounds } from '../../testing/rounds.ts'
import { countSessions } from '../../testing/rows.ts'
import { createTestService, limited as held, type TestService, testPassword } from '../../testing/service.ts'
import { slack } from '../../testing/slack.ts'
import type { Reply } from '../../testing/visitor.ts'

/** Two services on one database; hashes may wait for long, so that only the race decides. */
let services: TestService[]
let limited: TestService[]
beforeAll(async () => {
  const patient = { queue: { running: 2, waiting: 100, timeout: 60_000 * slack } }
  const service = await createTestService({ AUTO_SIGN_IN_AFTER_VERIFICATION: 'on' }, patient)
  services = [service, await service.sibling({ DELETE_USER_MODE: 'email' })]
  limited = [await service.sibling(held), await service.sibling(held)]
})
afterAll(() => services[0]?.stop())

const [first, second] = [() => services[0]!, () => services[1]!]
const runners = (count: number, of = services) => Array.from({ length: count }, (_, index) => of[index % 2]!.visitor())
/** Fewer rounds for what takes hashes, or many people, each time. */
const someRounds = Math.ceil(rounds / 4)

const count = (replies: readonly Reply[], status: number) => replies.filter((reply) => reply.status === status).length
const statuses = (replies: readonly Reply[]) =>
  [...new Set(replies.map(({ status }) => status))].toSorted((one, other) => one - other)

async function forgotten(email: string) {
  await first().visitor().post('/forget-password', { email })
  return (await linkTo(first(), email, 'reset-password')).token
}
const newPassword = (index: number) => `horse battery staple number ${index}`

async function raceForReset(atOnce: number) {
  const { email } = await first().person()
  const token = await forgotten(email)
  const replies = await Promise.all(
    runners(atOnce).map((visitor, index) =>
      visitor.post('/reset-password', { token, newPassword: newPassword(index) }),
    ),
  )
  const winner = replies.findIndex(({ status }) => status === 200)
  return {
    winners: count(replies, 200),
    losers: replies.filter(({ status, body }) => status === 400 && body.code === 'INVALID_TOKEN').length,
    winnerSignsIn: await canSignIn(first(), email, newPassword(winner)),
    notices: (await mailsTo(first(), email, 'password-changed')).length,
  }
}

describe('of many at once with one reset link, at two services', () => {
  it('exactly one of 50 sets the password, and it is theirs', async () => {
    expect(await raceForReset(50)).toEqual({ winners: 1, losers: 49, winnerSignsIn: true, notices: 1 })
  })

  it(`one of 4 as well, ${someRounds} times`, enough, async () => {
    for (let round = 0; round < someRounds; round += 1)
      expect(await raceForReset(4)).toEqual({ winners: 1, losers: 3, winnerSignsIn: true, notices: 1 })
  })
})

describe('of many at once with one verification link', () => {
  it(`exactly one of 50 is signed in; all succeed, ${someRounds} times`, enough, async () => {
    for (let round = 0; round < someRounds; round += 1) {
      const { email } = await first().person()
      await first().visitor().post('/send-verification-email', { email })
      const { token } = await linkTo(first(), email, 'verify-email')
      const replies = await Promise.all(
        runners(round === 0 ? 50 : 6, [first(), first()]).map((visitor) => visitor.get(`/verify-email?token=${token}`)),
      )
      expect(statuses(replies)).toEqual([200])
      expect(replies.filter(({ setCookies }) => setCookies.length > 0)).toHaveLength(1)
      expect((await userOf(first(), email)).emailVerified).toBe(true)
    }
  })
})

describe('of many at once with one deletion link', () => {
  it(`exactly one of 50 deletes; the others find nobody any more, ${someRounds} times`, enough, async () => {
    for (let round = 0; round < someRounds; round += 1) {
      const person = await second().person()
      const { id } = await userOf(first(), person.email)
      await person.post('/delete-user')
      const { token } = await linkTo(first(), person.email, 'delete-account')
      const replies = await Promise.all(
        Array.from({ length: round === 0 ? 50 : 6 }, (_, index) =>
          services[index % 2]!.copyOf(person).get(`/delete-user/callback?token=${token}`),
        ),
      )
      expect(count(replies, 200)).toBe(1)
      expect(statuses(replies)).toEqual([200, 404])
      expect(await first().deps.sql`select from users where id = ${id}`).toHaveLength(0)
    }
  })
})

describe('different ways to one user at once', () => {
  it(`two reset links: one sets the password, the other is dead, ${someRounds} times`, enough, async () => {
    for (let round = 0; round < someRounds; round += 1) {
      const { email } = await first().person()
      const tokens = [await forgotten(email), await forgotten(email)]
      const replies = await Promise.all(
        runners(2).map((visitor, index) =>
          visitor.post('/reset-password', { token: tokens[index], newPassword: newPassword(index) }),
        ),
      )
      expect(statuses(replies)).toEqual([200, 400])
      const winner = replies.findIndex(({ status }) => status === 200)
      expect(await canSignIn(first(), email, newPassword(winner))).toBe(true)
    }
  })

  it(`a change of the password against a reset: one of both stands, whole, ${someRounds} times`, enough, async () => {
    for (let round = 0; round < someRounds; round += 1) {
      const person = await first().person()
      const token = await forgotten(person.email)
      const [change, reset] = await Promise.all([
        person.post('/change-password', {
          currentPassword: testPassword,
          newPassword: newPassword(0),
          revokeOtherSessions: round % 2 === 0,
        }),
        second()
          .visitor()
          .post('/reset-password', { token, newPassword: newPassword(1) }),
      ])
      // A change that comes first kills the link; a reset that comes first ends the session and the proof.
      expect([
        [200, 400],
        [200, 200],
        [400, 200],
        [401, 200],
      ]).toContainEqual([change.status, reset.status])
      const winner = reset.status === 200 ? 1 : 0
      expect(await canSignIn(first(), person.email, newPassword(winner))).toBe(true)
      expect(await canSignIn(first(), person.email, newPassword(1 - winner))).toBe(false)
    }
  })

  it(
    `a change that ends the others against sign-ins all the while: none of them is left, ${rounds} times`,
    enough,
    async () => {
      for (let round = 0; round < rounds; round += 1) {
        const person = await first().person()
        const { email } = person
        const signIns: Reply[] = []
        let isChanged = false
        const signInOn = async (service: TestService) => {
          while (!isChanged)
            signIns.push(await service.visitor().post('/sign-in/email', { email, password: testPassword }))
        }
        const trying = Array.from({ length: 6 }, (_, index) => signInOn(services[index % 2]!))
        const fields = { currentPassword: testPassword, newPassword: newPassword(0), revokeOtherSessions: true }
        const changed = await person.post('/change-password', fields)
        isChanged = true
        await Promise.all(trying)
        expect(changed.status).toBe(200)
        expect([200, 401]).toEqual(expect.arrayContaining(statuses(signIns)))
        expect(await countSessions(first(), email)).toBe(1)
      }
    },
  )

  it(
    `a deletion against everything else that writes to its user: no fault, nothing left, ${rounds} times`,
    enough,
    async () => {
      for (let round = 0; round < rounds; round += 1) {
        const person = await second().person()
        const { email } = person
        const { id } = await userOf(first(), email)
        const token = await forgotten(email)
        await person.post('/delete-user')
        const deletion = await linkTo(first(), email, 'delete-account')
        const [removed, ...replies] = await Promise.all([
          first().copyOf(person).post('/delete-user', { token: deletion.token }),
          first()
            .visitor()
            .post('/reset-password', { token, newPassword: newPassword(0) }),
          second().visitor().post('/forget-password', { email }),
          first().visitor().post('/forget-password', { email }),
          second().visitor().post('/send-verification-email', { email }),
          second()
            .copyOf(person)
            .post('/change-email', { newEmail: `new-${randomUUID()}@example.com` }),
        ])
        expect([200, 401, 404]).toContain(removed?.status)
        expect(replies.map(({ status }) => status).filter((status) => status >= 500)).toEqual([])
        expect((await leftOf(id)) === 0 || removed?.status !== 200).toBe(true)
      }
    },
  )

  it(
    `a change of the address against mails to it, with all counters on: no fault, ${rounds} times`,
    enough,
    async () => {
      for (let round = 0; round < rounds; round += 1) {
        const person = await verifiedPerson(first())
        const { email } = person
        const to = `new-${randomUUID()}@example.com`
        await person.post('/change-email', { newEmail: to })
        const { token } = await linkTo(first(), email, 'change-email')
        const [changed, ...replies] = await Promise.all([
          limited[0]!.copyOf(person).get(`/verify-email?token=${token}`),
          ...[0, 1, 0, 1].map((at) => limited[at]!.visitor().post('/forget-password', { email })),
          ...[0, 1].map((at) => limited[at]!.visitor().post('/send-verification-email', { email: to })),
        ])
        expect(changed?.status).toBe(200)
        expect(statuses(replies)).toEqual([200])
      }
    },
  )
})

describe('one new address', () => {
  it(`that two take at once goes to one of them, ${rounds} times`, enough, async () => {
    for (let round = 0; round < rounds; round += 1) {
      const to = `new-${randomUUID()}@example.com`
      const people = [await first().person(), await second().person()]
      const replies = await Promise.all(people.map((person) => person.post('/change-email', { newEmail: to })))
      expect(statuses(replies)).toEqual([200, 400])
      const winner = replies.findIndex(({ status }) => status === 200)
      expect((await people[winner]!.get('/get-session')).body.user.email).toBe(to)
    }
  })

  it(`that a mailed change and a sign-up take at once goes to one of them, ${someRounds} times`, enough, async () => {
    for (let round = 0; round < someRounds; round += 1) {
      const email = `new-${randomUUID()}@example.com`
      const person = await verifiedPerson(first())
      await person.post('/change-email', { newEmail: email })
      const { token } = await linkTo(first(), person.email, 'change-email')
      const [change, signUp] = await Promise.all([
        person.get(`/verify-email?token=${token}`),
        second().visitor().post('/sign-up/email', { email, name: 'Bob', password: testPassword }),
      ])
      expect([
        [200, 422],
        [400, 200],
      ]).toContainEqual([change.status, signUp.status])
    }
  })
})

/** Rows that still name a user, in any table. */
async function leftOf(id: string): Promise<number> {
  const { sql } = first().deps
  const [row] = await sql<{ left: number }[]>`
    select (select count(*) from users where id = ${id}) + (select count(*) from accounts where user_id = ${id})
      + (select count(*) from sessions where user_id = ${id}) + (select count(*) from verifications where user_id = ${id})
      + (select count(*) from outbox where user_id = ${id}) as left
  `
  return Number(row?.left)
}
