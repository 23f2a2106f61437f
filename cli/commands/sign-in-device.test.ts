import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { ageDevices } from '../../server/testing/device.ts'
import { startOpenIdProvider } from '../../server/testing/openid-provider.ts'
import { personAt } from '../../server/testing/social.ts'
import { useStarted } from '../../server/testing/use-service.ts'
import type { Visitor } from '../../server/testing/visitor.ts'
import { startOwnService } from '../testing/own-service.ts'
import { createRunner, type Runner, type RunOptions } from '../testing/run-cli.ts'

let person: Visitor & { readonly email: string }
let postern: Runner
const google = useStarted(startOpenIdProvider)
const own = useStarted(() => startOwnService({ RATE_LIMIT: 'off', ...google.settings('GOOGLE') }))
beforeEach(async () => {
  person = await own.service.person()
  postern = createRunner({ env: { POSTERN_URL: own.url } })
})

const atTerminal: RunOptions = { tty: ['stdin', 'stdout', 'stderr'] }

/** As the person does it in a browser. */
async function decide(userCode: string, decision: 'approve' | 'deny' = 'approve') {
  await person.get(`/device?user_code=${userCode}`)
  return person.post(`/device/${decision}`, { userCode })
}

interface Begun {
  readonly ticket: string
  readonly url: string
  readonly userCode: string
  readonly expiresAt: string
  readonly interval: number
}

const begin = async (): Promise<Begun> => (await postern('sign-in --start --json')).json as Begun

/** Looks once; `later`: when the next poll may come. */
async function look(ticket: string, later = false) {
  if (later) await ageDevices(own.service, 6)
  return postern(`sign-in --resume ${ticket} --wait 0`, later ? { now: Date.now() + 6000 } : {})
}

/** Runs it at a terminal, and answers the code that it shows first. */
function waitingCommand(argv: string, options: RunOptions = {}) {
  let said = ''
  let tell: (code: string) => void = () => {}
  const code = new Promise<string>((resolve) => {
    tell = resolve
  })
  const hear = (text: string) => {
    said += text
    const found = /and type ([A-Z]{4}-[A-Z]{4})\n/.exec(said)?.[1]
    if (found && said.includes('Waiting')) tell(found)
  }
  const ended = postern(argv, { ...atTerminal, ...options, hear })
  return { code, ended, said: () => said }
}

const sessionsOf = async (email: string) =>
  own.service.deps.sql`select s.id from sessions s join users u on u.id = s.user_id where u.email = ${email}`

describe('a sign-in that a script begins', () => {
  it('tells where to go and with which code, and keeps the secrets to itself', async () => {
    const { ticket, ...begun } = await begin()
    expect(begun).toEqual({
      url: `${own.url}/api/auth/page/device`,
      userCode: expect.stringMatching(/^[A-Z]{4}-[A-Z]{4}$/),
      expiresAt: expect.stringMatching(/Z$/),
      interval: 5,
    })
    const folder = join(String(postern.env['POSTERN_STATE_DIR']), 'tickets')
    expect(readdirSync(folder)).toEqual([`${ticket}.json`])
    expect([statSync(folder).mode & 0o777, statSync(join(folder, `${ticket}.json`)).mode & 0o777]).toEqual([
      0o700, 0o600,
    ])
    const { deviceCode, verifier } = JSON.parse(readFileSync(join(folder, `${ticket}.json`), 'utf8'))
    expect(JSON.stringify({ ticket, begun })).not.toMatch(new RegExp(`${deviceCode}|${verifier}`))
    expect((await postern('sign-in --start -q')).stdout).toMatch(/^[\da-f]{20}\n$/)
  })

  it('is pending, then done, and leaves nothing behind', async () => {
    const { ticket, userCode } = await begin()
    const pending = await look(ticket)
    expect(pending).toMatchObject({ code: 8, stdout: '' })
    expect(pending.stderr).toContain(`postern sign-in --resume ${ticket}`)
    await decide(userCode)
    expect(await look(ticket, true)).toMatchObject({ code: 0, stdout: `Signed in as ${person.email}\n` })
    expect((await postern('whoami')).stdout).toContain(person.email)
    expect(readdirSync(join(String(postern.env['POSTERN_STATE_DIR']), 'tickets'))).toEqual([])
    expect((await look(ticket)).code).toBe(4)
  })

  it('asks no sooner than the service wants it, however often a script looks', async () => {
    const { ticket } = await begin()
    for (let tries = 0; tries < 5; tries += 1) expect((await look(ticket)).code).toBe(8)
    const [row] = await own.service.deps.sql`select max(poll_interval) as slowest from device_requests`
    expect(row?.slowest).toBe(5)
  })

  it('is refused with 5, too late with 4, and unknown with 4', async () => {
    const [refused, late] = [await begin(), await begin()]
    await decide(refused.userCode, 'deny')
    expect(await look(refused.ticket)).toMatchObject({ code: 5, stdout: '' })
    expect((await look(refused.ticket)).code).toBe(4)
    await ageDevices(own.service, 600)
    expect((await look(late.ticket)).code).toBe(4)
    for (const ticket of [late.ticket, '../jars/x', 'f'.repeat(20)]) expect((await look(ticket)).code).toBe(4)
  })

  it('goes on at its own service only', async () => {
    const { ticket } = await begin()
    const { code, stderr } = await postern(`sign-in --resume ${ticket} --url http://localhost:1`)
    expect(code).toBe(2)
    expect(stderr).toContain(`postern sign-in --resume ${ticket} --url ${own.url}/api/auth`)
  })

  it('makes one session, however many wait for it', async () => {
    const { ticket, userCode } = await begin()
    await decide(userCode)
    const before = (await sessionsOf(person.email)).length
    const codes = await Promise.all(Array.from({ length: 8 }, async () => (await look(ticket)).code))
    expect(codes).toContain(0)
    expect(codes.filter((code) => ![0, 4, 8].includes(code))).toEqual([])
    expect(await sessionsOf(person.email)).toHaveLength(before + 1)
    expect((await postern('whoami')).code).toBe(0)
  })

  it('refuses a ticket that others can read', async () => {
    const { ticket } = await begin()
    chmodSync(join(String(postern.env['POSTERN_STATE_DIR']), 'tickets', `${ticket}.json`), 0o644)
    expect((await look(ticket)).code).toBe(15)
  })
})

