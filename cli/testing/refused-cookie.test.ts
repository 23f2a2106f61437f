import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { freePort } from '../../server/testing/ports.ts'
import { testPassword } from '../../server/testing/service.ts'
import { portsOn } from '../tui/testing/render.tsx'
import { type AnsweringService, user as aUser, type Reply, startAnswers, usual } from './answers.ts'
import { type OwnService, startOwnService } from './own-service.ts'
import { createRunner } from './run-cli.ts'

const signIn = 'sign-in --email ann@example.com --password-file -'
const signUp = 'sign-up --email ann@example.com --name Ann --password-file -'
const secure = 'was refused: it is Secure and this address is http'
function newPassword(folder: string): string {
  const file = join(folder, 'new')
  writeFileSync(file, testPassword)
  return file
}
const hint = "Use the address in the service's BASE_URL: --url https://…"

describe('over http, where BASE_URL is https', () => {
  let own: OwnService
  beforeAll(async () => {
    const port = await freePort()
    const settings = { PORT: String(port), BASE_URL: `https://localhost:${port}` }
    own = await startOwnService({ ...settings, TRUSTED_ORIGINS: `http://localhost:${port}` })
  })
  afterAll(() => own.stop())
  beforeEach(() => own.empty())

  const sessions = () => own.service.deps.sql`select id from sessions`

  it('a sign-up creates the account, but says that nobody is signed in, and leaves no session', async () => {
    const machine = own.machine()
    const done = await machine(signUp, { stdin: testPassword })
    expect([done.code, done.stdout]).toEqual([2, ''])
    expect(done.stderr).toContain('The account was created, but nobody is signed in.')
    expect(done.stderr).toContain(secure)
    expect(await sessions()).toHaveLength(0)
    expect((await machine(signUp, { stdin: testPassword })).code).toBe(7)
    expect(
      (await machine('sign-up --email b@b.co --name B --password-file - --no-sign-in', { stdin: testPassword })).code,
    ).toBe(0)
  })

  it('a sign-in fails, leaves no session, and does not change who is current', async () => {
    const machine = own.machine()
    await machine(signUp, { stdin: testPassword })
    const done = await machine(`${signIn} --json`, { stdin: testPassword })
    expect([done.code, done.stdout]).toEqual([2, ''])
    expect(done.error).toMatchObject({ code: 'COOKIE_REFUSED', exitCode: 2, hint, fields: ['--url'] })
    expect(await sessions()).toHaveLength(0)
    expect((await machine('auth list --json')).json).toMatchObject({ items: [] })
    expect((await machine('whoami')).code).toBe(4)
  })

  it('the terminal UI fails in the same way', async () => {
    const machine = own.machine()
    await machine(signUp, { stdin: testPassword })
    const { stdin, stdout } = process
    const ports = portsOn(machine, { stdin, stdout })
    const { api } = await ports.connect(own.url, { email: 'ann@example.com' })
    const entering = api.account.signInEmail({ email: 'ann@example.com', password: testPassword })
    await expect(entering).rejects.toMatchObject({ code: 'COOKIE_REFUSED', exitCode: 2 })
    expect(await sessions()).toHaveLength(0)
    ports.close()
  })
})

