import { chmodSync, existsSync, writeFileSync } from 'node:fs'
import { beforeEach, describe, expect, it } from 'vitest'
import { startAnswers, usual } from '../../testing/answers.ts'
import { useAnswers } from '../../testing/use-service.ts'

const { service, postern } = useAnswers()

const signIn = (email: string) => postern(['sign-in', '--email', email, '--password-file', '-'], { stdin: 'pw' })

describe('auth list and switch', () => {
  beforeEach(async () => {
    await signIn('alice@example.com')
    await signIn('bob@example.com')
  })

  it('lists every stored account and which one is current', async () => {
    expect((await postern('auth list --json=account,current,signedIn')).json).toMatchObject({
      items: [
        { account: 'alice@example.com', current: false, signedIn: true },
        { account: 'bob@example.com', current: true, signedIn: true },
      ],
    })
  })

  it('switches, whatever the case of the letters, and says when there is nothing to do', async () => {
    expect((await postern('auth switch ALICE@example.com --json')).json).toMatchObject({ status: 'updated' })
    expect((await postern('auth switch alice@example.com --json')).json).toMatchObject({ status: 'unchanged' })
    expect((await postern('auth jar path')).stdout).toContain('alice-example-com')
  })

  it('knows no other account: exit 6 names those it has', async () => {
    const refused = await postern('auth switch carol@example.com')
    expect(refused.code).toBe(6)
    expect(refused.stderr).toContain('alice@example.com, bob@example.com')
  })

  it('speaks as the only account left when the current one signs out', async () => {
    await postern('sign-out')
    service.forget()
    const { code, stdout } = await postern('whoami')
    expect([code, stdout, service.seen.length]).toEqual([0, expect.stringContaining('@example.com'), 1])
  })

  it('speaks as the account that -A or POSTERN_ACCOUNT names', async () => {
    const path = async (argv: string, env = {}) => (await postern(argv, { env })).stdout
    expect(await path('auth jar path -A alice@example.com')).toContain('alice-example-com')
    expect(await path('auth jar path', { POSTERN_ACCOUNT: 'alice@example.com' })).toContain('alice-example-com')
    expect((await postern(['whoami', '-A', ' Bob@example.com '])).code).toBe(0)
    expect((await postern('whoami', { env: { POSTERN_ACCOUNT: ' bob@example.com' } })).code).toBe(0)
    expect((await postern('whoami -A carol@example.com')).stderr).toBe(
      `error: carol@example.com is not signed in to ${service.url}/api/auth\n  next: postern sign-in --email carol@example.com\n`,
    )
    expect((await postern('whoami -A carol')).stderr).toContain('next: See your accounts: postern auth list')
  })

  it('never sends the session of one service to another', async () => {
    const other = await startAnswers(usual())
    const { code } = await postern('whoami', { env: { POSTERN_URL: other.url } })
    expect([code, other.seen.length]).toEqual([4, 0])
    await other.close()
  })
})

describe('auth status', () => {
  it('reports without failing that nobody is signed in', async () => {
    const { code, json } = await postern('auth status --json')
    expect(code).toBe(0)
    expect(json).toMatchObject({ signedIn: false, account: null, sessionId: null })
    expect(service.seen).toEqual([])
  })

  it('asks the service about the session', async () => {
    await signIn('alice@example.com')
    expect((await postern('auth status --json')).json).toMatchObject({
      signedIn: true,
      account: 'alice@example.com',
      source: 'current account',
      sessionId: 's1',
    })
    service.answers['GET /get-session'] = { body: null }
    expect((await postern('auth status --json')).json).toMatchObject({ signedIn: false, account: 'alice@example.com' })
  })
})

