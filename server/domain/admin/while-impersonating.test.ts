import { decodeJwt } from 'jose'
import { expect, it } from 'vitest'
import * as devicePage from '../../../shared/contract/device-page.ts'
import { allowedWhileImpersonating } from '../../../shared/contract/while-impersonating.ts'
import { sendFormTo } from '../../pages/testing/forms.ts'
import { adminOf, type Somebody } from '../../testing/admins.ts'
import { type KnownCall, knownCalls, noSuchMark } from '../../testing/calls.ts'
import { startWaiting } from '../../testing/device.ts'
import { isAlive, organizationKey, ownKey } from '../../testing/machines.ts'
import { isSignedIn } from '../../testing/mailed.ts'
import { startOpenIdProvider } from '../../testing/openid-provider.ts'
import { done, type Founded, found } from '../../testing/organizations.ts'
import { proveAddress } from '../../testing/prove-address.ts'
import { inTurn } from '../../testing/rounds.ts'
import { dumpTables } from '../../testing/rows.ts'
import { testPassword } from '../../testing/service.ts'
import { useStarted, useTestService } from '../../testing/use-service.ts'
import type { Reply } from '../../testing/visitor.ts'
import { webhookOf } from '../../testing/webhook-calls.ts'

const provider = useStarted(startOpenIdProvider)
const service = useTestService(() => ({ ...provider.settings('GOOGLE'), RATE_LIMIT: 'off' }))

const isListed = ({ call }: KnownCall) => allowedWhileImpersonating.has(call.path)

/** An owner with something of everything, and an administrator who acts as them. */
interface World {
  readonly acme: Founded
  readonly admin: Somebody
  /** What stands for nobody and nothing in the usual inputs → somebody and something of the owner's. */
  readonly real: Readonly<Record<string, string>>
  /** All rows but the trail's, from before. */
  readonly before: string
}

async function acting(): Promise<World> {
  const [acme, other, admin] = [await found(service), await found(service), await adminOf(service)]
  const member = await acme.join('member')
  const elsewhere = service.visitor()
  await elsewhere.post('/sign-in/email', { email: acme.owner.email, password: testPassword })
  const { id: handle } = (await elsewhere.get('/get-session')).body.session
  await acme.invite('guest@example.com')
  const real = {
    'no-such-organization': acme.id,
    'no-such-slug': acme.slug,
    'no-such-team': acme.teamId ?? '',
    'no-such-member': member.memberId,
    'no-such-user': member.userId,
    'nobody@example.com': member.email,
    'no-such-session': handle,
    'no-such-invitation': await other.invite(acme.owner.email),
    [noSuchMark]: (await done(acme.owner.get('/organization/list-activity?limit=1'))).latest,
    'no-such-key': (await ownKey(acme.owner)).id,
    'no-such-webhook': (await webhookOf(acme)).id,
    'wrong horse battery staple': testPassword,
  }
  await organizationKey(acme)
  // Makes the keys that sign.
  await done(acme.owner.get('/token'))
  const before = await dumpTables(service, 'audit_events')
  await done(admin.post('/admin/impersonate-user', { userId: acme.owner.userId }))
  await done(admin.post('/organization/set-active', { organizationId: acme.id }))
  return { acme, admin, real, before }
}

/** What others may do only administrators ask. */
const aboutOneself = { permissions: { user: ['list'] } }

/** The usual input about what there is. */
const realInput = ({ name, input }: KnownCall, { real }: World): Record<string, unknown> =>
  JSON.parse(JSON.stringify(name === 'hasPlatformPermission' ? aboutOneself : input), (_, value: unknown) =>
    typeof value === 'string' ? (real[value] ?? value) : value,
  )

function ask(known: KnownCall, world: World): Promise<Reply> {
  const { call, headers } = known
  const input = realInput(known, world)
  const path = call.path.replaceAll(/\{(\w+)\}/g, (_, field: string) => String(input[field]))
  const query = new URLSearchParams(input as Record<string, string>).toString()
  return call.method === 'GET' ? world.admin.get(`${path}?${query}`, headers) : world.admin.post(path, input, headers)
}

