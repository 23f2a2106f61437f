import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { freePort } from '../../server/testing/ports.ts'
import { version } from '../process/version.ts'
import { usual } from '../testing/answers.ts'
import type { RunOptions } from '../testing/run-cli.ts'
import { useAnswers } from '../testing/use-service.ts'

interface Item {
  readonly check: string
  readonly status: string
  readonly message: string
  readonly mend: string | null
}

const healthy = () => ({
  ...usual(),
  'GET /ready': { body: { ready: true } },
  'GET /openapi.json': { body: { info: { version } } },
})
const { service, postern } = useAnswers({}, healthy)

const look = async (flags = '', options: RunOptions = {}) => {
  const { code, json } = await postern(`doctor --json ${flags}`, options)
  const { items } = json as { items: readonly Item[] }
  const of = (check: string) => items.filter((item) => item.check === check)
  return { code, items, of, bad: items.filter(({ status }) => status !== 'ok') }
}
const signIn = async () => {
  await postern('sign-in --email alice@example.com --password-file -', { stdin: 'pw' })
  return (await postern('auth jar path')).stdout.trim()
}
const modeOf = (path: string) => statSync(path).mode & 0o777

describe('doctor', () => {
  it('has nothing to say where all is well', async () => {
    const { code, items, bad } = await look()
    expect([code, bad]).toEqual([0, []])
    expect(items.map(({ check }) => check)).toEqual(
      'node config state settings network service session terminal completion'.split(' '),
    )
    await signIn()
    expect((await look()).of('session')[0]?.message).toMatch(
      /^Signed in as alice@example.com, by current account; the session ends /,
    )
  })

  it('shows a version that the service made up as text only', async () => {
    service.answers['GET /openapi.json'] = { body: { info: { version: '9\u001b[2J' } } }
    const { stdout } = await postern('doctor', { tty: ['stdout'], env: { NO_COLOR: '1' } })
    expect(stdout).toContain('The service is postern 9\\u001b[2J')
    expect(stdout.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)
  })

  it('works with the service away and nobody signed in', async () => {
    const away = { env: { POSTERN_URL: `http://localhost:${await freePort()}` } }
    const { code, of, bad } = await look('', away)
    expect(code).toBe(16)
    expect(bad).toEqual([
      expect.objectContaining({ check: 'service', status: 'problem', mend: expect.stringContaining('postern serve') }),
    ])
    expect(of('session')[0]?.message).toContain('Nobody is signed in here')
  })

  it('tells a service that is not ready, another clock and another version', async () => {
    service.answers['GET /ready'] = { status: 503, body: { ready: false } }
    const { code, of } = await look()
    expect([code, of('service')]).toMatchObject([16, [{ status: 'problem', mend: 'postern wait --timeout 60s' }]])
    Object.assign(service.answers, healthy(), { 'GET /openapi.json': { body: { info: { version: '0.0.1' } } } })
    const later = await look('', { now: Date.now() + 3_600_000 })
    expect([later.code, later.bad.map(({ status, message }) => [status, message])]).toEqual([
      0,
      [
        ['warning', expect.stringMatching(/^The clock of this machine is 3\d{3} s ahead of that of the service$/)],
        ['warning', expect.stringContaining('The service is postern 0.0.1')],
      ],
    ])
  })

  it('tells a session that is over, and a token that is none', async () => {
    await signIn()
    service.answers['GET /get-session'] = { body: null }
    expect((await look()).bad).toMatchObject([{ check: 'session', mend: 'postern sign-in --email alice@example.com' }])
    expect((await look('', { env: { POSTERN_TOKEN: 'stale' } })).bad).toMatchObject([{ mend: 'unset POSTERN_TOKEN' }])
  })
})

