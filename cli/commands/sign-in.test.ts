import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { sessionCookie, user } from '../testing/answers.ts'
import { useAnswers } from '../testing/use-service.ts'

const { service, postern } = useAnswers()

/** What a folder holds, by path. */
const filesIn = (folder: string): readonly (readonly [string, string])[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => [join(parentPath, name), readFileSync(join(parentPath, name), 'utf8')])

const signIn = (options = {}) =>
  postern('sign-in --email Alice@Example.com --password-file -', { stdin: 'pw\n', ...options })

describe('sign-in', () => {
  it('sends the address in lower case and the password without its line end, and keeps the cookie', async () => {
    const done = await signIn()
    expect(done).toMatchObject({ code: 0, stdout: 'Signed in as alice@example.com\n', stderr: '' })
    expect(service.seen[0]).toMatchObject({
      call: 'POST /sign-in/email',
      body: { email: 'alice@example.com', password: 'pw', rememberMe: true },
    })
    await postern('whoami')
    expect(service.seen.at(-1)?.headers.cookie).toBe('postern.session_token=token.signature')
  })

  it('answers the user as a change under --json, and only the fields asked for', async () => {
    expect((await signIn()).code).toBe(0)
    const all = await postern(['sign-in', '--email', 'a@b.co', '--password-file', '-', '--json'], { stdin: 'pw' })
    expect(all.json).toEqual({ status: 'created', resource: { ...user, fields: {}, email: 'a@b.co' } })
    const some = await postern(['sign-in', '--email', 'a@b.co', '--password-file', '-', '--json=id,email'], {
      stdin: 'pw',
    })
    expect(some.json).toEqual({ status: 'updated', resource: { id: 'u1', email: 'a@b.co' } })
    const id = await postern(['sign-in', '--email', 'a@b.co', '--password-file', '-', '-q'], { stdin: 'pw' })
    expect(id.stdout).toBe('u1\n')
  })

  it('sends the cookie it replaces, so that the service ends that session', async () => {
    await signIn()
    await signIn()
    expect(service.seen[1]?.headers.cookie).toBe('postern.session_token=token.signature')
  })

  it('tells that the session of before is over, and with --if-signed-in skip keeps it', async () => {
    expect((await signIn({ tty: ['stdout', 'stderr'] })).stderr).toBe('')
    const again = await signIn()
    expect([again.stdout, again.stderr]).toEqual([
      'Signed in as alice@example.com\n',
      'It replaces the session that was here, which has ended with every token taken from it\n',
    ])
    service.forget()
    const skip = 'sign-in --email alice@example.com --if-signed-in skip'
    expect((await postern(`${skip} --json`)).json).toMatchObject({ status: 'unchanged', resource: { id: 'u1' } })
    expect((await postern(skip)).stdout).toBe('Signed in as alice@example.com already\n')
    expect(service.calls()).toEqual(['GET /get-session', 'GET /get-session'])
    expect((await postern('sign-in --if-signed-in skip')).code).toBe(0)
    expect((await postern('sign-in --token-file - --if-signed-in skip', { stdin: 't' })).code).toBe(2)
  })

  it('ends the session of before too where it was kept as a token', async () => {
    await postern('sign-in --token-file -', { stdin: 'kept' })
    service.forget()
    expect((await signIn()).stderr).toContain('It replaces the session that was here')
    expect(service.seen.map(({ call, headers }) => [call, headers.authorization])).toEqual([
      ['POST /sign-in/email', undefined],
      ['POST /sign-out', 'Bearer kept'],
    ])
    expect((await postern('auth token')).stdout).toBe('token.signature\n')
  })

  it('says so when that session could not be ended', async () => {
    await postern('sign-in --token-file -', { stdin: 'kept' })
    service.answers['POST /sign-out'] = { status: 503 }
    const { code, stderr } = await signIn()
    expect([code, stderr]).toEqual([0, expect.stringContaining('could not be ended: it stays valid until it expires')])
    expect(stderr).not.toContain('It replaces')
  })

  it('signs in with --if-signed-in skip where the session is over', async () => {
    await signIn()
    service.answers['GET /get-session'] = { body: null }
    service.forget()
    const done = await postern('sign-in --email alice@example.com --password-file - --if-signed-in skip', {
      stdin: 'pw',
    })
    expect([done.code, service.calls()]).toEqual([0, ['GET /get-session', 'POST /sign-in/email']])
  })

  it('signs in with --if-signed-in skip where the session is of another address by now', async () => {
    await signIn()
    const view = service.answers['GET /get-session'] as { body: { user: object } }
    const user = { ...view.body.user, email: 'moved@example.com' }
    service.answers['GET /get-session'] = { body: { ...view.body, user } }
    service.forget()
    await postern('sign-in --email alice@example.com --password-file - --if-signed-in skip', { stdin: 'pw' })
    expect(service.calls()).toEqual(['GET /get-session', 'POST /sign-in/email'])
    expect((await postern('sign-in --if-signed-in skip')).stdout).toBe('Signed in as moved@example.com already\n')
  })

  it('asks for nothing that it could not keep: the session that it would replace stays', async () => {
    await signIn()
    const file = (await postern('auth jar path')).stdout.trim()
    service.forget()
    chmodSync(dirname(file), 0o755)
    const change = () => postern('api /change-password -f currentPassword=a -f newPassword=b')
    for (const { code, stderr } of [await signIn(), await change()])
      expect([code, stderr]).toEqual([15, expect.stringContaining('Others can enter')])
    expect(service.seen).toEqual([])
    chmodSync(dirname(file), 0o700)
    expect((await signIn()).code).toBe(0)
  })

  it('asks for a short session with --no-remember', async () => {
    await postern('sign-in --email a@b.co --password-file - --no-remember', { stdin: 'pw' })
    expect(service.seen[0]?.body).toMatchObject({ rememberMe: false })
  })

  it('reads the password from the file that the flag or the variable names', async () => {
    const file = join(postern.folder, 'password')
    writeFileSync(file, 'from a file\r\n')
    await postern(['sign-in', '--email', 'a@b.co', '--password-file', file])
    await postern('sign-in --email a@b.co', { env: { POSTERN_PASSWORD_FILE: file } })
    expect(service.seen.map(({ body }) => body)).toMatchObject([
      { password: 'from a file' },
      { password: 'from a file' },
    ])
  })

  it('takes the address of --account or POSTERN_ACCOUNT where --email is not given', async () => {
    await postern('sign-in -A a@b.co --password-file -', { stdin: 'pw' })
    await postern('sign-in --password-file -', { stdin: 'pw', env: { POSTERN_ACCOUNT: 'c@d.co' } })
    expect(service.seen.map(({ body }) => body)).toMatchObject([{ email: 'a@b.co' }, { email: 'c@d.co' }])
  })

  it('keeps nothing new when it is refused, and whoever was signed in before', async () => {
    await signIn()
    const kept = filesIn(postern.folder)
    service.answers['POST /sign-in/email'] = {
      status: 401,
      body: { code: 'INVALID_EMAIL_OR_PASSWORD', message: 'Invalid email or password' },
    }
    const refused = await signIn()
    expect(refused).toMatchObject({ code: 4, stdout: '' })
    expect(refused.stderr).toBe(
      'error: Invalid email or password\n  next: Check address and password, or create an account: postern sign-up\n',
    )
    expect(filesIn(postern.folder)).toEqual(kept)
    await postern('whoami')
    expect(service.seen.at(-1)?.headers.cookie).toBe('postern.session_token=token.signature')
  })

  it('names the way on when the address is not verified yet', async () => {
    service.answers['POST /sign-in/email'] = {
      status: 403,
      body: { code: 'EMAIL_NOT_VERIFIED', message: 'Email not verified' },
    }
    const refused = await signIn()
    expect(refused).toMatchObject({ code: 5, stdout: '' })
    expect(refused.stderr).toBe(
      'error: Email not verified\n  next: A mail with a link is on its way to you: postern account email verify LINK; then sign in: postern sign-in\n',
    )
  })

  it('says so when POSTERN_TOKEN goes on speaking for other commands', async () => {
    const done = await signIn({ env: { POSTERN_TOKEN: 'other' } })
    expect(done.code).toBe(0)
    expect(done.stderr).toContain('POSTERN_TOKEN is set')
  })

  it('never reads a password from a terminal that shows it', async () => {
    const { code, stderr } = await signIn({ tty: ['stdin', 'stderr'] })
    expect(code).toBe(2)
    expect(stderr).toContain('would show what is typed')
  })

  it.each([
    ['an empty file', 'sign-in --email a@b.co --password-file -', '', 2],
    ['a missing file', 'sign-in --email a@b.co --password-file /nowhere/at/all', '', 2],
    ['a token and a password', 'sign-in --email a@b.co --token-file -', 't', 2],
  ])('refuses %s before anything is sent', async (_, argv, stdin, code) => {
    expect((await postern(argv, { stdin })).code).toBe(code)
    expect(service.seen).toEqual([])
  })
})

