import { SignJWT, UnsecuredJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ciClaims, exchange, jobToken, trustIn } from '../../testing/key-answers.ts'
import { untilWaiting } from '../../testing/locks.ts'
import { machine, organizationKey } from '../../testing/machines.ts'
import { type OpenIdProvider, startOpenIdProvider } from '../../testing/openid-provider.ts'
import { done, type Founded, found } from '../../testing/organizations.ts'
import { race } from '../../testing/races.ts'
import { dumpTables } from '../../testing/rows.ts'
import { createTestService, type TestService } from '../../testing/service.ts'
import { testSecret } from '../../testing/settings.ts'
import type { Reply } from '../../testing/visitor.ts'

let provider: OpenIdProvider
let stranger: OpenIdProvider
let service: TestService
let acme: Founded
let trust: { id: string; userId: string }
beforeAll(async () => {
  ;[provider, stranger] = [await startOpenIdProvider(), await startOpenIdProvider()]
  service = await createTestService(provider.settings('GOOGLE'))
  acme = await found(service)
  trust = await trustIn(acme, provider)
})
afterAll(async () => {
  await service.stop()
  await provider.stop()
  await stranger.stop()
})

const job = (claims: object = {}) => jobToken(service, provider, claims)
/** For acme, unless it says another. */
const send = (token: string, fields: object = {}) =>
  exchange(service.visitor(), token, { organization: acme.slug, ...fields })
const refused = { error: 'invalid_request', error_description: 'The token was refused' }
const seconds = () => Math.floor(Date.now() / 1000)

/** What the log and the trail say of a request, whose answer says nothing. */
async function toldOf({ headers }: Reply) {
  const requestId = headers.get('x-request-id')
  const lines = service.logged.filter((line) => line.requestId === requestId && line.msg === 'security event')
  const rows = await service.deps.sql`
    select event, actor_id, user_id, organization_id, target, key_id, details from audit_events where request_id = ${requestId}
  `
  return { lines, rows: [...rows] }
}

describe('the id token of a job that a rule takes', () => {
  it('is a short session of the machine of that rule, which nothing extends', async () => {
    const reply = await send(await job())
    expect(reply).toMatchObject({
      status: 200,
      setCookies: [],
      body: {
        access_token: expect.stringMatching(/^[A-Za-z0-9]{43}$/),
        issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
        token_type: 'Bearer',
        expires_in: 900,
      },
    })
    const ci = machine(service, reply.body.access_token)
    const { session, user } = (await ci.get('/get-session')).body
    expect(user).toMatchObject({ id: trust.userId, name: 'pipeline', email: `${trust.userId}@machine.invalid` })
    expect(session.activeOrganizationId).toBe(acme.id)
    const life = new Date(session.expiresAt).getTime() - new Date(session.createdAt).getTime()
    expect(Math.round(life / 1000)).toBe(900)
    await service.deps.sql`update sessions set expires_at = now() + interval '1 second' where id = ${session.id}`
    const again = await ci.get('/organization/get-active-member')
    expect([again.body.role, again.setCookies]).toEqual(['admin', []])
    expect(await toldOf(reply)).toMatchObject({
      lines: [{ event: 'token-exchanged', userId: trust.userId, organizationId: acme.id, target: trust.id }],
      rows: [{ event: 'token-exchanged', actorId: trust.userId, userId: trust.userId, target: trust.id }],
    })
  })

  it('makes the calls of a machine, and none of a person', async () => {
    const { access_token } = (await send(await job())).body
    const ci = machine(service, access_token)
    expect((await ci.post('/organization/invite-member', { email: 'dave@example.com', role: 'member' })).status).toBe(
      200,
    )
    const [row] = await service.deps
      .sql`select key_id from audit_events where event = 'invitation-sent' order by id desc`
    expect(row).toEqual({ keyId: trust.id })
    for (const reply of [
      await ci.get('/list-sessions'),
      await ci.post('/key/create', { name: 'more' }),
      await ci.post('/update-user', { name: 'Eve' }),
      await ci.post('/delete-user'),
      await ci.post('/organization/set-active', { organizationId: acme.id }),
    ])
      expect(reply).toMatchObject({ status: 403, body: { message: 'Machine keys may not make this call' } })
  })

  it('rotates keys that its roles cover, without a longer life', async () => {
    const ci = machine(service, (await send(await job())).body.access_token)
    const { id, token } = await organizationKey(acme)
    const rotated = await done(ci.post('/key/rotate', { keyId: id, overlap: 0 }))
    expect([rotated.id, rotated.token === token]).toEqual([id, false])
    const elsewhere = await organizationKey(await found(service))
    expect((await ci.post('/key/rotate', { keyId: elsewhere.id })).body.message).toBe('Key not found')
    expect((await ci.post('/key/rotate', { keyId: id, expiresIn: 86_400 })).body.message).toBe(
      'You are not allowed to rotate this key',
    )
    const repository = 'acme/docs'
    await trustIn(acme, provider, { claims: { repository }, role: 'member' })
    const small = machine(service, (await send(await job({ repository }))).body.access_token)
    expect((await small.post('/key/rotate', { keyId: id })).body.message).toBe('Key not found')
  })

  it('may come as a form, as other programs of that standard send it', async () => {
    const form = new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token: await job(),
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      organization: acme.slug,
    })
    const body = form.toString()
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': String(body.length),
    }
    const reply = await service.visitor().send('/token-exchange', { method: 'POST', body, headers })
    expect([reply.status, reply.headers.get('pragma')]).toEqual([200, 'no-cache'])
  })

  it('works once, whoever of many is the first', async () => {
    for (const claims of [{}, { jti: undefined }]) {
      const token = await job(claims)
      const replies = await race(...Array.from({ length: 20 }, () => () => send(token)))
      expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
      expect(replies.filter(({ status }) => status !== 200).every(({ body }) => body.error === refused.error)).toBe(
        true,
      )
      const [header, payload, signature] = token.split('.')
      const padded = await send(`${header}.${payload}.${signature}=`)
      expect(padded.body).toEqual(refused)
    }
  })

  it('stands nowhere, nor does what it was worth', async () => {
    const token = await job()
    const { access_token } = (await send(token)).body
    await send(token)
    const kept = `${await dumpTables(service)}${JSON.stringify(service.logged)}`
    expect([kept.includes(token), kept.includes(token.split('.')[2]!), kept.includes(access_token)]).toEqual([
      false,
      false,
      false,
    ])
  })
})