describe('doctor --fix', () => {
  it('closes what others can get into, by the commands that it names, and signs nobody out', async () => {
    const jar = await signIn()
    const open = () => {
      chmodSync(jar, 0o644)
      chmodSync(dirname(jar), 0o755)
      chmodSync(dirname(dirname(jar)), 0o777)
    }
    open()
    const { code, bad } = await look()
    expect([code, bad.map(({ status }) => status)]).toEqual([15, ['problem', 'problem', 'problem']])
    for (const { mend } of bad) execFileSync('/bin/sh', ['-c', mend ?? 'false'])
    expect((await look()).bad).toEqual([])
    open()
    const fixed = await look('--fix')
    expect([fixed.code, fixed.bad]).toEqual([0, []])
    expect(fixed.of('state').filter(({ message }) => message.startsWith('Fixed: Others can'))).toHaveLength(3)
    expect([modeOf(jar), modeOf(dirname(jar))]).toEqual([0o600, 0o700])
    expect((await postern('whoami')).code).toBe(0)
  })

  it('leaves the other files of a folder that somebody configured alone', async () => {
    await signIn()
    const [own = '', other = ''] = ['current.json', 'package.json'].map((name) => join(postern.folder, 'state', name))
    writeFileSync(other, '{}')
    for (const path of [own, other]) chmodSync(path, 0o644)
    const { code, bad } = await look('--fix')
    expect([code, bad, modeOf(own), modeOf(other)]).toEqual([0, [], 0o600, 0o644])
  })

  it('takes away what the dead left, and leaves what somebody holds', async () => {
    const jar = await signIn()
    const holder = (pid: number) => JSON.stringify({ id: 'x', pid, host: hostname(), started: 'long ago' })
    const dead = holder(2 ** 22 + 1)
    writeFileSync(`${jar}.lock`, dead)
    writeFileSync(`${jar}.lock.7.0198c5f0-6c1e-7cc2-9f4b-2f6d3c0a1b2c`, dead)
    const other = join(dirname(jar), 'other.json')
    writeFileSync(`${other}.tmp`, 'half of a j')
    mkdirSync(postern.env.POSTERN_CONFIG_DIR, { mode: 0o700 })
    const draft = join(postern.env.POSTERN_CONFIG_DIR, 'config.json.0198c5f0-6c1e-7cc2-9f4b-2f6d3c0a1b2c.tmp')
    writeFileSync(draft, 'half of it', { mode: 0o600 })
    const held = { id: 'x', pid: process.pid, host: 'another-machine', started: '' }
    writeFileSync(join(dirname(jar), 'held.json.lock'), JSON.stringify(held))
    const { code, bad } = await look()
    expect([code, bad.map(({ status, mend }) => [status, mend])]).toEqual([
      0,
      Array(4).fill(['warning', 'postern doctor --fix']),
    ])
    const fixed = await look('--fix')
    expect([fixed.code, fixed.bad, existsSync(draft)]).toEqual([0, [], false])
    expect(readdirSync(dirname(jar)).toSorted()).toEqual(
      [jar.slice(dirname(jar).length + 1), 'held.json.lock'].toSorted(),
    )
    expect((await postern('whoami')).code).toBe(0)
  })

  it.each([
    ['damaged', '{"format":1', 'is damaged'],
    ['of a newer version', '{"format":9}', 'newer postern'],
  ])('never touches a jar that is %s', async (_, text, words) => {
    const jar = await signIn()
    writeFileSync(jar, text)
    const { code, bad } = await look('--fix')
    expect([code, bad[0]?.message]).toEqual([15, expect.stringContaining(words)])
    expect(readFileSync(jar, 'utf8')).toBe(text)
  })

  it('closes no place that others use too, and removes nothing that is not its own', async () => {
    const shared = join(postern.folder, 'shared')
    mkdirSync(shared)
    chmodSync(shared, 0o1777)
    for (const name of ['thesis.tmp', 'yarn.lock', 'notes.json.old.tmp']) writeFileSync(join(shared, name), 'mine')
    const env = { POSTERN_STATE_DIR: shared }
    const { code, of } = await look('--fix', { env })
    expect([code, of('state')]).toMatchObject([15, [{ message: `Others can write into ${shared}` }]])
    expect(of('state')[0]?.mend).toContain('POSTERN_STATE_DIR')
    expect(statSync(shared).mode & 0o7777).toBe(0o1777)
    expect(readdirSync(shared)).toHaveLength(3)
  })

  it('never changes the mode of what a link in place of the config file leads to', async () => {
    const folder = postern.env.POSTERN_CONFIG_DIR
    mkdirSync(folder, { mode: 0o700 })
    const target = join(postern.folder, 'target')
    writeFileSync(target, '{"format":1,"settings":{},"profiles":{}}')
    chmodSync(target, 0o666)
    symlinkSync(target, join(folder, 'config.json'))
    const { code, of } = await look('--fix')
    expect([code, of('config')[0]?.status, modeOf(target)]).toEqual([15, 'problem', 0o666])
  })

  it('never follows a link that lies in place of a jar', async () => {
    const jar = await signIn()
    const target = join(postern.folder, 'target')
    writeFileSync(target, 'mine', { mode: 0o644 })
    symlinkSync(target, join(dirname(jar), 'linked.json'))
    const { code, bad } = await look('--fix')
    expect([code, bad[0]?.message, modeOf(target)]).toEqual([15, expect.stringContaining('symbolic link'), 0o644])
  })
})