describe('auth status --explain', () => {
  const winners = async (argv: string, env: Record<string, string> = {}) => {
    const { json } = await postern(`auth status --explain --json ${argv}`, { env })
    const { items } = json as { items: { setting: string; value: string | null; source: string }[] }
    return Object.fromEntries(items.map(({ setting, value, source }) => [setting, [value, source]]))
  }
  const unset = { POSTERN_URL: '' }

  it('names the winner of each setting: flag > env > profile > config > built-in', async () => {
    expect((await winners('', unset))['url']).toEqual(['http://localhost:4100/api/auth', 'built-in'])
    await postern('config set url https://config.example')
    expect((await winners('', unset))['url']).toEqual(['https://config.example/api/auth', 'config'])
    await postern('profile create work --url https://profile.example/auth')
    await postern('profile use work')
    expect((await winners('', unset))['url']).toEqual(['https://profile.example/auth', 'profile work'])
    expect((await winners('', { POSTERN_URL: 'https://env.example/' }))['url']).toEqual([
      'https://env.example/api/auth',
      'POSTERN_URL',
    ])
    expect((await winners('--url https://flag.example'))['url']).toEqual(['https://flag.example/api/auth', '--url'])
    expect(service.seen).toEqual([])
  })

  it('says whose word counts for profile, account, token, time, tries, colour and reading', async () => {
    await postern('profile create ci --account ci@example.com --timeout 5s --retries 0 --read-only')
    const named = await winners('-P ci --color always', { POSTERN_TIMEOUT: '7s', POSTERN_DEBUG: '1' })
    expect(named).toMatchObject({
      profile: ['ci', '--profile'],
      account: ['ci@example.com', 'profile ci'],
      token: [null, 'not set'],
      timeout: ['7000 ms', 'POSTERN_TIMEOUT'],
      retries: ['0', 'profile ci'],
      color: ['always', '--color'],
      'read-only': ['on', 'profile ci'],
      debug: ['on', 'POSTERN_DEBUG'],
      state: [postern.env.POSTERN_STATE_DIR, 'POSTERN_STATE_DIR'],
    })
    const token = await winners('', { POSTERN_PROFILE: 'ci', POSTERN_TOKEN: 'secret', NO_COLOR: '1' })
    expect(token).toMatchObject({
      profile: ['ci', 'POSTERN_PROFILE'],
      account: [null, 'not set'],
      token: ['(set)', 'POSTERN_TOKEN'],
      color: ['never', 'NO_COLOR'],
    })
    expect(await winners('-A me@example.com', { POSTERN_TOKEN: 'secret' })).toMatchObject({
      account: ['me@example.com', '--account'],
      token: [null, 'not set'],
    })
  })
})

describe('auth token', () => {
  it('prints the session token into a pipe, and to a terminal only with --show', async () => {
    await signIn('alice@example.com')
    expect((await postern('auth token')).stdout).toBe('token.signature\n')
    expect(await postern('auth token', { tty: ['stdout'] })).toMatchObject({ code: 2, stdout: '' })
    expect((await postern('auth token --show', { tty: ['stdout'] })).stdout).toBe('token.signature\n')
    expect((await postern('auth token', { env: { POSTERN_TOKEN: 'mine' } })).stdout).toBe('mine\n')
  })

  it('is exit 4 when there is none', async () => {
    expect((await postern('auth token')).code).toBe(4)
  })
})

it('auth refresh asks past the cache and says until when', async () => {
  await signIn('alice@example.com')
  service.forget()
  expect((await postern('auth refresh --json')).json).toMatchObject({
    status: 'updated',
    resource: { id: 's1', expiresAt: '2026-01-09T03:04:05.000Z' },
  })
  expect(service.seen[0]).toMatchObject({ call: 'GET /get-session', query: { disableCookieCache: 'true' } })
})

describe('auth jar', () => {
  it('clears with consent only: --yes, or the exact address', async () => {
    await signIn('alice@example.com')
    const path = (await postern('auth jar path')).stdout.trim()
    const asked = await postern('auth jar clear')
    expect(asked.code).toBe(14)
    expect(asked.stderr).toContain('postern auth jar clear --account alice@example.com --yes')
    expect((await postern('auth jar clear --confirm bob@example.com')).code).toBe(2)
    expect(existsSync(path)).toBe(true)
    expect((await postern('auth jar clear --confirm alice@example.com')).code).toBe(0)
    expect(existsSync(path)).toBe(false)
  })

  it.each(['path', 'clear'])('%s without an account says how to name one', async (verb) => {
    const { code, stderr } = await postern(`auth jar ${verb}`)
    expect([code, stderr]).toEqual([
      4,
      expect.stringContaining(`Name one: postern auth jar ${verb} --account alice@example.com`),
    ])
  })

  it('removes a damaged jar, which every other command refuses with exit 15', async () => {
    await signIn('alice@example.com')
    const path = (await postern('auth jar path')).stdout.trim()
    writeFileSync(path, '{broken')
    const refused = await postern('whoami --json')
    expect(refused.error).toMatchObject({ code: 'LOCAL_STATE', exitCode: 15 })
    expect((await postern('auth jar clear -A alice@example.com -y')).code).toBe(0)
    expect((await postern('whoami')).code).toBe(4)
  })

  it('is refused when others can read it', async () => {
    await signIn('alice@example.com')
    const path = (await postern('auth jar path')).stdout.trim()
    chmodSync(path, 0o644)
    expect((await postern('whoami')).code).toBe(15)
  })
})