describe('a sign-in that a person waits for', () => {
  it('shows address and code, counts down, and ends signed in, as with a password', async () => {
    // Of a clock that stands still all five minutes are left, however long it takes to draw them.
    const { code, ended, said } = waitingCommand('sign-in --device --no-open --qr', {
      now: Date.now(),
      tty: ['stdin', 'stderr'],
    })
    await decide(await code)
    expect(await ended).toMatchObject({ code: 0, stdout: `Signed in as ${person.email}\n` })
    expect(said()).toContain(`Open ${own.url}/api/auth/page/device\n`)
    expect(said()).toContain('\u001b[97;40m')
    expect(said()).toContain('▀')
    expect(said()).toContain('\r\u001b[2KWaiting, 5:00 left · ctrl+c leaves')
    expect((await postern('whoami')).code).toBe(0)
    expect((await postern('session list --json')).stdout).toContain('postern/')
    expect((await postern('sign-out')).stdout).toBe(`Signed out ${person.email}\n`)
    expect((await postern('whoami')).code).toBe(4)
  })

  it('ends the session that it takes the place of', async () => {
    const { email } = person
    for (const _ of [1, 2]) {
      const { ticket, userCode } = await begin()
      await decide(userCode)
      expect((await look(ticket)).code).toBe(0)
    }
    // The browser's own, and one of this machine.
    expect(await sessionsOf(email)).toHaveLength(2)
  })

  it('can be left by Ctrl+C and gone on with', async () => {
    const leaving = new AbortController()
    const { code, ended } = waitingCommand('sign-in --device --no-open', { signal: leaving.signal })
    const userCode = await code
    const { interruptedError } = await import('../output/cli-error.ts')
    leaving.abort(interruptedError())
    const { code: exitCode, stdout, stderr } = await ended
    expect([exitCode, stdout]).toEqual([130, ''])
    const ticket = /postern sign-in --resume ([\da-f]{20})/.exec(stderr)?.[1] ?? ''
    await decide(userCode)
    expect((await look(ticket, true)).code).toBe(0)
  })

  it('ends with the wait, and says how to go on', async () => {
    const { code, stderr } = await postern('sign-in --device --no-open --wait 1s', atTerminal)
    expect(code).toBe(8)
    expect(stderr).toMatch(/postern sign-in --resume [\da-f]{20}/)
  })

  it('sends nothing where nobody can be told the code', async () => {
    const line = 'postern sign-in --provider github --start --json\n'
    for (const options of [{}, { ...atTerminal, env: { CI: 'true' } }]) {
      const { code, stdout, stderr } = await postern('sign-in --provider github --qr', options)
      expect([code, stdout]).toEqual([14, ''])
      expect(stderr).toContain(line)
    }
    expect((await postern('sign-in --device --json', atTerminal)).error).toMatchObject({
      exitCode: 14,
      hint: 'postern sign-in --start --json',
    })
  })

  it('tells which provider it meant', async () => {
    const { code, stderr } = await postern('sign-in --provider googel --start')
    expect([code, stderr]).toEqual([6, expect.stringContaining('Did you mean google?')])
    expect((await postern('sign-in --provider github --start')).stderr).toContain('It has google.')
    expect((await postern('sign-in --provider GitHub --start')).code).toBe(2)
  })

  it.each([['--start'], ['--device', '--wait', '1s']])('wants a provider that is named, with %s', async (...flags) => {
    const { code, stderr } = await postern(['sign-in', '--provider', '', ...flags], atTerminal)
    expect([code, stderr]).toEqual([2, expect.stringContaining('Provider is needed')])
  })

  it.each([
    'sign-in --device --email a@b.co',
    'sign-in --resume 00000000000000000000 --provider github',
    'sign-in --start --wait 5m',
    'sign-in --token-file x --device',
    'sign-in --wait 5m',
    'sign-in --qr',
    'sign-in --no-open',
    'sign-in --device --wait soon',
  ])('refuses %s', async (argv) => {
    const { code, stderr } = await postern(argv, atTerminal)
    expect([code, stderr]).toEqual([2, expect.stringContaining('postern sign-in --help')])
  })

  it('says how long it waits at the most', async () => {
    const { code, stderr } = await postern('sign-in --device --wait 25h', atTerminal)
    expect([code, stderr]).toEqual([2, expect.stringContaining('at most 24h')])
  })
})