describe('by the answer', () => {
  let service: AnsweringService
  beforeAll(async () => {
    service = await startAnswers(usual())
  })
  afterAll(() => service.close())
  beforeEach(() => {
    Object.assign(service.answers, usual())
    service.forget()
  })
  const machineHere = () => createRunner({ env: { POSTERN_URL: service.url } })
  const answerWith = (call: string, cookies: readonly string[], body: object = {}) => {
    const user = { ...aUser, email: 'ann@example.com' }
    service.answers[call] = {
      body: { redirect: false, token: 'raw', user, ...body },
      headers: { 'set-cookie': cookies },
    }
  }

  it.each([
    ['another domain', ['postern.session_token=a.b; Path=/; Domain=id.example.com'], 2, 'it is for id.example.com and'],
    ['a broken rule', ['__Host-postern.session_token=a.b; Path=/'], 11, 'it breaks the rules for cookies'],
    ['no cookie', [], 11, 'set no session cookie'],
  ])('a sign-in with %s fails, and ends the session', async (_, cookies, code, reason) => {
    answerWith('POST /sign-in/email', cookies)
    const done = await machineHere()(`${signIn} --debug`, { stdin: 'pw' })
    expect([done.code, done.stdout]).toEqual([code, ''])
    expect(done.stderr).toContain(reason)
    const names = cookies.map((cookie) => cookie.replace(/=.*/, ''))
    expect(done.stderr.match(/(?<=cookie refused: ).*/g) ?? []).toEqual(names)
    expect(service.calls()).toEqual(['POST /sign-in/email', 'POST /sign-out'])
    expect(service.seen[1]?.headers).toMatchObject({ authorization: 'Bearer raw' })
  })

  it('another cookie that is refused fails no sign-in', async () => {
    answerWith('POST /sign-in/email', ['postern.session_token=a.b; Path=/', 'postern.known_device=c; Path=/; Secure'])
    const done = await machineHere()(`${signIn} --debug`, { stdin: 'pw' })
    expect([done.code, done.stderr]).toEqual([0, expect.stringContaining('cookie refused: postern.known_device')])
    expect(service.calls()).not.toContain('POST /sign-out')
  })

  it.each([
    [500, true],
    [302, true],
    [401, false],
  ])('a sign-out that is answered with %i lets the session live on: %s', async (status, livesOn) => {
    answerWith('POST /sign-in/email', [])
    service.answers['POST /sign-out'] = { status }
    const { stderr } = await machineHere()(signIn, { stdin: 'pw' })
    expect(stderr.includes('could not be ended: it stays valid until it expires')).toBe(livesOn)
  })

  it('a refusal opens no session, whatever its body holds', async () => {
    const body = { code: 'INVALID_EMAIL_OR_PASSWORD', message: 'no', token: 'raw' }
    service.answers['POST /sign-in/email'] = { status: 401, body }
    const done = await machineHere()(signIn, { stdin: 'pw' })
    expect([done.code, service.calls()]).toEqual([4, ['POST /sign-in/email']])
  })

  it('an adopted token stays when the password is refused', async () => {
    const machine = machineHere()
    await machine('sign-in --token-file -', { stdin: 'token.signature' })
    service.answers['POST /sign-in/email'] = { status: 401, body: { code: 'INVALID_EMAIL_OR_PASSWORD', message: 'no' } }
    expect((await machine('sign-in --email alice@example.com --password-file -', { stdin: 'pw' })).code).toBe(4)
    expect((await machine('auth token')).stdout).toBe('token.signature\n')
  })

  it('a session of before stays, and so does an adopted token', async () => {
    for (const before of [signIn, 'sign-in --token-file -']) {
      Object.assign(service.answers, usual())
      const machine = machineHere()
      expect((await machine(before, { stdin: 'token.signature' })).code).toBe(0)
      const email = before === signIn ? 'ann@example.com' : 'alice@example.com'
      answerWith('POST /sign-in/email', ['postern.session_token=a.b; Path=/; secure'], { user: { ...aUser, email } })
      const again = await machine(`sign-in --email ${email} --password-file -`, { stdin: 'pw' })
      expect([again.code, (await machine('auth token')).stdout]).toEqual([2, 'token.signature\n'])
    }
  })

  it('a change of the password that ends every session says so', async () => {
    const machine = machineHere()
    await machine(signIn, { stdin: 'pw' })
    answerWith('POST /change-password', ['postern.session_token=a.b; Path=/; Secure'])
    const change = 'account password set --revoke-others --current-password-file'
    const { code, stderr } = await machine(
      [...change.split(' '), '-', '--password-file', newPassword(machine.folder)],
      {
        stdin: 'old',
      },
    )
    expect([code, stderr]).toEqual([2, expect.stringContaining('The password was changed and every session ended.')])
  })

  it('a mailed link that verifies an address leaves no session that nobody has', async () => {
    const token = ['x', { email: 'ann@example.com' }, 'y']
      .map((part) => Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url'))
      .join('.')
    const cookies = ['postern.session_token=a.b; Path=/; Secure']
    service.answers['GET /verify-email'] = { body: { status: true, user: null }, headers: { 'set-cookie': cookies } }
    const done = await machineHere()(`account email verify ${token} --json`)
    expect(done.json).toMatchObject({ resource: { emailVerified: true, signedIn: false } })
    expect(service.seen.at(-1)).toMatchObject({ call: 'POST /sign-out', headers: { authorization: 'Bearer a.b' } })
  })

  it('a session cookie that is merely renewed may be refused', async () => {
    const machine = machineHere()
    await machine(signIn, { stdin: 'pw' })
    const answer = service.answers['GET /get-session'] as object
    service.answers['GET /get-session'] = {
      ...answer,
      headers: { 'set-cookie': ['postern.session_token=a.b; Secure'] },
    }
    expect((await machine('whoami')).code).toBe(0)
    const { headers } = service.answers['GET /get-session'] as { headers: object }
    service.answers['GET /verify-email'] = { body: { status: true, user: null }, headers } as Reply
    service.forget()
    await machine('account email verify x.eyJlbWFpbCI6ImFubkBleGFtcGxlLmNvbSJ9.y')
    expect(service.calls()).not.toContain('POST /sign-out')
  })

  it('api signs in for the answer alone: the account of the run keeps its own session', async () => {
    const machine = machineHere()
    await machine(signIn, { stdin: 'pw' })
    const before = (await machine('auth token')).stdout
    answerWith('POST /sign-in/email', ['postern.session_token=c.d; Path=/'])
    service.forget()
    expect((await machine('api /sign-in/email -f email=a@b.co')).json).toMatchObject({ token: 'raw' })
    expect(service.seen[0]?.headers.cookie).toBeUndefined()
    expect((await machine('auth token')).stdout).toBe(before)
    const { stdout } = await machine('api /sign-in/email -f email=a@b.co --print curl')
    expect(stdout).not.toContain('auth token')
  })

  it('api gives the answer as it came', async () => {
    const machine = machineHere()
    await machine(signIn, { stdin: 'pw' })
    answerWith('POST /sign-in/email', ['postern.session_token=a.b; Path=/; Secure'])
    service.forget()
    expect((await machine('api /sign-in/email -f email=a@b.co')).json).toMatchObject({ token: 'raw' })
    expect(service.calls()).toEqual(['POST /sign-in/email'])
  })
})