describe('doctor, of settings', () => {
  it('names what nothing reads, what contradicts, and what is no value', async () => {
    const env = { POSTERN_ULR: 'x', POSTERN_TIMEOUT: 'soon', NO_COLOR: '1', FORCE_COLOR: '1', HTTPS_PROXY: 'not a url' }
    const { code, bad } = await look('', { env })
    expect([code, bad.map(({ status, message }) => [status, message])]).toEqual([
      16,
      [
        ['problem', 'POSTERN_TIMEOUT is not a duration: soon'],
        ['warning', 'POSTERN_ULR is set, but nothing reads it'],
        ['warning', 'NO_COLOR and FORCE_COLOR are set: the first one is used'],
        ['problem', 'HTTPS_PROXY is not the URL of an http proxy'],
      ],
    ])
    const proxies = { HTTPS_PROXY: 'http://proxy.example.com:8080', HTTP_PROXY: 'ftp://proxy.example.com' }
    for (const [wrong, env] of [
      ['HTTPS_PROXY', { HTTPS_PROXY: 'proxy.example.com:8080' }],
      ['HTTPS_PROXY', { HTTPS_PROXY: 'socks5://proxy.example.com:1080' }],
      ['https_proxy', { HTTPS_PROXY: '', https_proxy: 'proxy.example.com:8080' }],
      ['http_proxy', { http_proxy: 'htp://proxy.example.com:8080' }],
      ['HTTP_PROXY', proxies],
    ] as const) {
      const message = `${wrong} is not the URL of an http proxy`
      expect(await look('', { env })).toMatchObject({ code: 16, bad: [{ check: 'network', message }] })
    }
    const ca = await look('', { env: { NODE_EXTRA_CA_CERTS: '/nowhere/ca.pem' } })
    expect(ca.bad).toMatchObject([{ check: 'network', status: 'problem' }])
  })

  it('names what allows unencrypted http', async () => {
    const { bad } = await look(`--url ${service.url} --allow-http`)
    expect(bad[0]?.message).toMatch(/ is used over unencrypted http, allowed by --allow-http$/)
  })

  it('runs no config file of a service in its folder, which may be of somebody else', async () => {
    const witness = join(postern.folder, 'witness')
    const attack = `await import('node:fs').then(({ writeFileSync }) => writeFileSync('${witness}', ''))`
    writeFileSync(join(postern.folder, 'postern.config.mjs'), attack)
    expect((await look('', { cwd: postern.folder })).bad).toEqual([])
    expect(existsSync(witness)).toBe(false)
  })

  it('tells a config file that is damaged once, and one that others can write', async () => {
    const folder = postern.env.POSTERN_CONFIG_DIR
    mkdirSync(folder, { mode: 0o700 })
    const file = join(folder, 'config.json')
    writeFileSync(file, 'not JSON')
    const { code, bad } = await look('--fix')
    expect([code, bad.map(({ check }) => check)]).toEqual([15, ['config']])
    writeFileSync(file, '{"format":1,"settings":{},"profiles":{}}')
    chmodSync(file, 0o666)
    expect(await look()).toMatchObject({ code: 15, bad: [{ mend: `chmod 600 ${file}` }] })
    expect(await look('--fix')).toMatchObject({ code: 0, bad: [] })
    expect(existsSync(file)).toBe(true)
  })
})

