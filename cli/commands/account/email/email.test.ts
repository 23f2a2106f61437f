import { beforeEach, describe, expect, it } from 'vitest'
import { wireCodeOf } from '../../../../shared/failure.ts'
import { fullUser, session, sessionCookie } from '../../../testing/answers.ts'
import { useAnswers } from '../../../testing/use-service.ts'

const { service, postern } = useAnswers()
const done = { body: { status: true } }
beforeEach(async () => {
  Object.assign(service.answers, {
    'POST /change-email': done,
    'POST /send-verification-email': done,
    'GET /verify-email': { body: { status: true, user: null } },
  })
  await postern('sign-in --email alice@example.com --password-file -', { stdin: 'pw' })
  service.forget()
})

const jwtOf = (claims: object) =>
  ['{}', JSON.stringify(claims), 'signature'].map((part) => Buffer.from(part).toString('base64url')).join('.')
const own = jwtOf({ email: 'alice@example.com' })
const change = jwtOf({ email: 'alice@example.com', updateTo: 'new@example.com' })
const linkOf = (token: string) => `${service.url}/api/auth/verify-email?token=${token}&callbackURL=%2F`
const signedInAs = (email: string, emailVerified = false) => {
  service.answers['GET /get-session'] = { body: { session, user: { ...fullUser, email, emailVerified } } }
}

describe('account email set', () => {
  it.each([
    ['', ''],
    [' --account Alice@Example.com', ' --account new@example.com'],
  ])('says that the new address is in place, and keeps the session under it%s', async (named, now) => {
    service.answers['POST /change-email'] = () => {
      signedInAs('new@example.com')
      return done
    }
    const set = await postern(`account email set New@Example.com${named}`)
    expect(set).toMatchObject({ code: 0, stdout: 'The address is now new@example.com\n' })
    const hint = `Verify it with the link in the mail to it: postern account email verify LINK${now}\n`
    expect(set.stderr).toBe(hint)
    expect(service.seen.find(({ call }) => call === 'POST /change-email')?.body).toEqual({
      newEmail: 'new@example.com',
    })
    expect((await postern('auth list -q')).stdout).toBe('new@example.com\n')
    expect((await postern('whoami')).code).toBe(0)
  })

  it('says that the old address is asked first when it is verified', async () => {
    signedInAs('alice@example.com', true)
    const set = await postern('account email set new@example.com --json=email,newEmail')
    expect(set.json).toEqual({
      status: 'planned',
      resource: { email: 'alice@example.com', newEmail: 'new@example.com' },
    })
    expect((await postern('account email set new@example.com')).stderr).toContain('postern account email verify LINK')
    expect((await postern('auth list -q')).stdout).toBe('alice@example.com\n')
  })

  it('says that the new address is asked first where it has to be verified', async () => {
    const set = await postern('account email set new@example.com --json=email,newEmail')
    expect(set.json).toEqual({
      status: 'planned',
      resource: { email: 'alice@example.com', newEmail: 'new@example.com' },
    })
    expect((await postern('account email set new@example.com')).stdout).toBe(
      'Mailed new@example.com; alice@example.com stays the address until the link in that mail is opened\n',
    )
    expect((await postern('auth list -q')).stdout).toBe('alice@example.com\n')
  })

  it('warns who still names the old address', async () => {
    service.answers['POST /change-email'] = () => {
      signedInAs('new@example.com')
      return done
    }
    const set = await postern('account email set new@example.com', { env: { POSTERN_ACCOUNT: 'alice@example.com' } })
    expect(set.stderr).toContain('POSTERN_ACCOUNT still names alice@example.com: change it to new@example.com')
  })

  it.each([
    { message: "Couldn't update your email", status: 400, exitCode: 7, hint: 'Choose another address' },
    {
      message: 'Session is not fresh',
      status: 403,
      exitCode: 4,
      hint: 'Sign in again, to confirm that it is you: postern sign-in',
    },
    { message: 'Change email is disabled', status: 400, exitCode: 12, hint: '--help' },
  ])('is refused: $message', async ({ message, status, exitCode, hint }) => {
    service.answers['POST /change-email'] = { status, body: { code: wireCodeOf(message), message } }
    const refused = await postern('account email set new@example.com --json')
    expect(refused).toMatchObject({ code: exitCode, stdout: '' })
    expect(refused.error).toMatchObject({ code: wireCodeOf(message), hint: expect.stringContaining(hint) })
    expect((await postern('auth list -q')).stdout).toBe('alice@example.com\n')
  })
})

