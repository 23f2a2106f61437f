import { beforeAll, expect, it } from 'vitest'
import { allAnswers } from '../../testing/all-answers.ts'
import { knownCalls } from '../../testing/calls.ts'
import { startOpenIdProvider } from '../../testing/openid-provider.ts'
import { dumpTables } from '../../testing/rows.ts'
import { type TestService } from '../../testing/service.ts'
import { through } from '../../testing/through.ts'
import { useStarted, useTestService } from '../../testing/use-service.ts'

/** What nobody may say of themselves, nor of a session, an account, a member or an invitation. */
const wishes = {
  id: 'wished-id',
  userId: 'wished-user',
  activeOrganizationId: 'wished-organization',
  impersonatedBy: 'wished-admin',
  inviterId: 'wished-inviter',
  accountId: 'wished-account',
  tokenHash: 'wished-token',
  ipAddress: 'wished-address',
  userAgent: 'wished-agent',
  status: 'wished-status',
  banReason: 'wished-reason',
  role: 'wished-role',
  emailVerified: true,
  banned: true,
  remembered: false,
  banExpires: '2099-01-01T00:00:00.000Z',
  expiresAt: '2099-01-01T00:00:00.000Z',
  authenticatedAt: '2099-01-01T00:00:00.000Z',
  createdAt: '2001-01-01T00:00:00.000Z',
  updatedAt: '2001-01-01T00:00:00.000Z',
}

/** What an administrator gives to others is no wish. */
const given: Readonly<Record<string, readonly string[]>> = {
  '/admin/create-user': ['role'],
  '/admin/ban-user': ['banReason'],
  '/key/create': ['role'],
}
const wishesAt = (path: string) =>
  Object.fromEntries(Object.entries(wishes).filter(([field]) => !given[path]?.includes(field)))

let wishful: TestService
/** All that was signed and may reach a client. */
const signed: Record<'cookie' | 'cache', string[]> = { cookie: [], cache: [] }
const provider = useStarted(startOpenIdProvider)
const service = useTestService(() => ({ COOKIE_CACHE: 'on', ...provider.settings('GOOGLE') }))
beforeAll(() => {
  for (const purpose of ['cookie', 'cache'] as const) {
    const signer = service.deps.keys[purpose]
    const sign = signer.sign.bind(signer)
    Object.assign(signer, {
      sign: (text: string) => {
        signed[purpose].push(text)
        return sign(text)
      },
    })
  }
  wishful = through(service, (path, ask) => ask(wishesAt(path)))
})

const answers = {
  ...allAnswers(
    () => wishful,
    () => provider,
  ),
}
const asked = knownCalls.map(({ name }) => name).filter((name) => name in answers)
const posts = knownCalls
  .filter(({ call }) => call.method === 'POST' && call.output.type !== 'never')
  .map(({ name }) => name)

it('every call that takes a body is asked here', () => {
  expect(asked).toEqual(expect.arrayContaining(posts))
})

/** They refuse every field that they do not know. */
const strict = ['updateSession', 'createClientKey']

it.each(strict)('%s refuses each wish by its name', async (name) => {
  const { status, body } = await answers[name]!()
  const refused = body.details.map(({ path }: { path: string }) => path)
  // What it knows itself is no wish.
  expect([status, Object.keys(wishes).filter((wish) => !refused.includes(wish))]).toEqual([
    400,
    name === 'createClientKey' ? ['name', 'expiresIn'].filter((wish) => wish in wishes) : [],
  ])
})

it.each(asked.filter((name) => !strict.includes(name)))(
  '%s does what it does, and none of what it was not asked for',
  async (name) => {
    const { status, text } = await answers[name]!()
    expect([status, text]).toEqual([200, expect.not.stringMatching(/wished-|2099-01-01|2001-01-01/)])
  },
)

it('nothing of it is stored by any of them', async () => {
  const { sql } = service.deps
  const dump = await dumpTables(service)
  expect(dump).toContain('Acme')
  expect(dump).not.toMatch(/wished-|2099-01-01|2001-01-01/)
  // Whom banUser bans.
  expect(await sql`select from users where banned`).toHaveLength(1)
  expect(await sql`select from users where not roles <@ '{admin,user}'`).toHaveLength(0)
  const own = sql`select from sessions where not remembered and trust_id is null and impersonated_by is null`
  expect(await own).toHaveLength(0)
})

it('no signature stands under a text that somebody chose: a cookie holds our token or our word', () => {
  const foreign = signed.cookie.filter(
    (text) =>
      !/^cookie:postern\.(?:session_token:[A-Za-z0-9]{43}|state\.([A-Za-z0-9]{8}):\1[A-Za-z0-9]{24}|device_claim:[A-Za-z0-9]{43}|dont_remember:true|session_token_multi-[0-9a-f]{16}:[A-Za-z0-9]{43}|admin_session:[A-Za-z0-9]{43}\.[0-9a-f-]{36})$/.test(
        text,
      ),
  )
  expect([signed.cookie.length > 50, foreign]).toEqual([true, []])
  const bodies = signed.cache.map((text) => JSON.parse(Buffer.from(text, 'base64url').toString()) as object)
  // The cache holds what a session shows, names too: in their own fields, under a key that nothing else is read with.
  expect(new Set(bodies.map((body) => Object.keys(body).join()))).toEqual(
    new Set(['shape,tokenHash,expiresAt,life,session,user']),
  )
})
