import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type AnsweringService, fullUser, session, startAnswers, usual } from '../../testing/answers.ts'
import { createRunner, type Runner } from '../../testing/run-cli.ts'

let service: AnsweringService
let postern: Runner

beforeAll(async () => {
  service = await startAnswers(usual())
})
afterAll(() => service.close())
beforeEach(() => {
  Object.assign(service.answers, usual())
  service.forget()
  postern = createRunner({ env: { POSTERN_URL: service.url, POSTERN_TOKEN: 'token' } })
})

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
    ['api /get-session -X get -f disableRefresh=true', 'GET /get-session', { disableRefresh: 'true' }, null],
    ['api /sign-out -X POST', 'POST /sign-out', {}, {}],
    ['api /update-user -F data={"a":[1]}', 'POST /update-user', {}, { data: { a: [1] } }],
  ])('%s', async (argv, call, query, body) => {
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

  it.each([
    ['a method that the service does not know', 'api /ok -X DELETE'],
    ['a field without a value', 'api /ok -f name'],
    ['what is not JSON', 'api /ok -F name=Alice'],
    ['a path that leaves the service', 'api /../../admin'],
    ['an unknown form to print', 'api /ok --print wget'],
  ])('refuses %s, and sends nothing', async (_, argv) => {
    expect((await postern(argv)).code).toBe(2)
    expect(service.seen).toEqual([])
  })

  it('prints a curl command that holds no session, and sends nothing', async () => {
    const { stdout } = await postern(['api', '/update-user', '-f', "name=O'Neil", '--print', 'curl'])
    expect(stdout).toBe(
      `curl -sS -X POST -H 'content-type: application/json' -H "authorization: Bearer $(postern auth token)" ` +
        `--data-raw '{"name":"O'\\''Neil"}' '${service.url}/api/auth/update-user'\n`,
    )
    expect(service.seen).toEqual([])
  })
})

describe('api list and describe', () => {
  it('lists every call of the contract', async () => {
    const { json } = await postern('api list --json=call,path')
    expect((json as { items: object[] }).items).toContainEqual({ call: 'account.signInEmail', path: '/sign-in/email' })
  })

  it.each(['session.revokeSession', 'revokeSession', '/revoke-session'])('describes %s', async (name) => {
    expect((await postern(`api describe ${name} --json`)).json).toMatchObject({
      call: 'session.revokeSession',
      method: 'POST',
      access: 'session',
      input: { type: 'object', required: ['token'] },
      failures: [{ status: 400, code: 'SESSION_NOT_FOUND', message: 'Session not found' }],
    })
  })

  it('is exit 6 for a call that is not there', async () => {
    expect((await postern('api describe nothing')).code).toBe(6)
  })
})
