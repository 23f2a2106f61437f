import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../../server/testing/ports.ts'
import { testPassword } from '../../server/testing/service.ts'
import { startAnswers, usual } from '../testing/answers.ts'
import { type OwnService, startOwnService } from '../testing/own-service.ts'
import { createRunner, type Runner } from '../testing/run-cli.ts'

const own = 'https://id.example.com'
const email = 'ann@example.com'

/** A service of https that is asked at its socket, over http, and was told to trust that. */
let behind: OwnService
beforeAll(async () => {
  const PORT = String(await freePort())
  behind = await startOwnService({ PORT, BASE_URL: own, TRUSTED_ORIGINS: `http://localhost:${PORT}` })
})
afterEach(() => behind.empty())
afterAll(() => behind.stop())

const signUp = (machine: Runner) =>
  machine(`sign-up --email ${email} --name Ann --password-file -`, { stdin: testPassword })
const signIn = (machine: Runner, flags = '') =>
  machine(`sign-in --email ${email} --password-file - ${flags}`, { stdin: testPassword })
const sessions = async () => {
  const [counted] = await behind.service.deps.sql`select count(*)::int as n from sessions`
  return counted?.n
}
/** A session that was opened elsewhere. */
async function tokenOf(): Promise<string> {
  const { body } = await behind.service.visitor().post('/sign-in/email', { email, password: testPassword })
  return body.token
}

describe('over http, at a service whose BASE_URL is https', () => {
  it('a sign-up says that it signed nobody in, that the account is there, and where to sign in', async () => {
    const machine = behind.machine()
    const { code, stdout, stderr } = await signUp(machine)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toBe(
      [
        `error: Nobody is signed in: ${behind.url}/api/auth is asked over http, and the service gives its session cookie to https alone`,
        '  The account was made; sign in to it',
        `  next: postern sign-in --email ${email} --url ${own}/api/auth`,
        '',
      ].join('\n'),
    )
    expect(await sessions()).toBe(0)
    expect((await machine('auth list --json')).json).toMatchObject({ items: [] })
  })

  it('a sign-in says so, exits 2, and leaves no session behind', async () => {
    const machine = behind.machine()
    await signUp(machine)
    const { code, stdout, error } = await signIn(machine, '--json')
    expect([code, stdout]).toEqual([2, ''])
    expect(error).toMatchObject({ code: 'SESSION_NOT_KEPT', exitCode: 2, fields: ['--url'] })
    expect(error['hint']).toBe(`postern sign-in --email ${email} --url ${own}/api/auth`)
    expect(await sessions()).toBe(0)
    expect((await machine('whoami')).code).toBe(4)
  })

  it('a token is kept and sent, since it is no cookie; a sign-in that is not kept leaves it alone', async () => {
    const machine = behind.machine()
    await signUp(machine)
    expect((await machine('sign-in --token-file -', { stdin: await tokenOf() })).code).toBe(0)
    expect((await machine('whoami')).stdout).toContain(email)
    expect((await signIn(machine)).code).toBe(2)
    expect((await machine('whoami')).stdout).toContain(email)
    expect(await sessions()).toBe(1)
  })

  it('a sign-in in a browser does not begin, since its page is elsewhere', async () => {
    const { code, stdout } = await behind.machine()('sign-in --device --no-open --wait 1s')
    expect([code === 0, stdout]).toEqual([false, ''])
  })

  it('an old cookie of http does not make it look kept', async () => {
    const machine = behind.machine()
    await behind.goAway()
    const before = await behind.sibling({ PORT: new URL(behind.url).port, BASE_URL: behind.url })
    expect((await signUp(machine)).code).toBe(0)
    await before.goAway()
    await behind.comeBack()
    expect((await signIn(machine)).code).toBe(2)
  })
})

it('a sign-in whose cookie got lost on the way says so, exits 11, and ends the session', async () => {
  const answers = usual()
  const service = await startAnswers({
    ...answers,
    'POST /sign-in/email': { body: { redirect: false, token: 'raw'.repeat(14), user: {} } },
  })
  const machine = createRunner({ env: { POSTERN_URL: service.url } })
  const { code, error } = await signIn(machine, '--json')
  expect([code, error['code']]).toEqual([11, 'SESSION_NOT_KEPT'])
  expect(service.calls()).toContain('POST /sign-out')
  await service.close()
})
