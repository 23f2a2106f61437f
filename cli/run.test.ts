import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { interruptedError } from './output/cli-error.ts'
import type { Reply } from './testing/answers.ts'
import { startFakeServer } from './testing/fake-server.ts'
import { createRunner } from './testing/run-cli.ts'
import { useAnswers } from './testing/use-service.ts'
import { topics } from './topics/topics.ts'

const { service, postern } = useAnswers({ env: { POSTERN_TOKEN: 'token' } })

describe('a refused command', () => {
  const asTwo = async () => {
    const person = createRunner({ env: { POSTERN_URL: service.url } })
    for (const email of ['ann@example.com', 'bo@example.com'])
      await person(['sign-in', '--email', email, '--password-file', '-'], { stdin: 'pw' })
    service.answers['GET /list-sessions'] = { status: 403, body: { code: 'FORBIDDEN', message: 'No' } }
    return person
  }

  it('says as whom it acted when another account is signed in', async () => {
    const person = await asTwo()
    const hint = 'You act as bo@example.com; another account: --account ann@example.com'
    expect(await person('session list')).toMatchObject({ code: 5, stderr: `error: No\n  next: ${hint}\n` })
    expect(JSON.parse((await person('session list --json')).stderr)).toMatchObject({ error: { hint } })
    await person(['sign-in', '--email', 'cy@example.com', '--password-file', '-'], { stdin: 'pw' })
    expect((await person('session list')).stderr).toContain('another account: --account EMAIL\n')
    for (const email of ['ann@example.com', 'bo@example.com']) await person(`sign-out --account ${email} --local`)
    expect((await person('session list')).stderr).toBe('error: No\n')
  })

  it('says nothing of it when the account or a token was named', async () => {
    const person = await asTwo()
    expect((await person('session list --account ann@example.com')).stderr).toBe('error: No\n')
    expect((await person('session list', { env: { POSTERN_TOKEN: 'token' } })).stderr).toBe('error: No\n')
  })
})

describe('help', () => {
  it.each(['', '--help', '-h', 'session', 'session --help', 'session list -h', 'help session list', 'auth jar', 'api'])(
    'of `%s` goes to stdout with exit 0',
    async (argv) => {
      const { code, stdout, stderr } = await postern(argv)
      expect([code, stderr]).toEqual([0, ''])
      expect(stdout).toMatch(/^Usage: postern/)
    },
  )

  it('says which wrong lines keep the others from being sent', async () => {
    const { stdout } = await postern('help automation')
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
      'A CSV file with a wrong line is refused before anything is sent (exit 2); of arguments and of lines from -, those that are wrong fail and the others are sent (exit 13).',
    )
  })

  it('names every severe action', async () => {
    const { stdout } = await postern('help automation')
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
      '(org delete, org apply --prune, account delete, admin user delete, member remove of an owner) need --confirm',
    )
  })

  it('lists its topics, which --help of the program does not', async () => {
    const { code, stdout } = await postern('help')
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^postern help TOPIC\n/)])
    for (const [topic, { summary }] of Object.entries(topics))
      expect(stdout).toMatch(new RegExp(`^  ${topic} +${summary}$`, 'm'))
  })

  it.each(['environment', 'exit-codes', 'output', 'automation', 'jar', 'keys'])('has the topic %s', async (topic) => {
    const { code, stdout } = await postern(`help ${topic}`)
    expect(code).toBe(0)
    expect(stdout.length).toBeGreaterThan(200)
    // Lines break between words and fit 80 columns. Commands to copy stay whole.
    expect(stdout.split('\n').filter((line) => line.length > 80 && !line.startsWith('  postern '))).toEqual([])
    expect((await postern(`help ${topic} --json`)).json).toMatchObject({ topic })
  })

  it('knows no other topic', async () => {
    expect((await postern('help nothing')).code).toBe(2)
  })

  it('of a command is the same by `help` and by --help, examples included', async () => {
    expect((await postern('help session revoke')).stdout).toBe((await postern('session revoke --help')).stdout)
  })

  it.each(['--version', '-V', 'version'])('%s prints the version', async (argv) => {
    expect((await postern(argv)).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  })
})

