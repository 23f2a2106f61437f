import { describe, expect, it } from 'vitest'
import { dump } from '../testing/calls.ts'
import { readMails } from '../testing/mails.ts'
import { testPassword } from '../testing/service.ts'
import { useMade, useTestService } from '../testing/use-service.ts'
import type { Visitor } from '../testing/visitor.ts'
import { formPath, ownForm, sendForm } from './testing/forms.ts'
import { payloads } from './testing/payloads.ts'

const service = useTestService()

const newPassword = 'violet lantern under nine bridges'

/** The token of a mailed link to set a new password, and who asked for it. */
async function forgotten(of = service): Promise<{ ann: Visitor & { email: string }; token: string }> {
  const ann = await of.person()
  await of.visitor().post('/forget-password', { email: ann.email })
  const mails = await readMails(of)
  const mail = mails.find(({ kind, to }) => kind === 'reset-password' && to === ann.email)
  return { ann, token: mail?.token ?? '' }
}

const signIn = async (email: string, password: string) =>
  (await service.visitor().post('/sign-in/email', { email, password })).status

const isFormOf = (text: string, token: string) => text.includes(`<input type="hidden" name="token" value="${token}"/>`)
const alertOf = (text: string) => /<p role="alert">([^<]*)<\/p>/.exec(text)?.[1]

describe('the mailed link', () => {
  it('leads through the form to a new password, once', async () => {
    const { ann, token } = await forgotten()
    const link = (await readMails(service)).find((mail) => mail.token === token)?.url ?? ''
    const landing = (await service.visitor().get(link)).headers.get('location') ?? ''
    expect(landing).toBe(`http://localhost:4100/api/auth${formPath}?token=${token}`)
    expect(isFormOf((await service.visitor().get(landing)).text, token)).toBe(true)
    const visitor = service.visitor()
    const { status, headers, text } = await sendForm(visitor, { token, newPassword, newPasswordAgain: newPassword })
    expect([status, headers.get('location'), text]).toEqual([303, '/api/auth/page/password-changed', ''])
    expect([await signIn(ann.email, newPassword), await signIn(ann.email, testPassword)]).toEqual([200, 401])
    expect((await ann.get('/get-session')).text).toBe('null')
    expect((await service.visitor().get(link)).headers.get('location')).toContain('?error=INVALID_TOKEN')
    const again = await sendForm(service.visitor(), { token, newPassword: `${newPassword}!` })
    expect([again.status, again.text.includes('<form')]).toEqual([400, false])
    expect(again.text).toMatch(/<h1>This link no longer works<.*sent the form twice.*postern account password forgot/s)
    expect(await signIn(ann.email, newPassword)).toBe(200)
  })

  it('works by Fetch Metadata alone, and without the second field', async () => {
    const { ann, token } = await forgotten()
    const { status } = await sendForm(service.visitor(), { token, newPassword }, { 'sec-fetch-site': 'same-origin' })
    expect([status, await signIn(ann.email, newPassword)]).toEqual([303, 200])
  })
})

describe('a refused password', () => {
  it.each([
    ['short', 'short', 'This password is too short: choose one of at least 8 characters.'],
    ['long', 'x1'.repeat(65), 'This password is too long: choose one of at most 128 characters.'],
    ['common', 'password1234', 'This password is too easy to guess. Choose another one.'],
  ])('that is %s brings the form back, and does not burn the token', async (_name, given, sentence) => {
    const { ann, token } = await forgotten()
    const before = await dump(service)
    const fields = { token, newPassword: given, newPasswordAgain: given }
    const { status, text, headers } = await sendForm(service.visitor(), fields)
    expect([status, alertOf(text), isFormOf(text, token)]).toEqual([400, sentence, true])
    expect([headers.get('referrer-policy'), headers.get('content-type')]).toEqual([
      'same-origin',
      'text/html; charset=utf-8',
    ])
    expect(text).not.toContain(given === 'short' ? 'value="short"' : given)
    expect(await dump(service)).toBe(before)
    expect((await sendForm(service.visitor(), { token, newPassword })).status).toBe(303)
    expect(await signIn(ann.email, newPassword)).toBe(200)
  })

  it('that was not typed twice brings the form back, and counts nothing', async () => {
    const { ann, token } = await forgotten()
    service.statements.forget()
    const fields = { token, newPassword, newPasswordAgain: `${newPassword} ` }
    const { status, text } = await sendForm(service.visitor(), fields)
    expect([status, alertOf(text)]).toEqual([400, 'The two passwords are not the same. Type the new one twice.'])
    expect(service.statements.list).toEqual([])
    expect(text).not.toContain(newPassword)
    expect(await signIn(ann.email, testPassword)).toBe(200)
  })

  it.each(payloads)('is never shown, nor what stands for the token: %s', async (payload) => {
    const { status, text } = await sendForm(service.visitor(), { token: payload, newPassword: payload.padEnd(8, 'x') })
    const plain = await sendForm(service.visitor(), { token: 'a1', newPassword })
    expect([status, text]).toEqual([400, plain.text])
    const kept = await sendForm(service.visitor(), { token: 'a1', newPassword: payload, newPasswordAgain: '' })
    expect(kept.text).toBe((await sendForm(service.visitor(), { token: 'a1', newPassword, newPasswordAgain: '' })).text)
  })
})

