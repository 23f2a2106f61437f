import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { sessionCookie, user } from '../../../testing/answers.ts'
import { useAnswers } from '../../../testing/use-service.ts'

const { service, postern } = useAnswers()
let old: string
beforeEach(async () => {
  Object.assign(service.answers, {
    'POST /change-password': { body: { token: null, user } },
    'POST /forget-password': { body: { status: true } },
    'POST /reset-password': { body: { status: true } },
  })
  old = join(postern.folder, 'old')
  writeFileSync(old, 'the old one\n')
  await postern('sign-in --email alice@example.com --password-file -', { stdin: 'pw' })
  service.forget()
})

const opaque = 'Wm3nTq8Rk2Vx7Lp5Yb9Hd4Fs'

describe('account password set', () => {
  const set = (more = '', options = {}) =>
    postern(`account password set --current-password-file ${old} --password-file - ${more}`, {
      stdin: 'the new one\n',
      ...options,
    })

  it('sends both, and says what goes on', async () => {
    const done = await set()
    expect(done).toMatchObject({ code: 0, stdout: 'Changed the password of alice@example.com\n' })
    expect(done.stderr).toBe(
      'Other sessions and your own keys stay valid. To end them: postern session revoke --others\n',
    )
    expect(service.seen).toMatchObject([{ call: 'POST /change-password' }])
    expect(service.seen[0]?.body).toEqual({ currentPassword: 'the old one', newPassword: 'the new one' })
    expect((await set('--json')).json).toEqual({ status: 'updated', resource: { ...user, fields: {} } })
  })

  it('takes the new session that --revoke-others is answered with', async () => {
    service.answers['POST /change-password'] = {
      body: { token: 'raw2', user },
      headers: sessionCookie('two.signature'),
    }
    const done = await set('--revoke-others')
    expect(done.stdout).toBe('Changed the password of alice@example.com and ended every other session\n')
    expect(service.seen).toMatchObject([{ body: { revokeOtherSessions: true } }])
    await postern('whoami')
    expect(service.seen[1]?.headers.cookie).toBe('postern.session_token=two.signature')
  })

  it('keeps the session of a person who speaks by a token', async () => {
    await set('--revoke-others', { env: { POSTERN_TOKEN: 'token' } })
    expect(service.calls()).toEqual(['POST /change-password', 'POST /revoke-other-sessions'])
    expect(service.seen[0]?.body).not.toHaveProperty('revokeOtherSessions')
  })

  it('names both flags when nobody can be asked', async () => {
    const refused = await postern('account password set --json')
    expect(refused.error).toMatchObject({ exitCode: 14, fields: ['--current-password-file', '--password-file'] })
    expect(service.seen).toEqual([])
  })

  it('takes no two passwords from one stdin, and no password for itself', async () => {
    const both = await postern('account password set --current-password-file - --password-file -', { stdin: 'a\nb' })
    expect(both).toMatchObject({ code: 2, stdout: '' })
    const same = await postern(`account password set --current-password-file ${old}`, {
      env: { POSTERN_PASSWORD_FILE: old },
    })
    expect(same).toMatchObject({
      code: 2,
      stdout: '',
      stderr: 'error: The new password is the current one\n  next: postern account password set --help\n',
    })
    expect(service.seen).toEqual([])
  })

  it('says that the current password is wrong', async () => {
    service.answers['POST /change-password'] = {
      status: 400,
      body: { code: 'INVALID_PASSWORD', message: 'Invalid password' },
    }
    expect(await set('--json')).toMatchObject({ code: 4, stdout: '' })
  })
})

describe('account password forgot', () => {
  it('asks for a mail as nobody, and names the next command', async () => {
    const done = await postern('account password forgot --email Alice@Example.com')
    expect(done).toMatchObject({ code: 0, stdout: 'If alice@example.com has an account, a mail is on its way\n' })
    expect(done.stderr).toBe('Set a new password with its link: postern account password reset LINK\n')
    expect(service.seen).toMatchObject([{ call: 'POST /forget-password', body: { email: 'alice@example.com' } }])
    expect(service.seen[0]?.headers.cookie).toBeUndefined()
  })

  it('answers the address under --json, and names the flag that is missing', async () => {
    expect((await postern('account password forgot -A a@b.co --json')).json).toEqual({
      status: 'planned',
      resource: { email: 'a@b.co' },
    })
    expect((await postern('account password forgot --json')).error).toMatchObject({ exitCode: 14, fields: ['--email'] })
  })
})

describe('account password reset', () => {
  const links = () => [
    opaque,
    `${service.url}/api/auth/reset-password/${opaque}?callbackURL=%2F`,
    `${service.url}/api/auth/page/reset-password?token=${opaque}`,
  ]

  it('sets the new password by token or link, and says to sign in', async () => {
    for (const link of links()) {
      const done = await postern(['account', 'password', 'reset', link, '--password-file', '-'], { stdin: 'new one\n' })
      expect(done).toMatchObject({ code: 0, stdout: 'Set the new password and ended every session\n' })
      expect(done.stderr).toBe('Sign in with it: postern sign-in\n')
    }
    expect(service.seen.map(({ body }) => body)).toEqual(links().map(() => ({ token: opaque, newPassword: 'new one' })))
    expect(service.seen[0]?.headers.cookie).toBeUndefined()
  })

  it('reads the link from stdin and the password from a file', async () => {
    const done = await postern(`account password reset - --password-file ${old} --json`, { stdin: `${links()[1]}\n` })
    expect(done.json).toEqual({ status: 'updated', resource: { sessions: 'all' } })
    expect(service.seen).toMatchObject([{ body: { token: opaque, newPassword: 'the old one' } }])
  })

  it('says how to get another link', async () => {
    service.answers['POST /reset-password'] = { status: 400, body: { code: 'INVALID_TOKEN', message: 'invalid token' } }
    const refused = await postern(`account password reset ${opaque} --password-file ${old}`)
    expect(refused).toMatchObject({ code: 12, stdout: '' })
    expect(refused.stderr).toBe(
      'error: This link is not valid. Ask for a new one.\n  next: postern account password forgot\n',
    )
  })

  it('adds what lacks to what was typed', async () => {
    const hintOf = async (argv: string) => (await postern(`account password reset ${argv} --json`)).error['hint']
    expect(await hintOf(opaque)).toBe(`postern account password reset ${opaque} --password-file FILE --json`)
    expect(await hintOf('')).toBe('postern account password reset - --password-file new.txt --json < link.txt')
  })

  it('leaves other refusals as they are', async () => {
    service.answers['POST /reset-password'] = {
      status: 400,
      body: { code: 'PASSWORD_TOO_SHORT', message: 'Password too short' },
    }
    const refused = await postern(`account password reset ${opaque} --password-file ${old} --json`)
    expect(refused.error).toMatchObject({ code: 'PASSWORD_TOO_SHORT', exitCode: 12 })
  })

  it.each([
    ['no link', 'reset --password-file /nowhere', 14],
    ['no password', `reset ${opaque}`, 14],
    ['stdin for both', 'reset - --password-file -', 2],
    ['a link of another service', `reset https://id.example.com/api/auth/reset-password/${opaque}`, 2],
  ])('sends nothing with %s', async (_, argv, code) => {
    expect((await postern(`account password ${argv}`, { stdin: opaque })).code).toBe(code)
    expect(service.seen).toEqual([])
  })
})
