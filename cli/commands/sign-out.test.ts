import { beforeEach, describe, expect, it } from 'vitest'
import { interruptedError } from '../output/cli-error.ts'
import { startAnswers, usual } from '../testing/answers.ts'
import { useAnswers } from '../testing/use-service.ts'

const { service, postern } = useAnswers()
beforeEach(async () => {
  for (const email of ['bob@example.com', 'alice@example.com'])
    await postern(['sign-in', '--email', email, '--password-file', '-'], { stdin: 'pw' })
  service.forget()
})

const signedIn = async () =>
  (await postern('auth list')).stdout.split('\n').filter((line) => line.endsWith('true')).length

describe('sign-out', () => {
  it('ends the current session there and here, and leaves other accounts alone', async () => {
    expect(await postern('sign-out')).toMatchObject({
      code: 0,
      stdout: 'Signed out alice@example.com\n',
      stderr: 'Other commands act as bob@example.com\n',
    })
    expect(service.calls()).toEqual(['POST /sign-out'])
    expect(await signedIn()).toBe(1)
    service.forget()
    expect((await postern('whoami')).code).toBe(0)
  })

  it('takes the account that is named', async () => {
    const done = await postern('sign-out --account bob@example.com --json')
    expect(done.json).toEqual({
      status: 'deleted',
      resource: { account: 'bob@example.com', server: `${service.url}/api/auth` },
    })
    expect((await postern('whoami')).code).toBe(0)
  })

  it('takes it in any case of letters, and then another account is current', async () => {
    expect((await postern('sign-out --account Alice@Example.COM')).stderr).toBe(
      'Other commands act as bob@example.com\n',
    )
    expect((await postern('whoami')).code).toBe(0)
  })

  it('leaves nobody chosen of several, and says how to choose', async () => {
    await postern('sign-in --email carl@example.com --password-file -', { stdin: 'pw' })
    expect((await postern('sign-out')).stderr).toBe('')
    const { code, stderr } = await postern('session list')
    expect([code, stderr]).toEqual([
      4,
      expect.stringMatching(/next: postern auth switch ACCOUNT: alice@example.com, bob@example.com/),
    ])
  })

  it('has nothing to do when nobody is signed in', async () => {
    await postern('sign-out --all')
    service.forget()
    expect((await postern('sign-out --json')).json).toMatchObject({ status: 'unchanged' })
    expect(service.seen).toEqual([])
  })

  it('calls nobody current whose session was already over', async () => {
    const over = { body: null, headers: { 'set-cookie': ['postern.session_token=; Path=/; Max-Age=0'] } }
    service.answers['GET /get-session'] = over
    await postern('whoami')
    expect((await postern('sign-out --account bob@example.com')).stderr).toBe('')
    expect(await postern('sign-out')).toMatchObject({ stdout: 'alice@example.com was not signed in\n', stderr: '' })
  })

  it('counts a session that the service no longer knows as ended', async () => {
    service.answers['POST /sign-out'] = {
      status: 400,
      body: { code: 'FAILED_TO_GET_SESSION', message: 'Failed to get session' },
    }
    expect((await postern('sign-out')).code).toBe(0)
    expect(await signedIn()).toBe(1)
  })

  it('forgets the session although the service cannot be reached, and says that it lives on there', async () => {
    await service.close()
    const refused = await postern('sign-out --retries 0')
    expect(refused.code).toBe(10)
    expect(refused.stderr).toContain('signed out here')
    expect(refused.stderr).toContain('stays valid there')
    expect(await signedIn()).toBe(1)
    Object.assign(service, await startAnswers(usual()))
  })

  it('asks nobody with --local', async () => {
    const done = await postern('sign-out --local')
    expect(done).toMatchObject({ code: 0, stdout: 'Signed out alice@example.com\n' })
    expect(done.stderr).toContain('stays valid at the service')
    expect(service.seen).toEqual([])
  })

  it('ends all accounts of this service one by one with --all', async () => {
    const done = await postern('sign-out --all --json')
    expect(done.json).toMatchObject({ summary: { total: 2, succeeded: 2 } })
    expect(service.calls()).toEqual(['POST /sign-out', 'POST /sign-out'])
    expect(await signedIn()).toBe(0)
  })

  it('tells who is signed out, and who is not, when --all is interrupted', async () => {
    await postern('sign-in --email carl@example.com --password-file -', { stdin: 'pw' })
    const stop = new AbortController()
    service.answers['POST /sign-out'] = () => {
      if (service.calls().filter((call) => call === 'POST /sign-out').length === 2) stop.abort(interruptedError())
      return { body: { success: true } }
    }
    const { code, stdout } = await postern('sign-out --all --ndjson', { signal: stop.signal })
    const results = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect([code, results.map(({ status, error }) => [status, error?.code])]).toEqual([
      130,
      [
        ['deleted', undefined],
        ['failed', 'INTERRUPTED'],
        ['skipped', undefined],
      ],
    ])
  })

  it('signs all out here with --all although the service cannot end one session', async () => {
    service.answers['POST /sign-out'] = { status: 500 }
    const { code, json } = await postern('sign-out --all --json')
    expect([code, json, await signedIn()]).toMatchObject([13, { summary: { failed: 2 } }, 0])
  })

  it('ends the session of POSTERN_TOKEN, and keeps the stored ones', async () => {
    expect((await postern('sign-out', { env: { POSTERN_TOKEN: 'ci' } })).code).toBe(0)
    expect(service.seen[0]?.headers.authorization).toBe('Bearer ci')
    expect(await signedIn()).toBe(2)
    expect((await postern('sign-out --local', { env: { POSTERN_TOKEN: 'ci' } })).code).toBe(2)
  })
})