it('says how long to wait when there were too many tries, in words and in headers', async () => {
  const limited = await service.sibling({ RATE_LIMIT: 'on' })
  const { token } = await forgotten(limited)
  const visitor = limited.visitor()
  const send = (with_: string) => sendForm(visitor, { token: with_, newPassword })
  const statuses = [await send('a1'), await send('a2'), await send('a3')].map(({ status }) => status)
  const { status, text, headers } = await send(token)
  const seconds = headers.get('retry-after')
  expect([...statuses, status]).toEqual([400, 400, 400, 429])
  expect(seconds).toMatch(/^\d+$/)
  expect(alertOf(text)).toMatch(
    new RegExp(`^Too many attempts. Nothing was changed. Submit the form again in ${seconds} seconds?.$`),
  )
  expect([isFormOf(text, token), headers.get('x-retry-after')]).toEqual([true, seconds])
  expect((await sendForm(limited.visitor(), { token, newPassword })).status).toBe(303)
})

describe('a form that was not sent by our own page', () => {
  const trusting = useMade(() => service.sibling({ TRUSTED_ORIGINS: 'https://app.test' }))

  const site = 'sec-fetch-site'
  it.each<[string, Record<string, string>]>([
    ['a foreign origin', { origin: 'https://evil.test', [site]: 'cross-site' }],
    ['a foreign origin that says it is ours', { origin: 'https://evil.test', [site]: 'same-origin' }],
    ['another trusted origin', { origin: 'https://app.test', [site]: 'cross-site' }],
    ['another port', { origin: 'http://localhost:4101', [site]: 'same-site' }],
    ['a sandboxed page', { origin: 'null', [site]: 'cross-site' }],
    ['a sandboxed page of ours', { origin: 'null', [site]: 'same-origin' }],
    ['a neighbour of the site', { [site]: 'same-site' }],
    ['the address bar', { [site]: 'none' }],
    ['nobody', {}],
    ['nobody, with a referer of ours', { referer: 'http://localhost:4100/api/auth/page/reset-password' }],
    ['nobody, with a bearer token', { authorization: 'Bearer x' }],
    ['a foreign origin with a bearer token', { origin: 'https://evil.test', authorization: 'Bearer x' }],
    ['an origin that only begins like ours', { origin: 'http://localhost:4100.evil.test' }],
    ['two origins', { origin: 'http://localhost:4100, https://evil.test' }],
    ['an empty origin', { origin: '', [site]: 'same-origin' }],
  ])('is refused from %s, and nothing is asked or changed', async (_name, headers) => {
    const { ann, token } = await forgotten()
    const before = await dump(service)
    trusting.statements.forget()
    const reply = await sendForm(trusting.visitor(), { token, newPassword }, headers)
    expect([reply.status, reply.body]).toEqual([403, { code: 'INVALID_ORIGIN', message: 'Invalid origin' }])
    expect([await dump(service), trusting.statements.list]).toEqual([before, []])
    expect((await ann.get('/get-session')).body.user.email).toBe(ann.email)
  })
})

it('whoever opens or sends the form where passwords sign nobody in is told to sign in another way', async () => {
  const { token } = await forgotten()
  const off = await service.sibling({ EMAIL_PASSWORD: 'off' })
  const accept = 'text/html,application/xhtml+xml'
  const opened = await off.visitor().get(`${formPath}?token=${token}`, { accept })
  expect([opened.status, opened.text]).toEqual([400, expect.stringContaining('Sign in another way.')])
  expect(opened.text).not.toContain('<form')
  const { status, text } = await sendForm(off.visitor(), { token, newPassword }, { ...ownForm, accept })
  expect([status, text]).toEqual([400, expect.stringContaining('Sign in another way.')])
})

it.each([
  ['JSON', { 'content-type': 'application/json' }],
  ['plain text', { 'content-type': 'text/plain' }],
  ['parts', { 'content-type': 'multipart/form-data; boundary=x' }],
])('takes no %s: scripts have the API', async (_name, type) => {
  const { token } = await forgotten()
  const before = await dump(service)
  const { status } = await service.visitor().post(formPath, { token, newPassword }, { ...ownForm, ...type })
  expect([status, await dump(service)]).toEqual([415, before])
})

it('logs neither token nor password, wherever they stood', async () => {
  const { ann, token } = await forgotten()
  const visitor = service.visitor()
  const mail = (await readMails(service)).find((found) => found.token === token)
  await visitor.get(mail?.url ?? '')
  await visitor.get(`${formPath}?token=${token}`)
  await visitor.get(`/reset-password/${token}`)
  await visitor.get(`/reset-password/${token}/`)
  await visitor.get(`/page/verified?error=${token}`)
  await sendForm(visitor, { token, newPassword: 'shortie' })
  await sendForm(visitor, { token, newPassword: 'shortie' }, {})
  await sendForm(visitor, { token, newPassword })
  expect(await signIn(ann.email, newPassword)).toBe(200)
  const written = JSON.stringify(service.logged)
  expect(written).not.toMatch(new RegExp(`${token}|shortie|${newPassword}|${ann.email}`))
  const routes = new Set(
    service.logged.map(({ method, route, status }) => `${String(method)} ${String(route)} ${String(status)}`),
  )
  expect([...routes]).toEqual(
    expect.arrayContaining([
      'GET /reset-password/{token} 302',
      'GET /page/reset-password 200',
      'POST /page/reset-password 303',
      'GET (unknown) 404',
    ]),
  )
})
