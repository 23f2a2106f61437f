import { existsSync } from 'node:fs'
import { beforeEach, describe, expect, it } from 'vitest'
import { wireCodeOf } from '../../../shared/failure.ts'
import { fullUser } from '../../testing/answers.ts'
import { useAnswers } from '../../testing/use-service.ts'

const { service, postern } = useAnswers()
const token = 'q8w7e6r5t4y3u2i1o0p9a8s7d6f5g4h3'
const deleted = { body: { success: true, message: 'User deleted' } }
const mailed = { body: { success: true, message: 'Verification email sent' } }
beforeEach(async () => {
  Object.assign(service.answers, { 'POST /delete-user': deleted })
  await postern('sign-in --email alice@example.com --password-file -', { stdin: 'pw' })
  service.forget()
})

const bodies = () => service.seen.filter(({ call }) => call === 'POST /delete-user').map(({ body }) => body)
const remove = (more = '', options = {}) => postern(`account delete --confirm alice@example.com ${more}`, options)

describe('account delete', () => {
  it('deletes, and removes the account kept here', async () => {
    const jar = (await postern('auth jar path')).stdout.trim()
    expect(await remove()).toMatchObject({ code: 0, stdout: 'Deleted alice@example.com\n', stderr: '' })
    expect(bodies()).toEqual([{}])
    expect(existsSync(jar)).toBe(false)
    expect((await postern('auth list -q')).stdout).toBe('')
    expect((await postern('whoami')).code).toBe(4)
  })

  it('proves who asks by a password, or by the mailed link or its token', async () => {
    await remove('--password-file -', { stdin: 'pw\n' })
    for (const text of [`${service.url}/api/auth/delete-user/callback?token=${token}&callbackURL=%2F`, token]) {
      await postern('sign-in --email alice@example.com --password-file -', { stdin: 'pw' })
      const done = await remove('--token-file - --json', { stdin: `<${text}>\n` })
      expect(done.json).toEqual({ status: 'deleted', resource: { ...fullUser, fields: {}, organizations: [] } })
    }
    expect(bodies()).toEqual([{ password: 'pw' }, { token }, { token }])
  })

  it('says that a mail was sent, what to run then, and keeps the session', async () => {
    service.answers['POST /delete-user'] = mailed
    const asked = await remove()
    expect(asked.stdout).toBe('Mailed alice@example.com a link to confirm it; nothing is deleted yet\n')
    expect(asked.stderr).toBe(
      'Then run the command from the mail: echo TOKEN | postern account delete --confirm alice@example.com --token-file -\n',
    )
    expect((await remove('--json=email')).json).toEqual({
      status: 'planned',
      resource: { email: 'alice@example.com' },
    })
    expect((await postern('whoami')).code).toBe(0)
  })

  it('names what goes along, before and after', async () => {
    const acme = { id: 'o1', name: 'Acme\u001b[2J', slug: 'acme' }
    const [beta, gamma] = ['beta', 'gamma'].map((slug) => ({ id: slug, name: slug, slug }))
    const row = { logo: null, metadata: null, createdAt: fullUser.createdAt }
    service.answers['GET /organization/list'] = {
      body: [
        { ...acme, ...row, soleMember: true },
        { ...beta, ...row, soleMember: false },
        { ...gamma, ...row },
      ],
    }
    service.answers['POST /delete-user'] = mailed
    const asked = await remove()
    expect(asked.stderr).toMatch(
      /^warning: Nobody else is in Acme\\u001b\[2J \(acme\): it is deleted along with the account\n[^]*\nThen run the command from the mail: /,
    )
    expect((await remove('--json=email,organizations')).json).toEqual({
      status: 'planned',
      resource: { email: 'alice@example.com', organizations: [acme] },
    })
    service.answers['POST /delete-user'] = { body: { ...deleted.body, organizations: [acme, beta, gamma] } }
    expect((await remove()).stdout).toBe(
      'Deleted alice@example.com, and with it Acme\\u001b[2J (acme), beta (beta) and gamma (gamma)\n',
    )
    await postern('sign-in --email alice@example.com --password-file -', { stdin: 'pw' })
    expect((await remove('--json=organizations')).json).toEqual({
      status: 'deleted',
      resource: { organizations: [acme, beta, gamma] },
    })
  })

  it.each([['--yes'], ['-y --password-file -'], ['']])('is not done with %j alone', async (flags) => {
    const refused = await postern(`account delete ${flags} --json`, { stdin: 'pw' })
    expect(refused).toMatchObject({ code: 14, stdout: '' })
    expect(refused.error).toMatchObject({ fields: ['--confirm'], hint: expect.stringContaining('--confirm alice@') })
    expect(service.seen).toEqual([])
  })

  it.each([['Alice@example.com'], ['alice'], ['bob@example.com']])('is not done for --confirm %s', async (name) => {
    const refused = await postern(`account delete --yes --confirm ${name}`)
    expect(refused.code).toBe(2)
    expect(refused.stderr).toContain('--confirm must be exactly alice@example.com\n  next: postern account delete')
    expect(bodies()).toEqual([])
  })

  it.each([
    [
      'a link of another service',
      '--token-file -',
      `https://x.example.com/api/auth/delete-user/callback?token=${token}`,
    ],
    ['link and password', '--token-file - --password-file /nowhere', token],
  ])('sends nothing with %s', async (_, flags, stdin) => {
    expect((await remove(flags, { stdin })).code).toBe(2)
    expect(service.seen).toEqual([])
  })

  it.each([
    {
      message: 'Session expired. Re-authenticate to perform this action.',
      status: 400,
      exitCode: 4,
      hint: 'sign in again: postern sign-in',
    },
    { message: 'invalid token', status: 404, exitCode: 12, hint: 'postern account delete' },
    { message: 'Invalid password', status: 400, exitCode: 4, hint: 'password forgot' },
  ])('says what to do about: $message', async ({ message, status, exitCode, hint }) => {
    service.answers['POST /delete-user'] = { status, body: { code: wireCodeOf(message), message } }
    const refused = await remove('--json')
    expect(refused).toMatchObject({ code: exitCode, stdout: '' })
    expect(refused.error).toMatchObject({ code: wireCodeOf(message), hint: expect.stringContaining(hint) })
    expect((await postern('auth list -q')).stdout).toBe('alice@example.com\n')
  })

  it('says so where the service lets nobody', async () => {
    service.answers['POST /delete-user'] = { status: 404 }
    const refused = await remove()
    expect(refused.code).toBe(5)
    expect(refused.stderr).toContain('On this service, users cannot delete their own account')
  })
})
