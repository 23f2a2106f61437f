import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fullUser, session } from '../../testing/answers.ts'
import { useAnswers } from '../../testing/use-service.ts'

const { service, postern } = useAnswers({ env: { POSTERN_TOKEN: 'token' } })

describe('api PATH', () => {
  it('prints the answer as it came, dates as text', async () => {
    const done = await postern('api /get-session')
    expect(done.json).toEqual({ session, user: fullUser })
    expect(service.seen[0]?.headers.authorization).toBe('Bearer token')
  })

  it.each([
    ['api /update-user -f name=Al', 'POST /update-user', {}, { name: 'Al' }],
    ['api update-user -F name=null -f image=7', 'POST /update-user', {}, { name: null, image: '7' }],
    ['api /get-session?disableRefresh=true', 'GET /get-session', { disableRefresh: 'true' }, null],
    ['api /verify-email?callbackURL=/a?b=c?d&e=f', 'GET /verify-email', { callbackURL: '/a?b=c?d', e: 'f' }, null],
    ['api /get-session -X get -f disableRefresh=true', 'GET /get-session', { disableRefresh: 'true' }, null],
    ['api /sign-out -X POST', 'POST /sign-out', {}, {}],
    ['api /update-user -F data={"a":[1]}', 'POST /update-user', {}, { data: { a: [1] } }],
  ])('%s', async (argv, call, query, body) => {
    service.answers['GET /verify-email'] = { body: { status: true } }
    expect((await postern(argv)).code).toBe(0)
    expect(service.seen).toMatchObject([{ call, query, body }])
  })

  it('takes a field from a file or from stdin, as text without its last line end', async () => {
    const file = join(postern.folder, 'pw')
    writeFileSync(file, '123\n')
    await postern(['api', '/sign-in/email', '-F', `password=@${file}`, '-F', 'email=-'], { stdin: 'a@b.co\n' })
    expect(service.seen[0]?.body).toEqual({ password: '123', email: 'a@b.co' })
  })

  it('prints status and headers with --include', async () => {
    const { stdout } = await postern('api /ok -i')
    expect(stdout).toMatch(/^HTTP 200\n[\s\S]*content-type: application\/json\n[\s\S]*\n\n\{"ok":true\}\n$/)
  })

  it('prints a header as text only', async () => {
    service.answers['GET /ok'] = { body: { ok: true }, headers: { 'x-odd': 'a\u009b2Jb' } }
    expect((await postern('api /ok -i')).stdout).toContain('\nx-odd: a\\u009b2Jb\n')
  })

  it('prints null for an answer that is nothing, under --json too', async () => {
    service.answers['GET /get-session'] = { body: null }
    expect((await postern('api /get-session')).stdout).toBe('null\n')
    expect((await postern('api /get-session --json')).stdout).toBe('null\n')
  })

  it('fails as the service refused', async () => {
    service.answers['GET /list-sessions'] = { status: 401 }
    expect(await postern('api /list-sessions')).toMatchObject({ code: 4, stdout: '' })
    expect((await postern('api /nowhere --json')).error).toMatchObject({ code: 'NOT_FOUND', status: 404, exitCode: 6 })
  })

  it('leads to the fields of the call, where they are the reason', async () => {
    const taken = { code: 'ORGANIZATION_ALREADY_EXISTS', message: 'Organization already exists' }
    service.answers['POST /organization/create'] = { status: 400, body: taken }
    const { error } = await postern('api /organization/create?x=1 -f name=Acme --json')
    const hint = 'See its fields: postern api describe /organization/create'
    expect(error).toMatchObject({ code: taken.code, hint })
  })

  it.each([
    ['a method that the service does not know', 'api /ok -X DELETE'],
    ['a field without a value', 'api /ok -f name'],
    ['what is not JSON', 'api /ok -F name=Alice'],
    ['a field that is given twice', 'api /update-user -f name=Alice -F name="Bob"'],
    ['what the query has twice', 'api /get-session?a=1&a=2'],
    ['what is in the query already', 'api /get-session?a=1 -X GET -f a=2'],
    ['a path that leaves the service', 'api /../../admin'],
    ['an unknown form to print', 'api /ok --print wget'],
  ])('refuses %s, and sends nothing', async (_, argv) => {
    expect((await postern(argv)).code).toBe(2)
    expect(service.seen).toEqual([])
  })

  it.each([
    ['a GET', 'api /ok --print body'],
    ['what a file holds, on a terminal', 'api /sign-in/email -F password=@/nowhere --print body'],
  ])('prints no body of %s', async (_, argv) => {
    expect(await postern(argv, { tty: ['stdout'] })).toMatchObject({ code: 2, stdout: '' })
    expect(service.seen).toEqual([])
  })
})