const ending = ['stopImpersonating', 'signOut']
const asked = knownCalls.filter(({ call }) => call.access !== 'anyone')

it('every call that is not listed is refused and changes nothing, and nothing is left when it is over', async () => {
  const world = await acting()
  const during = await dumpTables(service)
  for (const known of asked.filter((one) => !isListed(one))) {
    const { status, body } = await ask(known, world)
    expect([known.name, status, body?.code]).toEqual([known.name, 403, 'NOT_ALLOWED_WHILE_IMPERSONATING'])
    expect([known.name, await dumpTables(service)]).toEqual([known.name, during])
  }
  await done(world.admin.post('/admin/stop-impersonating'))
  expect(await dumpTables(service, 'audit_events')).toBe(world.before)
})

it.each(inTurn(asked.filter((one) => isListed(one) && !ending.includes(one.name))))(
  '$name answers, and changes no more than the session that impersonates',
  async (known) => {
    const world = await acting()
    const during = await dumpTables(service, 'sessions')
    expect((await ask(known, world)).status).toBe(200)
    expect(await dumpTables(service, 'sessions')).toBe(during)
    await done(world.admin.post('/admin/stop-impersonating'))
    expect(await dumpTables(service, 'audit_events')).toBe(world.before)
  },
)

it('what is listed are calls that there are, and each looks a session up or ends it', () => {
  const known = [...knownCalls.map(({ call }) => call), ...Object.values(devicePage)]
  const named = known.filter(({ path }) => allowedWhileImpersonating.has(path))
  expect(new Set(named.map(({ path }) => path))).toEqual(allowedWhileImpersonating)
  const forAnyone = named.filter(({ access }) => access === 'anyone').map(({ path }) => path)
  expect(forAnyone.toSorted()).toEqual(['/get-session', '/sign-out'])
})

it('whatever a key with the scope read can look at is answered', () => {
  const reading = asked.filter(({ call }) => call.scope === 'read')
  expect(reading.length).toBeGreaterThan(10)
  expect(reading.filter((one) => !isListed(one)).map(({ call }) => call.path)).toEqual([])
})

it('nobody becomes an owner by an invitation that they sent themselves as somebody else', async () => {
  const { acme, admin } = await acting()
  await proveAddress(service.deps.sql, admin.email)
  const invitation = { email: admin.email, role: 'owner', organizationId: acme.id }
  expect((await admin.post('/organization/invite-member', invitation)).body).toEqual({
    code: 'NOT_ALLOWED_WHILE_IMPERSONATING',
    message: 'Not allowed while impersonating: stop impersonating first',
  })
  await done(admin.post('/admin/stop-impersonating'))
  expect((await admin.get('/organization/list-user-invitations')).body).toEqual([])
  expect((await admin.post('/organization/invite-member', invitation)).body.message).toBe('Member not found')
})

it('ends neither the other sessions nor the keys of the user', async () => {
  const { acme, admin } = await acting()
  const { token } = await ownKey(acme.owner)
  for (const path of ['/revoke-other-sessions', '/revoke-sessions']) expect((await admin.post(path)).status).toBe(403)
  expect([await isAlive(service, token), await isSignedIn(acme.owner)]).toEqual([true, true])
})

it('is nobody on the page that signs another machine in', async () => {
  const { admin } = await acting()
  const waiting = await startWaiting(service)
  await sendFormTo('/page/device', admin, { user_code: waiting.userCode })
  const { text } = await sendFormTo('/page/device/session', admin, {})
  expect(text).toContain('You are no longer signed in here')
  expect((await waiting.poll()).body.error).toBe('authorization_pending')
})

it('gets a token for other services that ends with the impersonation', async () => {
  const { admin } = await acting()
  await service.deps.sql`
    update sessions set expires_at = now() + interval '1 minute' where impersonated_by = ${admin.id}
  `
  const { exp = 0, act } = decodeJwt((await admin.get('/token')).body.token)
  expect([act, exp * 1000 - Date.now() <= 60_000]).toEqual([{ sub: admin.id }, true])
})
