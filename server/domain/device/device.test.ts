import { describe, expect, it } from 'vitest'
import { deviceGrantType } from '../../../shared/device.ts'
import { sweep } from '../../process/sweeper.ts'
import { ageDevices, approve, clientId, startWaiting } from '../../testing/device.ts'
import { userOf } from '../../testing/mailed.ts'
import { lastMail } from '../../testing/mails.ts'
import { ageSessions, dumpTables } from '../../testing/rows.ts'
import { testPassword } from '../../testing/service.ts'
import { useTestService } from '../../testing/use-service.ts'

const service = useTestService()

const errorOf = ({ status, body }: { status: number; body: { error?: string } }) => `${status} ${body.error}`
const base = 'http://localhost:4100/api/auth'
const as = (token: string) => ({ authorization: `Bearer ${token}` })

describe('a device sign-in', () => {
  it('ends with a session of the person who approved it, for the machine that asked', async () => {
    const ann = await service.person()
    const machine = service.visitor('203.0.113.7')
    const asked = await machine.post('/device/code', { client_id: clientId }, { 'user-agent': 'terminal/1' })
    expect(asked.body).toEqual({
      device_code: expect.stringMatching(/^[A-Za-z0-9]{43}$/),
      user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
      verification_uri: `${base}/page/device`,
      verification_uri_complete: `${base}/page/device?user_code=${asked.body.user_code}`,
      expires_in: 600,
      interval: 5,
    })
    expect([asked.headers.get('cache-control'), asked.headers.get('pragma')]).toEqual(['no-store', 'no-cache'])
    const poll = () =>
      machine.post(
        '/device/token',
        { grant_type: deviceGrantType, device_code: asked.body.device_code, client_id: clientId },
        { 'user-agent': 'terminal/1' },
      )
    expect(errorOf(await poll())).toBe('400 authorization_pending')
    const seen = await ann.get(`/device?user_code=${asked.body.user_code}`)
    expect(seen.body).toMatchObject({
      status: 'pending',
      client_id: clientId,
      ip_address: '203.0.113.7',
      user_agent: 'terminal/1',
    })
    expect((await ann.post('/device/approve', { userCode: asked.body.user_code })).body).toEqual({ success: true })
    await ageDevices(service, 5)
    const { status, body, headers, setCookies } = await poll()
    expect([status, body, setCookies]).toEqual([
      200,
      {
        access_token: expect.stringMatching(/^[A-Za-z0-9]{43}$/),
        token_type: 'Bearer',
        expires_in: 604_800,
        scope: '',
      },
      [],
    ])
    expect([headers.get('cache-control'), headers.get('pragma')]).toEqual(['no-store', 'no-cache'])
    const { user, session } = (await machine.get('/get-session', as(body.access_token))).body
    expect([user.email, session.ipAddress, session.userAgent]).toEqual([ann.email, '203.0.113.7', 'terminal/1'])
    const listed = (await ann.get('/list-sessions')).body
    const [named] = listed.filter(({ userAgent }: { userAgent: string }) => userAgent === 'terminal/1')
    await ann.post('/revoke-session', { token: named.token })
    expect((await machine.get('/get-session', as(body.access_token))).body).toBeNull()
    expect(errorOf(await poll())).toBe('400 invalid_grant')
  })

  it('is asked for and polled with forms too, as OAuth has it', async () => {
    const form = (path: string, fields: string) =>
      service.visitor().send(path, {
        method: 'POST',
        body: fields,
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          'content-length': String(Buffer.byteLength(fields)),
        },
      })
    const { status, body } = await form('/device/code', `client_id=${clientId}&scope=&redirect_uri=`)
    expect([status, Object.keys(body)]).toEqual([200, expect.arrayContaining(['device_code'])])
    const poll = new URLSearchParams({
      grant_type: deviceGrantType,
      device_code: body.device_code,
      client_id: clientId,
    })
    expect(errorOf(await form('/device/token', poll.toString()))).toBe('400 authorization_pending')
    expect(errorOf(await form('/device/code', `client_id=${clientId}&client_id=${clientId}`))).toBe(
      '400 invalid_request',
    )
    expect(errorOf(await form('/device/code', 'client_id='))).toBe('400 invalid_request')
  })

  it('takes the code in any case, with whatever signs are around its letters', async () => {
    const { userCode } = await startWaiting(service)
    const [one = '', other = ''] = userCode.split('-')
    const wide = userCode.replaceAll(/[A-Z]/g, (letter) => String.fromCodePoint(letter.charCodeAt(0) + 0xfee0))
    const cases = [userCode.toLowerCase(), one + other, ` ${one} ${other} `, `${one}–${other}`, wide]
    for (const typed of [userCode, ...cases, `${userCode}.`, `“${userCode}”`, `\u2066\`${userCode}\`\u2069`])
      expect((await service.visitor().get(`/device?user_code=${encodeURIComponent(typed)}`)).body).toEqual({
        user_code: typed,
        status: 'pending',
      })
  })

  it('costs one statement a poll, and two when it is over', async () => {
    const { poll, ...asked } = await startWaiting(service)
    service.statements.forget()
    await poll()
    expect(service.statements.list).toHaveLength(1)
    await approve(await service.person(), { poll, ...asked })
    await ageDevices(service, 5)
    service.statements.forget()
    expect((await poll()).status).toBe(200)
    expect(service.statements.list).toHaveLength(2)
  })

  it('keeps the number of sessions within its limit', async () => {
    const few = await service.sibling({ SESSION_LIMIT: '2' })
    const ann = await few.person()
    for (let count = 0; count < 3; count += 1) {
      const asked = await startWaiting(few)
      await approve(ann, asked)
      expect((await asked.poll()).status).toBe(200)
      await ann.post('/sign-in/email', { email: ann.email, password: testPassword })
    }
    expect((await ann.get('/list-sessions')).body).toHaveLength(2)
  })

  it('is as fresh as the proof of the person who approved it, never fresher', async () => {
    const ann = await service.person()
    await ageSessions(service, ann.email, 2 * 86_400)
    const asked = await startWaiting(service)
    await approve(ann, asked)
    const token = (await asked.poll()).body.access_token
    const change = { newEmail: `new-${ann.email}` }
    expect((await service.visitor().post('/change-email', change, as(token))).body.code).toBe('SESSION_IS_NOT_FRESH')
  })
})

