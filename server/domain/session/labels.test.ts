import { describe, expect, it } from 'vitest'
import { labelHeader } from '../../../shared/text-rules.ts'
import { actingAs, adminOf, somebody } from '../../testing/admins.ts'
import { approve, clientId, startWaiting } from '../../testing/device.ts'
import { exchange, jobToken, trustIn } from '../../testing/key-answers.ts'
import { machine } from '../../testing/machines.ts'
import { startOpenIdProvider } from '../../testing/openid-provider.ts'
import { found } from '../../testing/organizations.ts'
import { testPassword } from '../../testing/service.ts'
import { useStarted, useTestService } from '../../testing/use-service.ts'
import type { Visitor } from '../../testing/visitor.ts'

const provider = useStarted(startOpenIdProvider)
const service = useTestService(() => provider.settings('GOOGLE'))

const named = (label: string) => ({ [labelHeader]: label })
const as = (token: string) => ({ authorization: `Bearer ${token}` })
const labelOf = async (visitor: Visitor, headers: Record<string, string> = {}) =>
  (await visitor.get('/get-session', headers)).body.session.label
const told = async (event: string, userId: string) => {
  const rows = await service.deps.sql`
    select details from audit_events where event = ${event} and user_id = ${userId} order by created_at desc limit 1
  `
  return rows[0]?.details
}

describe('a session is called as its machine calls itself', () => {
  it('at sign-up and at sign-in, in the list and in the trail, and not in the log', async () => {
    const email = 'labels@example.com'
    const [laptop, desk] = [service.visitor(), service.visitor()]
    const { body } = await laptop.post(
      '/sign-up/email',
      { email, name: 'Ann', password: testPassword },
      named('laptop'),
    )
    await desk.post('/sign-in/email', { email, password: testPassword }, named('Anns%20B%C3%BCro'))
    expect([await labelOf(laptop), await labelOf(desk)]).toEqual(['laptop', 'Anns Büro'])
    const listed = (await desk.get('/list-sessions')).body.map(({ label }: { label: string }) => label)
    expect(listed).toEqual(['Anns Büro', 'laptop'])
    expect(await told('sign-up-done', body.user.id)).toEqual({ label: 'laptop' })
    expect(await told('sign-in-done', body.user.id)).toEqual({ label: 'Anns Büro' })
    const admin = await adminOf(service)
    const seen = (await admin.post('/admin/list-user-sessions', { userId: body.user.id })).body.sessions
    expect(seen.map(({ label }: { label: string }) => label)).toEqual(['Anns Büro', 'laptop'])
    expect(JSON.stringify(service.logged)).not.toMatch(/Büro|"laptop"/)
  })

  it.each([
    ['x'.repeat(10_000), 'x'.repeat(64)],
    [encodeURIComponent('a\u001b]0;owned\u0007\r\nb\u202e'), 'a ]0;owned b'],
    ['%00%00', null],
    ['%ff%fe', '%ff%fe'],
    ['', null],
  ])('cut, and without what a terminal or a page would obey: %.20s', async (header, label) => {
    const ann = await service.person()
    await ann.post('/sign-in/email', { email: ann.email, password: testPassword }, named(header))
    expect(await labelOf(ann)).toBe(label)
  })

  it('with an id token of a provider', async () => {
    const visitor = service.visitor()
    const idToken = {
      token: await provider.sign({ sub: 'label-1', email: 'label-1@example.com', email_verified: true }),
    }
    const { status } = await visitor.post('/sign-in/social', { provider: 'google', idToken }, named('build-7'))
    expect([status, await labelOf(visitor)]).toEqual([200, 'build-7'])
  })

  it('of the machine that asked for a device sign-in, not of who approved, polls or looks', async () => {
    const { id, ...ann } = await somebody(service)
    const asking = service.visitor()
    const { body } = await asking.post('/device/code', { client_id: clientId }, named('<b>tv</b>'))
    const seen = await ann.get(`/device?user_code=${body.user_code}`, named('approver'))
    expect(seen.body.label).toBe('<b>tv</b>')
    await ann.post('/device/approve', { userCode: body.user_code }, named('approver'))
    const fields = { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', client_id: clientId }
    const polled = await asking.post('/device/token', { ...fields, device_code: body.device_code }, named('other'))
    expect(await labelOf(asking, as(polled.body.access_token))).toBe('<b>tv</b>')
    expect(await told('sign-in-done', id)).toEqual({ label: '<b>tv</b>' })
  })

  it('not at all where it did not say when it asked', async () => {
    const { id, ...ann } = await somebody(service)
    const waiting = await startWaiting(service)
    expect((await ann.get(`/device?user_code=${waiting.userCode}`)).body).not.toHaveProperty('label')
    await approve(ann, waiting)
    const token = (await waiting.poll()).body.access_token
    expect([await labelOf(waiting.machine, as(token)), await told('sign-in-done', id)]).toEqual([null, {}])
  })

  it('of a job that signs in by a trust rule', async () => {
    const acme = await found(service)
    await trustIn(acme, provider)
    const visitor = service.visitor()
    const post = (path: string, body?: unknown, headers = {}) =>
      visitor.post(path, body, { ...headers, ...named('ci-3') })
    const { body } = await exchange({ ...visitor, post }, await jobToken(service, provider), {
      organization: acme.slug,
    })
    expect(await labelOf(machine(service, body.access_token))).toBe('ci-3')
  })

  it('still when a new password renews it', async () => {
    const ann = await service.person()
    await ann.post('/sign-in/email', { email: ann.email, password: testPassword }, named('laptop'))
    const change = {
      currentPassword: testPassword,
      newPassword: 'another horse battery staple',
      revokeOtherSessions: true,
    }
    expect((await ann.post('/change-password', change, named('liar'))).status).toBe(200)
    expect(await labelOf(ann)).toBe('laptop')
  })

  it('and an administrator who acts as somebody does so from the machine they are at', async () => {
    const { admin } = await actingAs(service)
    expect(await labelOf(admin)).toBeNull()
    const other = await adminOf(service)
    await other.post('/sign-in/email', { email: other.email, password: testPassword }, named('desk'))
    const user = await somebody(service)
    await other.post('/admin/impersonate-user', { userId: user.id })
    expect(await labelOf(other)).toBe('desk')
  })
})

it('get-session stays one statement with a label', async () => {
  const ann = await service.person()
  await ann.post('/sign-in/email', { email: ann.email, password: testPassword }, named('laptop'))
  service.statements.forget()
  await labelOf(ann)
  expect(service.statements.list).toHaveLength(1)
})