describe('sign-in --token-file', () => {
  it('adopts a session token as the account it belongs to', async () => {
    const done = await postern('sign-in --token-file -', { stdin: 'the-token\n' })
    expect(done).toMatchObject({ code: 0, stdout: 'Signed in as alice@example.com\n' })
    await postern('whoami')
    expect(service.seen.map(({ headers }) => headers.authorization)).toEqual(['Bearer the-token', 'Bearer the-token'])
    expect((await postern('auth token')).stdout).toBe('the-token\n')
  })

  it('keeps nothing of a token that the service does not know', async () => {
    service.answers['GET /get-session'] = { body: null }
    const refused = await postern('sign-in --token-file -', { stdin: 'stale' })
    expect(refused.code).toBe(4)
    expect((await postern('auth list')).stdout).toBe('')
  })

  it('gives way to a later sign-in with a password', async () => {
    await postern('sign-in --token-file -', { stdin: 'the-token' })
    await signIn()
    service.forget()
    await postern('whoami')
    expect(service.seen[0]?.headers).toMatchObject({ cookie: 'postern.session_token=token.signature' })
    expect(service.seen[0]?.headers.authorization).toBeUndefined()
  })
})

describe('sign-up', () => {
  const argv = 'sign-up --email Bob@Example.com --name Bob --password-file -'

  it('sends what was given and keeps the session', async () => {
    const done = await postern(argv, { stdin: 'pw\n' })
    expect(done).toMatchObject({ code: 0, stdout: 'Signed up and in as bob@example.com\n' })
    expect(service.seen[0]?.body).toEqual({ email: 'bob@example.com', name: 'Bob', password: 'pw' })
    expect((await postern('auth list -q')).stdout).toBe('bob@example.com\n')
  })

  it('with --no-sign-in keeps no session, and ends the one that the service opened', async () => {
    const done = await postern(`${argv} --no-sign-in --json`, { stdin: 'pw' })
    expect(done.json).toEqual({ status: 'created', resource: { ...user, fields: {}, email: 'bob@example.com' } })
    expect(service.calls()).toEqual(['POST /sign-up/email', 'POST /sign-out'])
    expect(service.seen[1]?.headers.authorization).toBe('Bearer raw')
    expect((await postern('whoami')).code).toBe(4)
  })

  it('says how to go on where the service signs nobody in yet', async () => {
    service.answers['POST /sign-up/email'] = { body: { token: null, user: { ...user, email: 'bob@example.com' } } }
    const done = await postern(argv, { stdin: 'pw' })
    expect(done).toMatchObject({ code: 0, stdout: 'Signed up bob@example.com\n' })
    expect(done.stderr).toBe(
      [
        'If the address has to be verified first, a mail to bob@example.com has the link: postern account email verify LINK',
        'Sign in: postern sign-in --email bob@example.com',
        '',
      ].join('\n'),
    )
  })

  it('names the way in when the address is taken', async () => {
    service.answers['POST /sign-up/email'] = {
      status: 422,
      body: { code: 'USER_ALREADY_EXISTS', message: 'User already exists' },
      headers: sessionCookie(),
    }
    const refused = await postern(`${argv} --json`, { stdin: 'pw' })
    expect(refused).toMatchObject({ code: 7, stdout: '' })
    expect(refused.error).toMatchObject({ code: 'USER_ALREADY_EXISTS', status: 422, exitCode: 7 })
  })
})