// Threat: a database, a log or a link that somebody else reads.
it('the secret that is polled with stands nowhere but in the answer', async () => {
  const asked = await startWaiting(service, { redirect_uri: 'http://127.0.0.1:49152/' })
  const led = await approve(await service.person(), asked)
  const code = new URL(led.body.redirect_uri).searchParams.get('code') ?? ''
  const kept = `${await dumpTables(service)}${JSON.stringify(service.logged)}`
  expect([code.length > 20, kept.includes('http://127.0.0.1:49152/')]).toEqual([true, true])
  for (const secret of [asked.deviceCode, asked.userCode, asked.userCode.replace('-', ''), code])
    for (const spelling of [secret, Buffer.from(secret).toString('hex'), Buffer.from(secret).toString('base64')])
      expect(kept).not.toContain(spelling)
  expect(asked.link).not.toContain(asked.deviceCode)
  const { access_token: token } = (await asked.poll({ code })).body
  expect(`${await dumpTables(service)}${JSON.stringify(service.logged)}`).not.toContain(token)
})

describe('a request that somebody claimed', () => {
  it('is decided by that session alone, and not by another of the same user', async () => {
    const [ann, bob] = [await service.person(), await service.person()]
    const again = service.visitor()
    await again.post('/sign-in/email', { email: ann.email, password: testPassword })
    const { poll, userCode } = await startWaiting(service)
    await ann.get(`/device?user_code=${userCode}`)
    for (const other of [bob, again]) {
      expect((await other.get(`/device?user_code=${userCode}`)).body).toEqual({
        user_code: userCode,
        status: 'pending',
      })
      for (const path of ['/device/approve', '/device/deny'])
        expect(errorOf(await other.post(path, { userCode }))).toBe('403 access_denied')
    }
    expect(errorOf(await poll())).toBe('400 authorization_pending')
    expect((await ann.get(`/device?user_code=${userCode}`)).body.client_id).toBe(clientId)
    expect((await ann.post('/device/approve', { userCode })).status).toBe(200)
  })

  it('was claimed by one of many who looked at once', async () => {
    const people = await Promise.all(Array.from({ length: 8 }, () => service.person()))
    const asked = await startWaiting(service)
    const seen = await Promise.all(people.map((person) => person.get(`/device?user_code=${asked.userCode}`)))
    expect(seen.filter(({ body }) => body.client_id !== undefined)).toHaveLength(1)
    const decided = await Promise.all(
      people.map((person) => person.post('/device/approve', { userCode: asked.userCode })),
    )
    // Whoever comes after the decision is told that there is one, whoever comes before that it is not theirs.
    const answers = decided.map(errorOf)
    expect(answers.filter((answer) => answer === '200 undefined')).toHaveLength(1)
    expect(['200 undefined', '403 access_denied', '400 invalid_request']).toEqual(expect.arrayContaining(answers))
    const winner = people[answers.indexOf('200 undefined')]
    expect(winner?.email).toBe(people[seen.findIndex(({ body }) => body.client_id !== undefined)]?.email)
  })

  it('is decided alone, whatever else the same session looked at', async () => {
    const ann = await service.person()
    const [one, other, third] = [await startWaiting(service), await startWaiting(service), await startWaiting(service)]
    for (const { userCode } of [one, other, third]) await ann.get(`/device?user_code=${userCode}`)
    expect((await ann.post('/device/approve', { userCode: other.userCode })).status).toBe(200)
    expect((await ann.post('/device/deny', { userCode: third.userCode })).status).toBe(200)
    const answers = [await one.poll(), await other.poll(), await third.poll()]
    expect(answers.map(errorOf)).toEqual(['400 authorization_pending', '200 undefined', '400 access_denied'])
  })

  it('is not decided without having been looked at', async () => {
    const ann = await service.person()
    const { userCode } = await startWaiting(service)
    expect(errorOf(await ann.post('/device/approve', { userCode }))).toBe('400 invalid_request')
    await service.visitor().get(`/device?user_code=${userCode}`)
    expect(errorOf(await ann.post('/device/approve', { userCode }))).toBe('400 invalid_request')
  })

  it('is decided once, however many decide at once', async () => {
    const ann = await service.person()
    const { userCode } = await startWaiting(service)
    await ann.get(`/device?user_code=${userCode}`)
    const paths = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? '/device/approve' : '/device/deny'))
    const replies = await Promise.all(paths.map((path) => ann.post(path, { userCode })))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  it('gives nothing to an administrator who acts as the user', async () => {
    const ann = await service.person()
    const { id } = await userOf(service, ann.email)
    await service.deps.sql`update sessions set impersonated_by = ${id} where user_id = ${id}`
    const { poll, userCode } = await startWaiting(service)
    const refused = { status: 403, body: { code: 'NOT_ALLOWED_WHILE_IMPERSONATING' } }
    expect(await ann.get(`/device?user_code=${userCode}`)).toMatchObject(refused)
    expect(await ann.post('/device/approve', { userCode })).toMatchObject(refused)
    expect(errorOf(await poll())).toBe('400 authorization_pending')
  })
})

