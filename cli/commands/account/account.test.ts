import { describe, expect, it } from 'vitest'
import { fullUser } from '../../testing/answers.ts'
import { createRunner } from '../../testing/run-cli.ts'
import { useAnswers } from '../../testing/use-service.ts'

const { service, postern } = useAnswers({ env: { POSTERN_TOKEN: 'token' } })

describe('whoami', () => {
  it('is one line, or the user with the session under --json', async () => {
    expect((await postern('whoami')).stdout).toBe('alice@example.com (Alice)\n')
    expect((await postern('whoami --json')).json).toEqual({
      ...fullUser,
      fields: {},
      server: `${service.url}/api/auth`,
      sessionId: 's1',
      impersonatedBy: null,
      principal: 'alice@example.com (Alice)',
      keyId: null,
      expiresAt: '2026-01-09T03:04:05.000Z',
    })
    expect((await postern('whoami -q')).stdout).toBe('u1\n')
  })

  it('is exit 4 when the service knows no such session', async () => {
    service.answers['GET /get-session'] = { body: null }
    const gone = await postern('whoami --json')
    expect(gone).toMatchObject({ code: 4, stdout: '' })
    expect(gone.error).toMatchObject({ code: 'NOT_SIGNED_IN', status: null, exitCode: 4 })
  })

  it('is exit 4 without a request when nobody is signed in', async () => {
    const nobody = await postern('whoami', { env: { POSTERN_TOKEN: '' } })
    expect(nobody.code).toBe(4)
    expect(nobody.stderr).toBe(`error: Not signed in to ${service.url}/api/auth\n  next: postern sign-in\n`)
    const elsewhere = await createRunner()(`account view --url ${service.url}`)
    expect(elsewhere.stderr).toContain(`  next: postern sign-in --url ${service.url}\n`)
    expect(service.seen).toEqual([])
  })

  it('names the service where somebody is signed in, when the default one is asked', async () => {
    const person = createRunner()
    await person(['sign-in', '--email', 'ann@example.com', '--password-file', '-', '--url', service.url], {
      stdin: 'pw',
    })
    const said = 'error: Not signed in to http://localhost:4100/api/auth\n'
    const elsewhere = `; you are signed in to ${service.url}: --url ${service.url}`
    expect((await person('whoami')).stderr).toBe(`${said}  next: postern sign-in${elsewhere}\n`)
    const named = await person('whoami --url http://localhost:4100')
    expect(named.stderr).toBe(`${said}  next: postern sign-in --url http://localhost:4100\n`)
  })
})

describe('account', () => {
  it('shows the user', async () => {
    expect((await postern('account view --json=name,role')).json).toEqual({ name: 'Alice', role: 'user' })
    expect((await postern('accounts show')).stdout).toContain('Email\talice@example.com\n')
  })

  it.each([
    [['--name', 'Al Ice'], { name: 'Al Ice' }],
    [['--image', 'https://x.example/a.png'], { image: 'https://x.example/a.png' }],
    [['--image', ''], { image: null }],
    [['--language', 'fr'], { language: 'fr' }],
    [['--language', 'auto'], { language: null }],
  ])('edits what is given: %j', async (flags, body) => {
    const done = await postern(['account', 'edit', ...flags, '--json'])
    expect(done.json).toEqual({ status: 'updated', resource: { ...fullUser, fields: {} } })
    expect(service.seen[0]).toMatchObject({ call: 'POST /update-user', body })
    expect(service.seen[0]?.body).toEqual(body)
  })

  it('takes no script for an image', async () => {
    expect(await postern(['account', 'edit', '--image', 'javascript:alert(1)'])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^error: --image has to be an http or https address, or data:image/),
    })
    expect(service.seen).toEqual([])
  })

  it('takes no empty name', async () => {
    const refused = await postern(['account', 'edit', '--name', ''])
    expect(refused).toMatchObject({ code: 2, stderr: 'error: Name is needed\n  next: postern account edit --help\n' })
    expect(service.seen).toEqual([])
  })

  it('edits nothing without being told what', async () => {
    expect((await postern('account edit')).code).toBe(2)
    expect(service.seen).toEqual([])
  })
})
