import { expect, it } from 'vitest'
import { startOpenIdProvider } from '../../testing/openid-provider.ts'
import { useStarted, useTestService } from '../../testing/use-service.ts'

const provider = useStarted(startOpenIdProvider)
const service = useTestService(() => provider.settings('GOOGLE'))

const tokenOf = (sub: string) =>
  provider.sign({ sub, email: `${sub}@example.com`, email_verified: true, jti: crypto.randomUUID() })
const signIn = (token: string) => service.visitor().post('/sign-in/social', { provider: 'google', idToken: { token } })

it('a token is as good as it was when the database fails while it signs in, for new people and known ones', async () => {
  const { sql } = service.deps
  await sql`create function fail() returns trigger language plpgsql as $$ begin raise exception 'disk full'; end $$`
  for (const token of [await tokenOf('one'), await tokenOf('one')]) {
    await sql`create trigger fails before insert on sessions for each row execute function fail()`
    expect((await signIn(token)).status).toBe(500)
    await sql`drop trigger fails on sessions`
    expect((await signIn(token)).status).toBe(200)
    expect((await signIn(token)).status).toBe(401)
  }
})

it('a token signs in once of ten times at once, and makes one user', async () => {
  const token = await tokenOf('two')
  const replies = await Promise.all(Array.from({ length: 10 }, () => signIn(token)))
  expect(replies.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
    200,
    ...Array(9).fill(401),
  ])
  expect(
    await service.deps.sql`select from sessions s join users u on u.id = s.user_id where u.email = 'two@example.com'`,
  ).toHaveLength(1)
})

it('an identity is one account of one user, whatever addresses its tokens name at once', async () => {
  const names = ['a', 'b', 'c', 'd', 'e']
  const tokens = names.map((name) =>
    provider.sign({ sub: 'three', email: `${name}@example.com`, email_verified: true, jti: crypto.randomUUID() }),
  )
  const replies = await Promise.all((await Promise.all(tokens)).map(signIn))
  expect(replies.filter(({ status }) => status >= 500)).toEqual([])
  expect(await service.deps.sql`select from accounts where account_id = 'three'`).toHaveLength(1)
})