describe('account email verify', () => {
  it.each([
    ['the link', () => [linkOf(own)], ''],
    ['the token', () => [own], ''],
    ['the link on stdin', () => ['-'], () => `<${linkOf(own)}>\n`],
    [
      'the link that a mail broke over lines',
      () => ['-'],
      () => `<${linkOf(own).slice(0, 60)}\n   ${linkOf(own).slice(60)}>\n`,
    ],
  ])('sends the token of %s, and no callbackURL', async (_, argv, stdin) => {
    const verified = await postern(['account', 'email', 'verify', ...argv(), '--json'], {
      stdin: typeof stdin === 'string' ? stdin : stdin(),
    })
    expect(service.seen).toMatchObject([{ call: 'GET /verify-email', query: { token: own } }])
    expect(Object.keys(service.seen[0]?.query ?? {})).toEqual(['token'])
    expect(service.seen[0]?.headers.cookie).toBe('postern.session_token=token.signature')
    expect(verified.json).toEqual({
      status: 'updated',
      resource: { email: 'alice@example.com', emailVerified: true, signedIn: true },
    })
  })

  it.each([
    [
      'alice@example.com',
      true,
      'alice@example.com confirmed the change; it stays the address until the link in the mail to the new one is opened\n',
      'Open that link: postern account email verify LINK\n',
    ],
    ['new@example.com', true, 'The address is now new@example.com\n', ''],
  ])('tells an agreement to a change from the change: %s', async (email, emailVerified, stdout, stderr) => {
    const { id, name, image, createdAt, updatedAt } = fullUser
    const user = { id, email, name, image, emailVerified, createdAt, updatedAt }
    service.answers['GET /verify-email'] = { body: { status: true, user } }
    expect(await postern(`account email verify ${change}`)).toMatchObject({ code: 0, stdout, stderr })
    expect((await postern('auth list -q')).stdout).toBe(`${email}\n`)
  })

  it('works for a person who is not signed in, and says how to', async () => {
    await postern('sign-out')
    const verified = await postern(`account email verify ${own}`)
    expect(verified).toMatchObject({ code: 0, stdout: 'Verified alice@example.com\n' })
    expect(verified.stderr).toBe('Sign in: postern sign-in --email alice@example.com\n')
  })

  it('keeps the session that the service may open, under the account of the link alone', async () => {
    service.answers['GET /verify-email'] = {
      body: { status: true, user: null },
      headers: sessionCookie('bob.signature'),
    }
    const verified = await postern(`account email verify ${jwtOf({ email: 'bob@example.com' })}`)
    expect(verified.stdout).toBe('Verified bob@example.com, and signed in with it\n')
    expect(service.seen[0]?.headers.cookie).toBeUndefined()
    await postern('whoami')
    await postern('whoami -A alice@example.com')
    expect(service.seen.slice(1).map(({ headers }) => headers.cookie)).toEqual([
      'postern.session_token=bob.signature',
      'postern.session_token=token.signature',
    ])
  })

  it('stores nothing beside a token of the environment', async () => {
    service.answers['GET /verify-email'] = {
      body: { status: true, user: null },
      headers: sessionCookie('bob.signature'),
    }
    const token = jwtOf({ email: 'bob@example.com' })
    const verified = await postern(`account email verify ${token} --json`, { env: { POSTERN_TOKEN: 'ci' } })
    expect(verified.json).toMatchObject({ resource: { email: 'bob@example.com', signedIn: true } })
    expect(service.seen[0]?.headers).toMatchObject({ authorization: 'Bearer ci' })
    expect((await postern('auth list -q')).stdout).toBe('alice@example.com\n')
  })

  it('puts the new address in place of the old, here too', async () => {
    const user = { ...fullUser, email: 'new@example.com' }
    service.answers['GET /verify-email'] = { body: { status: true, user } }
    const changed = await postern(`account email verify ${linkOf(change)}`)
    expect(changed).toMatchObject({ code: 0, stdout: 'The address is now new@example.com\n' })
    expect(changed.stderr).toContain('postern account email verify LINK')
    expect((await postern('auth list -q')).stdout).toBe('new@example.com\n')
  })

  it('changes no address for a person who is signed out', async () => {
    await postern('sign-out')
    service.forget()
    const refused = await postern(`account email verify ${change}`)
    expect(refused.code).toBe(4)
    expect(refused.stderr).toContain('postern sign-in')
    expect(service.seen).toEqual([])
  })

  const send = 'postern account email verify --send'
  it.each([
    {
      token: own,
      word: 'invalid_token',
      exitCode: 12,
      message: 'This link is not valid. Ask for a new one.',
      hint: send,
    },
    {
      token: own,
      word: 'token_expired',
      exitCode: 12,
      message: 'This link has expired. Ask for a new one.',
      hint: send,
    },
    { token: own, word: 'user_not_found', exitCode: 6, message: 'There is no account for this link.', hint: send },
    {
      token: change,
      word: 'token_expired',
      exitCode: 12,
      message: 'This link has expired. Ask for a new one.',
      hint: 'postern account email set NEW',
    },
    {
      token: change,
      word: 'unauthorized',
      exitCode: 4,
      message: 'Sign in with the account that this link was made for, then open it again.',
      hint: 'postern sign-in',
    },
  ])('says what was wrong with the link: $word', async ({ token, word, ...said }) => {
    const code = word.toUpperCase()
    service.answers['GET /verify-email'] = { status: 401, body: { code, message: word } }
    const refused = await postern(`account email verify ${token} --json`)
    expect(refused).toMatchObject({ code: said.exitCode, stdout: '' })
    expect(refused.error).toEqual({ ...said, code, status: 401, fields: null })
  })

  it.each([
    ['a link of another service', `https://id.example.com/api/auth/verify-email?token=${own}`],
    ['a link for another command', () => `${service.url}/api/auth/reset-password/Wm3nTq8Rk2Vx7Lp5Yb9Hd4Fs`],
    ['a token of another kind', 'Wm3nTq8Rk2Vx7Lp5Yb9Hd4Fs'],
    ['a word', 'yes'],
  ])('refuses %s before anything is sent', async (_, text) => {
    const word = typeof text === 'string' ? text : text()
    expect((await postern(['account', 'email', 'verify', word])).code).toBe(2)
    expect(service.seen).toEqual([])
  })

  it('names the argument when nobody can be asked for it', async () => {
    const refused = await postern('account email verify --json')
    expect(refused.code).toBe(14)
    expect(refused.error).toMatchObject({ fields: ['LINK'], hint: 'postern account email verify - --json < link.txt' })
    expect(service.seen).toEqual([])
  })
})