describe('doctor, for people', () => {
  const people: RunOptions = { tty: ['stdin', 'stdout', 'stderr'], env: { NO_COLOR: '1', LANG: 'C.UTF-8' } }

  /** A folder of PATH with the program. */
  const installed = (...below: string[]) => {
    const folder = join(postern.folder, ...below)
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'postern'), '', { mode: 0o755 })
    return folder
  }

  it('offers no line for the shell that would complain in each new one', async () => {
    const env = { SHELL: '/bin/bash', HOME: postern.folder, PATH: installed('node_modules', '.bin') }
    const { bad } = await look('', { ...people, env: { ...people.env, ...env } })
    expect(bad).toMatchObject([
      {
        check: 'completion',
        mend: expect.stringMatching(/have to find it in PATH.+: npm install --global \.\/postern-.+\.tgz$/),
      },
    ])
  })

  it('gives each command a line of its own, uncut', async () => {
    const jar = await signIn()
    chmodSync(jar, 0o644)
    const { code, stdout } = await postern('doctor', { ...people, columns: 60 })
    expect(code).toBe(15)
    expect(stdout).toContain(`\n         fix:        chmod 600 ${jar}\n`)
    expect(stdout).toMatch(/^ok {7}node {8}Node /)
    expect((await postern('doctor')).stdout).toContain(`problem\tstate\tOthers can get into ${jar}\tchmod 600 ${jar}\n`)
  })

  it('breaks what it says between words, and its mends but not the commands in them', async () => {
    const { stdout } = await postern('doctor', { ...people, columns: 50, env: { ...people.env, LANG: 'C' } })
    const lines = stdout.trimEnd().split('\n')
    const broken = lines.findIndex((line) => line.startsWith('warning  terminal'))
    expect(lines.slice(broken, broken + 4)).toEqual([
      'warning  terminal    The locale is not UTF-8:',
      '                     borders and names may look',
      '                     wrong',
      '         fix:        export LANG=C.UTF-8',
    ])
  })

  it('says things below where nothing has room beside, and still cuts no command', async () => {
    const env = { ...people.env, SHELL: '/bin/bash', HOME: postern.folder, PATH: installed() }
    const { stdout } = await postern('doctor', { ...people, columns: 40, env })
    const [command] = ["echo 'source <(postern completion bash)' >> ~/.bashrc"]
    expect(stdout).toContain(`\nwarning  completion\n  Not installed for bash\n  fix:\n  ${command}\n`)
    const long = stdout.split('\n').filter((line) => line.length > 40 && line.trim() !== command)
    expect(long.filter((line) => line.trim().includes(' '))).toEqual([])
  })

  it('looks at the terminal and at the shell', async () => {
    const env = { ...people.env, LANG: 'C', SHELL: '/bin/bash', HOME: postern.folder, PATH: installed() }
    const { bad } = await look('', { ...people, env, columns: 30 })
    expect(bad.map(({ check, mend }) => [check, mend])).toEqual([
      ['terminal', 'Make the window wider'],
      ['terminal', 'export LANG=C.UTF-8'],
      ['completion', "echo 'source <(postern completion bash)' >> ~/.bashrc"],
    ])
    const fixed = await look('--fix', { ...people, env })
    expect(fixed.of('completion')).toMatchObject([
      { status: 'warning', message: 'Not installed for bash; --fix does not edit shell files' },
    ])
    expect(existsSync(join(postern.folder, '.bashrc'))).toBe(false)
    const unrelated =
      'export POSTERN_URL=https://id.example.com\nalias p=postern\n# source <(postern completion bash)\n'
    writeFileSync(join(postern.folder, '.bashrc'), unrelated)
    expect((await look('', { env })).of('completion')).toMatchObject([{ message: 'Not installed for bash' }])
    writeFileSync(join(postern.folder, '.bashrc'), 'source <(postern completion bash)\n')
    expect((await look('', { env })).of('completion')).toMatchObject([{ status: 'ok', message: 'Installed for bash' }])
  })
})