describe('an id token of a provider', () => {
  const signIn = (argv: string, stdin: string) =>
    postern(`sign-in --provider google --id-token-file - ${argv}`.trim(), { stdin })

  it('signs in at once, as the person that it names', async () => {
    const ann = personAt()
    const token = await google.sign({ ...ann, nonce: 'n-1' })
    expect(await signIn('--nonce n-1', `${token}\n`)).toMatchObject({ code: 0, stdout: `Signed in as ${ann.email}\n` })
    expect((await postern('whoami')).stdout).toContain(ann.email)
    expect((await postern('sign-out')).code).toBe(0)
  })

  it('is refused with another nonce, of another provider, and when it is none', async () => {
    const token = await google.sign({ ...personAt(), nonce: 'n-1' })
    expect(await signIn('--nonce n-2', token)).toMatchObject({ code: 12, stdout: '' })
    expect((await signIn('', 'no.id.token')).code).toBe(12)
    const { code, stderr } = await postern('sign-in --provider gitlab --id-token-file -', { stdin: token })
    expect([code, stderr]).toEqual([6, expect.stringContaining('postern sign-in --device')])
    expect((await postern('sign-in --id-token-file -', { stdin: token })).code).toBe(14)
    expect((await postern('sign-in --provider google --nonce x')).code).toBe(2)
  })
})

describe('a browser on this machine', () => {
  /** A program that notes the address it was started with, in place of a browser. */
  function desktop() {
    const [program, noted] = [join(postern.folder, 'browser'), join(postern.folder, 'opened')]
    writeFileSync(program, `#!/bin/sh\nprintf '%s' "$*" > '${noted}.part'\nmv '${noted}.part' '${noted}'\n`, {
      mode: 0o755,
    })
    return {
      env: { DISPLAY: ':0', BROWSER: program },
      address: async () => {
        await expect.poll(() => readdirSync(postern.folder)).toContain('opened')
        return new URL(readFileSync(noted, 'utf8'))
      },
    }
  }

  it('comes back with what only this machine gets', async () => {
    const { env, address } = desktop()
    const { ended, said } = waitingCommand('sign-in --device', { env })
    const page = await address()
    const userCode = page.searchParams.get('user_code') ?? ''
    await expect.poll(said).toContain(`it shows ${userCode}`)
    const { body } = await decide(userCode)
    const back = new URL(body.redirect_uri)
    expect(back.hostname).toBe('127.0.0.1')
    // Whoever knocks without the state is turned away, and nothing has happened.
    for (const query of ['', '?code=x', `?code=x&state=${'x'.repeat(43)}`])
      expect((await fetch(`${back.origin}${back.pathname}${query}`)).status).toBe(404)
    const answer = await fetch(back)
    expect([answer.status, answer.headers.get('content-security-policy')]).toEqual([
      200,
      expect.stringContaining("default-src 'none'"),
    ])
    expect(await ended).toMatchObject({ code: 0, stdout: `Signed in as ${person.email}\n` })
    await expect(fetch(back)).rejects.toThrow('fetch failed')
  })

  it('does not keep the printed code from working', async () => {
    const { env, address } = desktop()
    const { code, ended } = waitingCommand('sign-in --device', { env })
    await address()
    await decide(await code)
    expect((await ended).code).toBe(0)
  })

  it('says so when the person refuses there', async () => {
    const { env, address } = desktop()
    const { ended } = waitingCommand('sign-in --device', { env })
    const { body } = await decide((await address()).searchParams.get('user_code') ?? '', 'deny')
    await fetch(body.redirect_uri)
    expect((await ended).code).toBe(5)
  })

  it.each<[string, Record<string, string>]>([
    ['sign-in --device --no-open --wait 1s', {}],
    ['sign-in --device --wait 1s', { SSH_CONNECTION: '192.0.2.1 1 192.0.2.2 22' }],
    ['sign-in --device --wait 1s', { DISPLAY: '' }],
    ['sign-in --device --wait 1s', { BROWSER: '/no/such/browser' }],
  ])('stays closed: %s %j', async (argv, more) => {
    const { env } = desktop()
    const { said, ended } = waitingCommand(argv, { env: { ...env, ...more } })
    expect((await ended).code).toBe(8)
    expect(said()).not.toContain('opened')
    expect(readdirSync(postern.folder)).not.toContain('opened')
  })
})