describe('a token is refused, and its sender told no more,', () => {
  const secret = new TextEncoder().encode(testSecret)
  const claims = () => ({
    aud: service.deps.config.BASE_URL.origin,
    iss: provider.url,
    ...ciClaims,
    exp: seconds() + 60,
  })
  const unsigned = () => new UnsecuredJWT({ ...claims(), iat: seconds() }).encode()
  const shared = () => new SignJWT({ ...claims(), iat: seconds() }).setProtectedHeader({ alg: 'HS256' }).sign(secret)
  const tampered = async () => {
    const [header, , signature] = (await job()).split('.')
    const [, payload] = (await job({ ref: 'refs/heads/other' })).split('.')
    return `${header}.${payload}.${signature}`
  }

  const byNobodyKnown = new Set(['malformed', 'issuer'])

  it.each<[string, () => Promise<string> | string, string]>([
    ['that is none', () => 'no-such-token', 'malformed'],
    ['of another issuer', () => stranger.sign({ ...ciClaims, aud: service.deps.config.BASE_URL.origin }), 'issuer'],
    ['that names an issuer whose keys did not sign it', () => stranger.sign(claims()), 'keys'],
    ['whose claims were changed', tampered, 'signature'],
    ['without a signature', unsigned, 'algorithm'],
    ['signed by a shared secret', shared, 'algorithm'],
    ['that has expired', () => job({ iat: seconds() - 600, exp: seconds() - 300 }), 'expired'],
    ['that is older than an hour', () => job({ iat: seconds() - 3700, exp: seconds() + 600 }), 'too-old'],
    ['that is not valid yet', () => job({ nbf: seconds() + 600 }), 'too-early'],
    ['made in the future', () => job({ iat: seconds() + 600, exp: seconds() + 900 }), 'too-early'],
    ['for another audience', () => job({ aud: 'https://other.example.com' }), 'audience'],
    ['for another audience too', () => job({ aud: [service.deps.config.BASE_URL.origin, 'https://b.co'] }), 'audience'],
    ['of another repository', () => job({ repository: 'evil/site' }), 'claims'],
    ['of a repository whose name goes on', () => job({ repository: 'acme/site-evil' }), 'claims'],
    ['of another branch', () => job({ ref: 'refs/heads/other' }), 'claims'],
    ['that lacks a claim', () => job({ ref: undefined }), 'claims'],
    ['whose claim is a list', () => job({ repository: ['acme/site'] }), 'claims'],
    ['whose claim is in another case', () => job({ repository: 'ACME/site' }), 'claims'],
  ])('%s', async (_what, tokenOf, reason) => {
    const reply = await send(await tokenOf(), { trust: trust.id })
    expect(reply).toMatchObject({ status: 400, body: refused, setCookies: [] })
    const { lines, rows } = await toldOf(reply)
    expect(lines).toMatchObject([{ event: 'token-exchange-refused', reason }])
    expect(rows).toMatchObject([{ event: 'token-exchange-refused', details: { reason }, actorId: null }])
    const isOurs = !byNobodyKnown.has(reason)
    expect(rows).toMatchObject([
      isOurs
        ? { organizationId: acme.id, target: trust.id, userId: trust.userId }
        : { organizationId: null, target: null },
    ])
  })

  it('in the trail of the organization alone, when several of its rules could be meant', async () => {
    await trustIn(acme, provider, { name: 'site', claims: { repository: 'acme/www' } })
    const { rows } = await toldOf(await send(await job({ repository: 'evil/site' })))
    expect(rows).toMatchObject([{ organizationId: acme.id, target: null, userId: null, details: { reason: 'claims' } }])
  })

  it('in no trail of an organization that has no rule for the issuer, or not the named one', async () => {
    const [other, without] = [await found(service), await found(service)]
    const { id } = await trustIn(other, provider, { name: 'elsewhere' })
    await service.deps.sql`update trust_rules set issuer = ${stranger.url} where id = ${id}`
    // Good, but of another issuer than the rule that asks for the same claims.
    expect((await send(await job(), { organization: other.slug })).body).toEqual(refused)
    const token = await job({ iat: seconds() - 600, exp: seconds() - 300 })
    for (const named of [{ organization: other.slug }, { organization: without.id }, { trust: 'elsewhere' }]) {
      const { rows } = await toldOf(await send(token, named))
      expect(rows).toMatchObject([{ organizationId: null, target: null, details: { reason: 'expired' } }])
    }
  })

  it('that was used', async () => {
    const token = await job()
    await done(send(token))
    const { rows } = await toldOf(await send(token))
    expect(rows).toMatchObject([{ details: { reason: 'replayed' }, organizationId: acme.id, target: trust.id }])
  })

  it('while the machine is banned, and its sessions end', async () => {
    const { access_token } = (await send(await job())).body
    const { sql } = service.deps
    await sql`update users set banned = true where id = ${trust.userId}`
    const { rows } = await toldOf(await send(await job()))
    expect(rows).toMatchObject([{ details: { reason: 'ended' } }])
    expect((await machine(service, access_token).get('/get-session')).body).toBeNull()
    await sql`update users set banned = null where id = ${trust.userId}`
  })

  it('is no word about a token whose issuer cannot be asked: that is an outage', async () => {
    const gone = await startOpenIdProvider()
    const at = await service.sibling({ KEY_ISSUERS: gone.url })
    const token = await jobToken(at, gone)
    await gone.stop()
    const reply = await exchange(at.visitor(), token, { organization: acme.slug })
    expect([reply.status, reply.headers.get('retry-after')]).toEqual([503, '5'])
  })
})