describe('api --print curl', () => {
  const curl = async (argv: readonly string[], options = {}) =>
    (await postern([...argv, '--print', 'curl'], options)).stdout

  it('prints a command that holds no session, and sends nothing', async () => {
    expect(await curl(['api', '/update-user', '-f', "name=O'Neil"])).toBe(
      `(token=\${POSTERN_TOKEN:?} && printf 'header="authorization: Bearer %s"\\n' "$token" | ` +
        `curl -sS -K - -X POST -H 'content-type: application/json' ` +
        `--data-raw '{"name":"O'\\''Neil"}' '${service.url}/api/auth/update-user')\n`,
    )
    expect(service.seen).toEqual([])
  })

  it('keeps what follows a second question mark', async () => {
    const line = await curl(['api', '/verify-email?callbackURL=/a?b=c?d&e=f'])
    expect(line).toContain(`'${service.url}/api/auth/verify-email?callbackURL=%2Fa%3Fb%3Dc%3Fd&e=f'`)
  })

  it('names the service and the account whose session it is, or the file of the token', async () => {
    const file = join(postern.folder, 'token')
    writeFileSync(file, 'of-a-file\n')
    const named = `$(postern auth token --url '${service.url}/api/auth' --account 'o'\\''neil@example.com')`
    expect(await curl(['api', '/ok', '-A', "o'neil@example.com"])).toContain(`(token=${named} && printf `)
    const env = { POSTERN_TOKEN: '', POSTERN_TOKEN_FILE: file }
    expect(await curl(['api', '/ok'], { env })).toContain(`(token=$(cat -- '${file}') && printf `)
    expect(await curl(['api', '/ok'], { env: { POSTERN_TOKEN: '' } })).not.toContain('authorization')
  })

  it('holds nothing of a file or of stdin, which it does not even read', async () => {
    const file = join(postern.folder, "it's a password")
    writeFileSync(file, 'hunter2\n')
    const argv = ['api', '/sign-in/email', '-f', 'email=a@b.co', '-F', `password=@${file}`, '-F', 'more=-']
    const line = await curl(argv, { stdin: 'hunter3' })
    expect(line).not.toMatch(/hunter/)
    expect(line).toContain("-F 'more=-' --print body) && printf ")
    expect((await postern([...argv, '--print', 'body'], { stdin: 'hunter3' })).json).toEqual({
      email: 'a@b.co',
      password: 'hunter2',
      more: 'hunter3',
    })
    expect(await curl(['api', '/verify-email', '-X', 'GET', '-F', `token=@${file}`])).not.toMatch(/hunter/)
  })
})

describe('api list and describe', () => {
  it('lists every call of the contract', async () => {
    const { json } = await postern('api list --json=call,path')
    expect((json as { items: object[] }).items).toContainEqual({ call: 'account.signInEmail', path: '/sign-in/email' })
  })

  it('says who can make each call in the words of the documentation', async () => {
    const lines = (await postern('api list')).stdout.split('\n').map((line) => line.split('\t'))
    const callers = new Set(lines.map(([, , , caller]) => caller).filter(Boolean))
    expect(callers).toEqual(new Set(['anyone', 'signed in', 'signed in, or service key', 'service key']))
  })

  it.each(['session.revokeSession', 'revokeSession', '/revoke-session', 'revoke-session', 'POST /revoke-session'])(
    'describes %s',
    async (name) => {
      expect((await postern(`api describe ${name} --json`)).json).toMatchObject({
        call: 'session.revokeSession',
        method: 'POST',
        access: 'signed in',
        input: { type: 'object', required: ['token'] },
        failures: [{ status: 400, code: 'SESSION_NOT_FOUND', message: 'Session not found' }],
      })
    },
  )

  it('is indented at a terminal, and has a line for each fact in a pipe', async () => {
    const call = 'api describe /revoke-session'
    expect((await postern(call, { tty: ['stdout'] })).stdout).toContain('\ninput:  {\n  "$schema"')
    expect((await postern(call)).stdout).toMatch(/\ninput: {2}\{"\$schema".+\noutput: /)
  })

  it('is exit 6 for a call that is not there', async () => {
    expect((await postern('api describe nothing')).code).toBe(6)
    expect((await postern('api describe GET /revoke-session')).code).toBe(6)
  })
})