describe('global flags', () => {
  it('stand anywhere', async () => {
    for (const argv of ['--json=id whoami', 'whoami --json=id', 'session --json=id list', '-q session list']) {
      const { code, stdout } = await postern(argv)
      expect([argv, code, stdout]).toEqual([argv, 0, expect.stringMatching(/./)])
    }
  })

  it('--json takes fields after = only, and leaves the next word alone', async () => {
    expect((await postern('--json session view s2')).json).toMatchObject({ id: 's2' })
    expect((await postern('session view --json s2')).json).toMatchObject({ id: 's2' })
  })

  it('what stands after -- is no flag', async () => {
    expect((await postern('session view -- --json')).code).toBe(6)
  })

  it('--read-only refuses every write before it is sent, whoever asks for it', async () => {
    const writes = [
      'sign-up --email a@b.co --name A --password-file -',
      'sign-in --email a@b.co --password-file -',
      'sign-out',
      'account edit --name A',
      'session revoke s2',
      'session revoke --others',
      'session revoke --all --yes',
      'api /sign-out -X POST',
      'api /of-a-newer-service -X POST',
    ]
    for (const argv of writes) {
      const { code, stderr } = await postern(`${argv} --read-only`, { stdin: 'pw' })
      expect([argv, code]).toEqual([argv, 2])
      expect(stderr).toContain('--read-only')
    }
    expect(service.seen).toEqual([])
    await postern('config set read-only on')
    expect((await postern('sign-out')).code).toBe(2)
    expect((await postern('session list')).code).toBe(0)
    expect((await postern('config unset read-only')).code).toBe(0)
  })

  it('--read-only lets a question through that travels as a POST', async () => {
    const questions = {
      'org slug check acme': ['POST /organization/check-slug', { status: true }],
      'role check member:create': ['POST /organization/has-permission', { error: null, success: true }],
      'api /admin/has-permission -F permissions={"user":["list"]}': [
        'POST /admin/has-permission',
        { error: null, success: true },
      ],
    } as const
    service.answers['GET /organization/list-roles'] = { body: [{ role: 'owner', permissions: { member: ['create'] } }] }
    for (const [argv, [call, body]] of Object.entries(questions)) {
      service.answers[call] = { body }
      expect([argv, (await postern(`${argv} --read-only`)).code]).toEqual([argv, 0])
      expect(service.calls()).toContain(call)
    }
  })

  it('--debug shows requests on stderr and no secret', async () => {
    const { stdout, stderr } = await postern('sign-in --email a@b.co --password-file - --debug', { stdin: 'hunter2' })
    expect(stdout).toBe('Signed in as a@b.co\n')
    expect(stderr).toContain(`POST ${service.url}/api/auth/sign-in/email`)
    expect(stderr).toContain('email, password')
    expect(stderr).not.toMatch(/hunter2|token\.signature|Bearer/)
  })

  it('--debug counts the tries, and says why no answer came', async () => {
    service.answers['GET /get-session'] = { status: 429, headers: { 'retry-after': '0' } }
    expect((await postern('whoami --debug --retries 1')).stderr).toMatch(/^debug: GET .* \(try 2\) -> 429 in \d+ ms$/m)
    const env = { POSTERN_URL: 'http://127.0.0.1:1' }
    const { stderr } = await postern('whoami --debug --retries 0', { env })
    expect(stderr).toMatch(/^debug: GET .* -> no answer in \d+ ms\n(?:debug: .*\n)*debug: {3}ECONNREFUSED$/m)
  })

  it('--debug shows what the service sent as text only', async () => {
    const body = { code: 'ODD', message: 'no\u001b[2J' }
    service.answers['GET /get-session'] = { status: 400, headers: { 'x-request-id': 'a\u009b2Jb' }, body }
    const { stderr } = await postern('whoami --debug')
    expect(stderr).toContain('x-request-id: a\\u009b2Jb\n')
    expect(stderr).toMatch(/^ServiceFailure: no\\u001b\[2J$/m)
    expect(stderr.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)
  })

  it('--timeout ends a wait with exit 10', async () => {
    const silent = await startFakeServer(() => {})
    const { code, stderr } = await postern('whoami --timeout 200ms --retries 0', { env: { POSTERN_URL: silent.url } })
    expect(code).toBe(10)
    expect(stderr).toContain('did not answer within 0.2 s')
    await silent.close()
  })

  it('--retries says how often a read is tried again', async () => {
    service.answers['GET /get-session'] = { status: 503, headers: { 'retry-after': '0' } }
    await postern('whoami --retries 0')
    expect(service.seen).toHaveLength(1)
    service.forget()
    await postern('whoami --retries 2')
    expect(service.seen).toHaveLength(3)
  })

  it('--color paints, and only where it is wanted', async () => {
    const painted = async (argv: string, options = {}) => (await postern(argv, options)).stdout.includes('\u001b[')
    expect(await painted('session list', { tty: ['stdout'] })).toBe(true)
    expect(await painted('session list --color never', { tty: ['stdout'] })).toBe(false)
    expect(await painted('session list', { tty: ['stdout'], env: { NO_COLOR: '1' } })).toBe(false)
    expect(await painted('session list', { tty: ['stdout'], env: { TERM: 'dumb' } })).toBe(false)
    expect(await painted('session list')).toBe(false)
  })

  it('--color auto paints errors only where stderr is a terminal, wherever stdout goes', async () => {
    const told = async (tty: 'stdout' | 'stderr') => (await postern('session lst', { tty: [tty] })).stderr
    expect(await told('stdout')).toMatch(/^error: /)
    expect(await told('stderr')).toContain('\u001b[31merror:')
  })
})

describe('what the service answers becomes an exit code', () => {
  const refusals: readonly (readonly [reply: Reply, code: number, name: string])[] = [
    [{ status: 401 }, 4, 'UNAUTHORIZED'],
    [{ status: 403, body: { code: 'INVALID_ORIGIN', message: 'Invalid origin' } }, 5, 'INVALID_ORIGIN'],
    [{ status: 404 }, 6, 'NOT_FOUND'],
    [{ status: 409, body: { code: 'X', message: 'x' } }, 7, 'X'],
    [{ status: 422, body: { code: 'USER_ALREADY_EXISTS', message: 'User already exists' } }, 7, 'USER_ALREADY_EXISTS'],
    [
      { status: 429, body: { message: 'Too many requests.' }, headers: { 'x-retry-after': '7' } },
      9,
      'TOO_MANY_REQUESTS',
    ],
    [{ status: 400, body: { code: 'VALIDATION_ERROR', message: 'Invalid body parameters' } }, 12, 'VALIDATION_ERROR'],
    [{ status: 500, body: { code: 'INTERNAL_SERVER_ERROR', message: 'x' } }, 11, 'INTERNAL_SERVER_ERROR'],
    [{ status: 503 }, 11, 'SERVICE_UNAVAILABLE'],
    [{ status: 302, headers: { location: 'https://elsewhere.example' } }, 11, 'ANSWER'],
    [{ status: 200, body: { unexpected: true } }, 11, 'UNEXPECTED_ANSWER'],
    [{ status: 200 }, 11, 'ANSWER'],
  ]

  it.each(refusals)('%j is exit %i, named %s, with nothing on stdout', async (reply, exitCode, code) => {
    service.answers['GET /list-sessions'] = reply
    const done = await postern('session list --json --retries 0')
    expect(done).toMatchObject({ code: exitCode, stdout: '' })
    expect(done.stderr.endsWith('}}\n')).toBe(true)
    expect(done.error).toMatchObject({ code, exitCode })
  })

  it('nothing at all is no answer of the service, and signs nobody out', async () => {
    service.answers['GET /get-session'] = { status: 200 }
    const { code, stderr } = await postern('whoami')
    expect([code, stderr.includes('answered 200 with nothing at all')]).toEqual([11, true])
  })

  it('input that is not acceptable is told field by field', async () => {
    const details = [
      { path: 'limit', message: 'Expected a whole number' },
      { path: '', message: 'Expected an object' },
    ]
    const body = { code: 'VALIDATION_ERROR', message: 'Invalid query parameters', details }
    service.answers['GET /list-sessions'] = { status: 400, body }
    expect((await postern('session list')).stderr).toMatch(
      /^error: Invalid query parameters\n {2}limit: Expected a whole number\n {2}Expected an object\n/,
    )
    expect((await postern('session list --json')).error).toMatchObject({
      exitCode: 12,
      message: 'Invalid query parameters\nlimit: Expected a whole number\nExpected an object',
      fields: ['limit'],
    })
  })

  it('a limit says when to come back', async () => {
    service.answers['GET /list-sessions'] = {
      status: 429,
      body: { message: 'Too many' },
      headers: { 'retry-after': '7' },
    }
    expect((await postern('session list --retries 0')).stderr).toContain('Try again in 7 s')
  })

  it('nobody at the address is exit 10', async () => {
    const env = { POSTERN_URL: 'http://127.0.0.1:1' }
    expect((await postern('whoami --json --retries 0', { env })).error).toMatchObject({ exitCode: 10, code: 'NETWORK' })
  })

  it('Ctrl+C is exit 130', async () => {
    const stop = new AbortController()
    stop.abort(interruptedError())
    expect((await postern('whoami', { signal: stop.signal })).code).toBe(130)
  })

  it.each([
    'session revoke - --yes',
    'session revoke --csv - --yes',
    'invitation wait -',
    'account delete --confirm ann@example.com --password-file -',
    'account email verify -',
    'api /delete-user -X POST -F password=-',
    'org apply -f -',
  ])('Ctrl+C ends `%s` while its stdin is open, with nothing sent and nothing on stdout', async (line) => {
    const stop = new AbortController()
    const reads = [() => stdin.push('id\n'), () => stop.abort(interruptedError())]
    const stdin = new Readable({ read: () => reads.shift()?.() })
    const { code, stdout, stderr } = await postern(line, { signal: stop.signal, stdin })
    expect([code, stdout, stderr]).toEqual([130, '', 'error: Interrupted\n'])
    expect(service.calls().filter((call) => !call.startsWith('GET'))).toEqual([])
  })
})

describe('a state folder that others can get into', () => {
  it.each([0o755, 0o777])('of mode %o is refused before anybody is signed up or in', async (mode) => {
    const state = join(postern.folder, 'state')
    mkdirSync(state)
    chmodSync(state, mode)
    const argv = '--email alice@example.com --password-file -'
    for (const command of [`sign-up ${argv} --name A`, `sign-in ${argv}`]) {
      const { code, stderr } = await postern(command, { stdin: 'a long password' })
      expect([command, code, stderr.includes(`chmod 700 ${state}`)]).toEqual([command, 15, true])
    }
    expect(service.seen).toEqual([])
  })
})

describe('where nobody can be asked', () => {
  const terminal = { tty: ['stdin', 'stdout', 'stderr'] as const, columns: 120 }
  it('repeats every flag in the line that runs, quoted, and names what lacks', async () => {
    const { error } = await postern([
      'sign-up',
      '--no-sign-in',
      '--email',
      "o'neil@x.ch",
      '--json=id',
      '--retries',
      '0',
    ])
    expect(error['hint']).toBe(
      "postern sign-up --email 'o'\\''neil@x.ch' --name NAME --password-file FILE --no-sign-in --json=id --retries 0",
    )
  })

  it('keeps what looks like a flag an argument', async () => {
    const { error } = await postern(['org', 'create', '--json', '--', '-rf'])
    expect(error['hint']).toBe('postern org create --slug SLUG --json -- -rf')
  })

  it.each([
    ['--no-input is given', 'sign-in --no-input', terminal],
    ['POSTERN_NO_INPUT is set', 'sign-in', { ...terminal, env: { POSTERN_NO_INPUT: '1' } }],
    ['CI is set', 'sign-in', { ...terminal, env: { CI: 'true' } }],
    ['the output is for a program', 'sign-in --ndjson', terminal],
    ['stdin is not a terminal', 'sign-in', { ...terminal, tty: ['stdout', 'stderr'] as const }],
    ['stderr is not a terminal', 'sign-in', { tty: ['stdin', 'stdout'] as const }],
  ])('since %s, it is exit 14 with the flags and a ready line, and nothing is sent', async (reason, argv, options) => {
    const { code, stdout, stderr } = await postern(argv, options)
    expect([code, stdout]).toEqual([14, ''])
    for (const text of [reason, '--email and --password-file', '--email alice@example.com --password-file -'])
      expect(stderr).toContain(text)
    expect(service.seen).toEqual([])
  })

  it('a program learns which flags are missing', async () => {
    expect((await postern('sign-up --email a@b.co --json')).error).toMatchObject({
      code: 'INPUT_NEEDED',
      exitCode: 14,
      fields: ['--name', '--password-file'],
    })
  })

  it('the terminal UI is exit 14 with the same by commands', async () => {
    const { code, stderr } = await postern('tui')
    expect(code).toBe(14)
    for (const command of ['sign-in', 'session list', 'org view']) expect(stderr).toContain(`postern ${command}`)
  })

  it('so it is at a terminal that cannot place text, with the one that appends lines', async () => {
    const { code, stdout, stderr } = await postern('tui', { ...terminal, env: { TERM: 'dumb' } })
    expect([code, stdout, stderr]).toEqual([14, '', expect.stringContaining('POSTERN_ACCESSIBLE=1 postern tui')])
  })
})