describe('whose rule is meant', () => {
  const invalid = { error: 'invalid_request', error_description: 'Invalid parameters' }
  const ofOneRepository = () => ({ repository: `acme/${crypto.randomUUID()}` })
  const whoIs = async (fields: object, token: string) => {
    const { access_token } = await done(send(token, fields))
    return (await machine(service, access_token).get('/get-session')).body.user.id
  }

  it('has to be said, whether one rule takes the token or several, and then it still works', async () => {
    const claims = ofOneRepository()
    const [own, strangers] = [await found(service), await found(service)]
    const token = await job(claims)
    const nowhere = { organization: undefined }
    const theirs = await trustIn(strangers, provider, { claims })
    expect((await send(token, nowhere)).body).toEqual(invalid)
    expect((await send(token, { organization: '' })).body).toEqual(invalid)
    expect((await send(token, { organization: own.slug })).body).toEqual(refused)
    expect((await send(token, { organization: own.id, trust: theirs.id })).body).toEqual(refused)
    const ours = await trustIn(own, provider, { claims })
    expect((await send(token, nowhere)).body).toEqual(invalid)
    expect(await whoIs({ organization: own.slug.toUpperCase() }, token)).toBe(ours.userId)
    expect(await whoIs({ organization: own.id }, await job(claims))).toBe(ours.userId)
    expect(await whoIs({ ...nowhere, trust: ours.id }, await job(claims))).toBe(ours.userId)
  })

  it('the name of a rule does not say, even one that reads like the id of another', async () => {
    const claims = ofOneRepository()
    const [own, strangers] = [await found(service), await found(service)]
    const ours = await trustIn(own, provider, { claims, name: 'deploy' })
    await trustIn(strangers, provider, { claims, name: 'deploy' })
    await trustIn(strangers, provider, { claims, name: ours.id })
    const token = await job(claims)
    expect((await send(token, { organization: undefined, trust: 'deploy' })).body).toEqual(invalid)
    expect((await send(token, { organization: undefined, trust: crypto.randomUUID() })).body).toEqual(refused)
    expect(await whoIs({ organization: undefined, trust: ours.id }, token)).toBe(ours.userId)
    expect(await whoIs({ organization: own.id, trust: 'deploy' }, await job(claims))).toBe(ours.userId)
  })

  it("a slug that reads like another organization's id does not say", async () => {
    const claims = ofOneRepository()
    const [own, strangers] = [await found(service), await found(service)]
    await done(strangers.owner.post('/organization/update', { organizationId: strangers.id, data: { slug: own.id } }))
    await trustIn(strangers, provider, { claims })
    expect((await send(await job(claims), { organization: own.id })).body).toEqual(refused)
    const ours = await trustIn(own, provider, { claims })
    expect(await whoIs({ organization: own.id }, await job(claims))).toBe(ours.userId)
  })

  it('among several of one organization the rule has to be named', async () => {
    const claims = ofOneRepository()
    const firm = await found(service)
    const [first] = [await trustIn(firm, provider, { claims }), await trustIn(firm, provider, { claims, name: 'two' })]
    const token = await job(claims)
    const organization = firm.slug
    expect((await send(token, { organization })).body.error_description).toMatch('Several trust rules')
    expect(await whoIs({ organization, trust: first.id }, token)).toBe(first.userId)
    expect(await whoIs({ organization, trust: 'pipeline' }, await job(claims))).toBe(first.userId)
    const { sql } = service.deps
    const used = await sql`select id from trust_rules where organization_id = ${firm.id} and last_used_at is not null`
    expect(used).toEqual([{ id: first.id }])
  })

  it('a rule for another audience is none of them', async () => {
    const claims = ofOneRepository()
    const elsewhere = { claims, audience: 'https://other.example.com' }
    await trustIn(acme, provider, elsewhere)
    const own = await trustIn(acme, provider, { claims })
    await trustIn(acme, provider, elsewhere)
    expect(await whoIs({}, await job(claims))).toBe(own.userId)
  })
})