it('a person who was banned since they approved signs nobody in: the machine is denied', async () => {
  const [ann, asked] = [await service.person(), await startWaiting(service)]
  await approve(ann, asked)
  await service.deps.sql`update users set banned = true where email = ${ann.email}`
  expect(errorOf(await asked.poll())).toBe('400 access_denied')
})

it.each([
  ['a deleted person', (email: string) => service.deps.sql`delete from users where email = ${email}`],
  [
    'one who set a new password by mail meanwhile',
    async (email: string) => {
      await service.visitor().post('/forget-password', { email })
      const { token } = await lastMail(service)
      await service.visitor().post('/reset-password', { newPassword: 'another horse battery staple', token })
    },
  ],
  [
    'one who ended all sessions meanwhile',
    async (email: string) => {
      const other = service.visitor()
      await other.post('/sign-in/email', { email, password: testPassword })
      await other.post('/revoke-sessions')
    },
  ],
  [
    'one who changed the password meanwhile',
    async (email: string) => {
      const other = service.visitor()
      await other.post('/sign-in/email', { email, password: testPassword })
      const newPassword = 'another horse battery staple'
      await other.post('/change-password', { currentPassword: testPassword, newPassword })
    },
  ],
])('%s signs nobody in by what was approved before', async (_who, change) => {
  const ann = await service.person()
  const asked = await startWaiting(service)
  await approve(ann, asked)
  await change(ann.email)
  expect(errorOf(await asked.poll())).toBe('400 invalid_grant')
})

it.each([
  'http://localhost:49152/',
  'https://127.0.0.1:49152/',
  'http://127.0.0.1/',
  'http://127.0.0.1:0/',
  'http://127.0.0.1:49152@evil.example/',
  'http://127.0.0.1.evil.example:49152/',
  'http://127.0.0.2:49152/',
  'http://0.0.0.0:49152/',
  'http://[::]:49152/',
  'http://127.0.0.1:49152/?x=1',
  'http://127.0.0.1:49152/#x',
  'javascript:alert(1)',
])('leads no browser to %s', async (redirect_uri) => {
  const reply = await service.visitor().post('/device/code', { client_id: clientId, redirect_uri })
  expect(errorOf(reply)).toBe('400 invalid_request')
})

it('sweeps what nobody asks for any more', async () => {
  await startWaiting(service)
  await ageDevices(service, 1000)
  await sweep(service.deps)
  const count = async () => (await service.deps.sql`select from device_requests`).count
  expect(await count()).toBeGreaterThan(0)
  await ageDevices(service, 200)
  await sweep(service.deps)
  expect(await count()).toBe(0)
})
