import { afterAll, beforeAll, expect, it } from 'vitest'
import { resealTokens, type SealedAccount } from '../../db/accounts.ts'
import { watchSecrets } from '../../process/watch.ts'
import { startOpenIdProvider } from '../../testing/openid-provider.ts'
import { createTestService, type TestService } from '../../testing/service.ts'
import { otherSecret, testSecret } from '../../testing/settings.ts'
import { linkedPerson } from '../../testing/social.ts'
import { useStarted } from '../../testing/use-service.ts'
import { openTokens } from './seal-tokens.ts'

let before: TestService
let during: TestService
let after: TestService
const provider = useStarted(startOpenIdProvider)
beforeAll(async () => {
  const settings = provider.settings('GOOGLE')
  before = await createTestService({ ...settings, SECRET: testSecret })
  during = await before.sibling({ SECRETS: `${otherSecret},${testSecret}` })
  after = await before.sibling({ SECRETS: otherSecret })
})
afterAll(() => before.stop())

const idOf = async (email: string) => {
  const [row] = await before.deps.sql<{ id: string }[]>`
    select a.id from accounts a join users u on u.id = a.user_id where u.email = ${email} and a.provider_id = 'google'
  `
  return row?.id ?? ''
}
const stored = async (id: string) => {
  const [row] = await before.deps.sql<SealedAccount[]>`
    select id, access_token, refresh_token, id_token from accounts where id = ${id}
  `
  return row!
}

it('tokens of somebody who never signs in at the provider again need no older secret', async () => {
  const id = await idOf((await linkedPerson(before, provider)).email)
  const plain = openTokens(before.deps, await stored(id))
  expect(plain).toEqual({
    accessToken: expect.any(String),
    refreshToken: expect.any(String),
    idToken: expect.any(String),
  })
  await watchSecrets(during.deps)()
  expect(openTokens(after.deps, await stored(id))).toEqual(plain)
  const kept = await stored(id)
  await watchSecrets(during.deps)()
  expect(await stored(id)).toEqual(kept)
})

it('a token that nothing decrypts keeps no other account from it', async () => {
  const [one, other] = [await linkedPerson(before, provider), await linkedPerson(before, provider)]
  const ids = [await idOf(one.email), await idOf(other.email)].toSorted((a, b) => a.localeCompare(b))
  const [damaged = '', whole = ''] = ids
  await before.deps
    .sql`update accounts set id_token = set_byte(id_token, 9, 255 - get_byte(id_token, 9)) where id = ${damaged}`
  during.logged.splice(0)
  await watchSecrets(during.deps)()
  expect(during.logged.filter(({ accountId }) => accountId === damaged)).toHaveLength(1)
  expect(openTokens(after.deps, await stored(whole)).accessToken).toEqual(expect.any(String))
})

it('a token that was replaced meanwhile is not brought back', async () => {
  const id = await idOf((await linkedPerson(before, provider)).email)
  const earlier = await stored(id)
  await before.deps.sql`update accounts set access_token = ${earlier.idToken}, refresh_token = null where id = ${id}`
  const anew = Buffer.from('anew')
  await resealTokens(before.deps.sql, earlier, { accessToken: anew, refreshToken: anew, idToken: anew })
  expect(await stored(id)).toEqual({ id, accessToken: earlier.idToken, refreshToken: null, idToken: anew })
})

it('a stop ends it after a step, and then nothing is said of older secrets', async () => {
  await before.deps.sql`
    insert into accounts (id, user_id, provider_id, account_id)
    select 'a' || n, (select id from users limit 1), 'github', n from generate_series(1, 500) n
  `
  during.logged.splice(0)
  await watchSecrets(during.deps)()
  expect(during.logged.filter(({ sessions }) => sessions !== undefined)).toEqual([])
})