describe('a rule', () => {
  it.each([
    ['https://token.actions.githubusercontent.com', { ref: 'refs/heads/main', sub: 'repo:acme/site:ref' }, false],
    ['https://token.actions.githubusercontent.com', { repository_owner: 'acme' }, true],
    ['https://gitlab.com', { user_login: 'ann' }, false],
    ['https://gitlab.com', { project_path: 'acme/site' }, true],
    ['https://agent.buildkite.com', { pipeline_slug: 'site' }, false],
    ['https://agent.buildkite.com', { organization_slug: 'acme' }, true],
    ['https://ci.example.com', { iss: 'https://ci.example.com', aud: 'http://localhost:4100' }, false],
    ['https://ci.example.com', { iss: 'https://ci.example.com', job: 'deploy' }, true],
  ])('for %s with %j pins down whose jobs they are: %s', async (issuer, claims, isMade) => {
    const at = await service.sibling({ KEY_ISSUERS: issuer, DATABASE_POOL: '1' })
    const firm = await found(at)
    const made = await firm.owner.post('/key/trust/create', {
      name: 'ci',
      organizationId: firm.id,
      issuer,
      claims,
      role: 'member',
    })
    expect(made.status).toBe(isMade ? 200 : 400)
  })

  it('that is deleted takes its machine and every session of that along', async () => {
    const claims = { repository: `acme/${crypto.randomUUID()}` }
    const made = await trustIn(acme, provider, { claims })
    const { access_token } = await done(send(await job(claims)))
    await done(acme.owner.post('/key/trust/delete', { trustId: made.id }))
    expect((await machine(service, access_token).get('/get-session')).body).toBeNull()
    expect((await send(await job(claims))).body).toEqual(refused)
    expect((await dumpTables(service, 'audit_events')).includes(made.userId)).toBe(false)
  })

  it('whose machine is being removed lets nobody in', async () => {
    const claims = { repository: `acme/${crypto.randomUUID()}` }
    const { userId } = await trustIn(acme, provider, { claims })
    const token = await job(claims)
    let asked: Promise<Reply> | undefined
    await service.deps.sql.begin(async (tx) => {
      await tx`delete from users where id = ${userId}`
      asked = send(token)
      await untilWaiting(service)
    })
    expect((await asked)?.body).toEqual(refused)
  })

  it('of an issuer that the operator no longer names lets nobody in', async () => {
    const other = await service.sibling({ KEY_ISSUERS: 'https://gitlab.com' })
    expect((await exchange(other.visitor(), await job(), { organization: acme.slug })).body).toEqual(refused)
  })
})

