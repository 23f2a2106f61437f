import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { enough, rounds } from '../../testing/rounds.ts'
import { createTestService, type TestService, testPassword } from '../../testing/service.ts'
import { slack } from '../../testing/slack.ts'

/** Two services on one database; hashes may wait for long, so that only the race decides. */
let services: TestService[]
beforeAll(async () => {
  const service = await createTestService({}, { queue: { running: 2, waiting: 100, timeout: 60_000 * slack } })
  services = [service, await service.sibling()]
})
afterAll(() => services[0]?.stop())

/** Each letter in either case: the same address for us. */
const anyCase = (text: string) =>
  text.replaceAll(/[a-z]/g, (letter) => (Math.random() < 0.5 ? letter : letter.toUpperCase()))

async function race(runners: number) {
  const email = `ann-${randomUUID()}@example.com`
  const replies = await Promise.all(
    Array.from({ length: runners }, (_, index) =>
      services[index % 2]!.visitor().post('/sign-up/email', {
        email: anyCase(email),
        name: `${index}`,
        password: testPassword,
      }),
    ),
  )
  const rows = await services[0]!.deps.sql`
    select u.name, (select count(*)::int from accounts where user_id = u.id) as accounts,
      (select count(*)::int from sessions where user_id = u.id) as sessions
    from users u where u.email = ${email}
  `
  const winners = replies.filter(({ status }) => status === 200)
  const losers = replies.filter(({ status, body }) => status === 422 && body.code === 'USER_ALREADY_EXISTS')
  const isWinners = rows.length === 1 && rows[0]?.name === winners[0]?.body.user.name
  return {
    winners: winners.length,
    losers: losers.length,
    cookies: losers.flatMap(({ setCookies }) => setCookies),
    isWinners,
    rows: [...rows],
  }
}

const oneWins = (runners: number) => ({
  winners: 1,
  losers: runners - 1,
  cookies: [],
  isWinners: true,
  rows: [{ name: expect.any(String), accounts: 1, sessions: 1 }],
})

it('of 50 sign-ups with one address at two services exactly one makes an account', async () => {
  expect(await race(50)).toEqual(oneWins(50))
})

it(`of 4 as well, ${rounds} times`, enough, async () => {
  for (let round = 0; round < rounds; round += 1) expect(await race(4)).toEqual(oneWins(4))
})