describe('account email verify --send', () => {
  it('asks for a mail to the own address in the own session', async () => {
    const sent = await postern('account email verify --send --json')
    expect(service.calls()).toEqual(['GET /get-session', 'POST /send-verification-email'])
    expect(service.seen[1]).toMatchObject({
      body: { email: 'alice@example.com' },
      headers: { cookie: 'postern.session_token=token.signature' },
    })
    expect(sent.json).toEqual({
      status: 'planned',
      resource: { email: 'alice@example.com', emailVerified: false, signedIn: true },
    })
  })

  it('asks for nothing when that is verified already', async () => {
    signedInAs('alice@example.com', true)
    const sent = await postern('account email verify --send')
    expect(sent).toMatchObject({ code: 0, stdout: 'alice@example.com is verified already\n' })
    expect(service.calls()).toEqual(['GET /get-session'])
  })

  it('asks as nobody for the address that is named', async () => {
    const sent = await postern('account email verify --send --email Bob@Example.com')
    expect(service.seen).toMatchObject([{ call: 'POST /send-verification-email', body: { email: 'bob@example.com' } }])
    expect(service.seen[0]?.headers.cookie).toBeUndefined()
    expect(sent.stdout).toBe('If bob@example.com has an account that is not verified, a mail is on its way\n')
  })

  it('names the flag where nobody is signed in and nobody can be asked', async () => {
    await postern('sign-out')
    service.forget()
    const refused = await postern('account email verify --send --json')
    expect(refused.error).toMatchObject({ exitCode: 14, fields: ['--email'] })
    expect(service.seen).toEqual([])
  })

  it.each([['--send token'], ['--email a@b.co']])('is exit 2: verify %s', async (argv) => {
    expect((await postern(`account email verify ${argv}`)).code).toBe(2)
    expect(service.seen).toEqual([])
  })
})