it('counts what is refused by network, and nothing that is taken', async () => {
  const limited = await createTestService(
    { ...provider.settings('GOOGLE'), RATE_LIMIT: 'on' },
    { limits: { exchangeFailures: { max: 3 } } },
  )
  const firm = await found(limited)
  await trustIn(firm, provider)
  const visitor = limited.visitor()
  const organization = { organization: firm.id }
  for (let time = 0; time < 5; time += 1) await done(exchange(visitor, await jobToken(limited, provider), organization))
  for (let time = 0; time < 3; time += 1) expect((await exchange(visitor, 'x', organization)).status).toBe(400)
  expect((await exchange(visitor, await jobToken(limited, provider), organization)).status).toBe(429)
  expect((await exchange(limited.visitor(), await jobToken(limited, provider), organization)).status).toBe(200)
  await limited.stop()
})

it('counts no token whose issuer cannot be asked', async () => {
  const gone = await startOpenIdProvider()
  const limited = await createTestService(
    { KEY_ISSUERS: `${provider.url},${gone.url}`, RATE_LIMIT: 'on' },
    { limits: { exchangeFailures: { max: 1 } } },
  )
  const firm = await found(limited)
  await trustIn(firm, provider)
  const visitor = limited.visitor()
  const organization = { organization: firm.id }
  const token = await jobToken(limited, gone)
  await gone.stop()
  for (let time = 0; time < 3; time += 1) expect((await exchange(visitor, token, organization)).status).toBe(503)
  expect((await exchange(visitor, await jobToken(limited, provider), organization)).status).toBe(200)
  await limited.stop()
})

it('gives a job its session where its try cannot be taken back: another would be refused', async () => {
  const limited = await createTestService({ ...provider.settings('GOOGLE'), RATE_LIMIT: 'on' })
  const { sql } = limited.deps
  const firm = await found(limited)
  await trustIn(firm, provider)
  await sql`
    create function fail() returns trigger language plpgsql
    as $$ begin raise exception 'locked' using errcode = 'lock_not_available'; end $$
  `
  await sql`
    create trigger fails before update on rate_limits for each row when (new.count < old.count) execute function fail()
  `
  const token = await jobToken(limited, provider)
  const { access_token } = await done(exchange(limited.visitor(), token, { organization: firm.id }))
  expect((await machine(limited, access_token).get('/get-session')).status).toBe(200)
  const said = limited.logged.filter(({ msg }) => msg === 'a token exchange could not be refunded at its rate limit')
  expect(said).toMatchObject([{ level: 40 }])
  await limited.stop()
})
