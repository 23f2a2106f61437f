import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, openSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../server/testing/temporary-folder.ts'
import { fullUser, session, sessionCookie, startAnswers, usual } from './answers.ts'
import { runBuilt } from './built.ts'
import { startFakeServer } from './fake-server.ts'
import { startPty } from './pty.ts'
import { bin } from './real-service.ts'

let env: Record<string, string>

beforeEach(() => {
  const folder = temporaryFolder('run')
  env = { POSTERN_CONFIG_DIR: folder, POSTERN_STATE_DIR: join(folder, 'state') }
})

describe('the built program', () => {
  it.skipIf(!existsSync('/dev/full'))('fails in a sentence when its output cannot be written', () => {
    const stdio = ['ignore', openSync('/dev/full', 'w'), 'pipe'] as const
    const { status, stderr } = spawnSync(process.execPath, [bin, 'version'], {
      env,
      stdio: [...stdio],
      encoding: 'utf8',
    })
    expect([status, stderr]).toEqual([
      1,
      'error: The output cannot be written (ENOSPC)\n  next: Only the output is lost; what the command has changed stays changed\n',
    ])
  })

  it('starts by an executable of less than five statements', () => {
    expect(readFileSync(bin, 'utf8').split('\n').filter(Boolean).length).toBeLessThan(5)
    expect(statSync(bin).mode & 0o111).toBeGreaterThan(0)
  })

  it('says in a line that it is not built', () => {
    const clone = temporaryFolder('clone')
    cpSync(dirname(bin), join(clone, 'bin'), { recursive: true })
    writeFileSync(join(clone, 'package.json'), '{ "type": "module" }')
    const { status, stderr } = spawnSync(process.execPath, [join(clone, 'bin', 'postern.js')], { encoding: 'utf8' })
    expect([status, stderr]).toEqual([1, 'error: Postern is not built here yet: npm run dependencies\n'])
  })

  it('keeps no compiled code where others could change it, though Node would', async () => {
    const temporary = temporaryFolder('empty')
    // Node 20 has no such cache: there a stand-in tells whether it was asked for.
    const told = "import module from 'node:module'; module.enableCompileCache ??= () => console.error('cached')"
    const { code, stderr } = await runBuilt(['commands', '--json'], {
      env: { ...env, TMPDIR: temporary, NODE_OPTIONS: `--import="data:text/javascript,${encodeURIComponent(told)}"` },
    })
    expect([code, stderr]).toEqual([0, ''])
    expect(readdirSync(temporary)).toEqual([])
  })

  it('prints all of a long answer into a pipe', async () => {
    const items = Array.from({ length: 3000 }, (_, index) => ({ ...one, id: `session-${index}` }))
    const service = await startAnswers({ 'GET /list-sessions': { body: items } })
    const { code, stdout } = await runBuilt(['session', 'list', '--json'], {
      env: { ...env, POSTERN_URL: service.url, POSTERN_TOKEN: 't' },
    })
    expect(code).toBe(0)
    expect(stdout.length).toBeGreaterThan(300_000)
    expect((JSON.parse(stdout) as { items: unknown[] }).items).toHaveLength(3000)
    await service.close()
  })

  it('ends quietly with 0 when its reader has seen enough', async () => {
    const items = Array.from({ length: 3000 }, (_, index) => ({ ...one, id: `session-${index}` }))
    const service = await startAnswers({ 'GET /list-sessions': { body: items } })
    const { code, stderr } = await runBuilt(['session', 'list'], {
      env: { ...env, POSTERN_URL: service.url, POSTERN_TOKEN: 't' },
      during: (child) => void child.stdout?.destroy(),
    })
    expect([code, stderr]).toEqual([0, ''])
    await service.close()
  })

  it('stops a request with 130 on Ctrl+C, and says so', async () => {
    const service = await startFakeServer(() => {})
    const { code, stderr } = await runBuilt(['whoami', '--json'], {
      env: { ...env, POSTERN_URL: service.url, POSTERN_TOKEN: 't' },
      during: async (child) => {
        while (service.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 10))
        child.kill('SIGINT')
      },
    })
    expect(code).toBe(130)
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'INTERRUPTED', exitCode: 130 } })
    await service.close()
  })

  it('shows no secret to those who list processes', async () => {
    let seen = ''
    const service = await startAnswers(usual())
    service.answers['POST /sign-in/email'] = () => {
      seen = commandLines()
      return { body: { redirect: false, token: 'raw', user: { ...owner } }, headers: sessionCookie() }
    }
    const password = join(env['POSTERN_CONFIG_DIR'] ?? '', 'password')
    writeFileSync(password, 'hunter2-in-a-file\n')
    const { code } = await runBuilt(['sign-in', '--email', 'a@b.co', '--password-file', password], {
      env: { ...env, POSTERN_URL: service.url },
    })
    expect(code).toBe(0)
    expect(seen).toContain('sign-in')
    expect(seen).not.toContain('hunter2')
    await service.close()
  })

  it('has no default that reaches beyond its folders: a home that is not there is no problem', async () => {
    expect(await runBuilt(['auth', 'list'])).toMatchObject({ code: 0, stdout: '' })
  })
})

describe('a prompt', () => {
  const signIn = (url: string, argv: readonly string[] = ['sign-in']) =>
    startPty(process.execPath, [bin, ...argv], { env: { ...env, POSTERN_URL: url } })

  it('asks for what is missing, and shows no password', async () => {
    const service = await startAnswers(usual())
    const terminal = signIn(service.url)
    await terminal.shows('Email')
    terminal.type('alice\r')
    expect(await terminal.shows('An e-mail address looks like ada@example.com')).not.toContain('Password')
    terminal.type('alice@example.com\r')
    await terminal.shows('Password')
    terminal.type('hunter2')
    await terminal.shows('Password •••••••')
    terminal.type('\r')
    expect(await terminal.shows('Signed in as alice@example.com')).toMatch(/Password •{8}\n/)
    expect(await terminal.exit).toMatchObject({ exitCode: 0 })
    expect(terminal.raw()).not.toContain('hunter2')
    expect(service.seen[0]?.body).toMatchObject({ email: 'alice@example.com', password: 'hunter2' })
    terminal.close()
    await service.close()
  })

  it('loses nothing of several answers that arrive at once, however slow the machine is', async () => {
    const service = await startAnswers(usual())
    // React works for 5 ms at a time: by this clock each piece of work takes longer, and the next waits for its turn.
    const slow = 'let now = 0; performance.now = () => (now += 6)'
    const preload = ['--import', `data:text/javascript,${encodeURIComponent(slow)}`]
    const terminal = startPty(process.execPath, [...preload, bin, 'sign-in'], {
      env: { ...env, POSTERN_URL: service.url },
    })
    await terminal.shows('Email')
    terminal.type('wrong\u0015alice@example.co\rhunter3\u007f2\r')
    expect(await terminal.exit).toMatchObject({ exitCode: 0 })
    expect(service.seen[0]?.body).toMatchObject({ email: 'alice@example.co', password: 'hunter2' })
    terminal.close()
    await service.close()
  })

  const [left, right, home, end] = ['\u001b[D', '\u001b[C', '\u001b[H', '\u001b[F'] as const
  it.each([
    ['to the right of the end', `alice@example.c${right}${right}om`, `se${right}cret${right}s`],
    [
      'to the left of the start',
      `lice@example.com${left.repeat(20)}a`,
      `${left}se${end}cret${home}${left}${right}${end}s`,
    ],
    ['by characters', 'alice@example.com', `secret😀${left}😀\u007f${right}é\u007f\u007fs`],
    ['by control keys', 'x\u0001\u000balice@example.com no\u0017\u007f', 'no\u0015crets\u0001se\u0005'],
  ])('keeps the order of what is typed when the cursor was moved %s', async (_, email, password) => {
    const service = await startAnswers(usual())
    const terminal = signIn(service.url)
    await terminal.shows('Email')
    terminal.type(`${email}\r${password}\r`)
    expect(await terminal.exit).toMatchObject({ exitCode: 0 })
    expect(service.seen[0]?.body).toMatchObject({ email: 'alice@example.com', password: 'secrets' })
    terminal.close()
    await service.close()
  })

  it('erases by Ctrl+U and Ctrl+W, leaves by Ctrl+D, and takes no control key for a letter', async () => {
    const service = await startAnswers(usual())
    const terminal = signIn(service.url)
    await terminal.shows('Email')
    terminal.type('wrong')
    await terminal.shows('wrong')
    terminal.type('\u0004\u0015')
    await terminal.hides('wrong')
    terminal.type('alice@example.com x')
    await terminal.shows('.com x')
    terminal.type('\u0017')
    await terminal.hides('.com x')
    terminal.type('\u007fyz\u007f\u007f\u0001\r')
    await terminal.shows('Password')
    expect(await terminal.screen()).toMatch(/^Email alice@example\.com *\nPassword/)
    terminal.type('\u0004')
    expect(await terminal.exit).toMatchObject({ exitCode: 3 })
    expect(service.seen).toEqual([])
    terminal.close()
    await service.close()
  })

  it('asks for a new password twice, and again when the two differ', async () => {
    const service = await startAnswers(usual())
    const terminal = signIn(service.url, ['sign-up', '--email', 'a@b.co', '--name', 'A'])
    await terminal.shows('Password')
    terminal.type('one\r')
    await terminal.shows('Password again')
    terminal.type('two\r')
    await terminal.shows('do not match')
    terminal.type('three\r')
    await terminal.shows('Password again')
    terminal.type('three\r')
    expect(await terminal.exit).toMatchObject({ exitCode: 0 })
    expect(service.seen.find(({ call }) => call === 'POST /sign-up/email')?.body).toMatchObject({ password: 'three' })
    terminal.close()
    await service.close()
  })

  it.each([
    ['', 'acme-works'],
    ['works', 'works'],
  ])('proposes a slug made from the name, and takes it or what is typed: "%s"', async (typed, slug) => {
    const made = { id: 'o1', name: 'Acme Works', slug, logo: null, metadata: null, createdAt: at, members: [] }
    const service = await startAnswers({ ...usual(), 'POST /organization/create': { body: made } })
    const terminal = startPty(process.execPath, [bin, 'org', 'create', 'Acme Works'], {
      env: { ...env, POSTERN_URL: service.url, POSTERN_TOKEN: 'token' },
    })
    await terminal.shows('Slug [acme-works]')
    terminal.type(`${typed}\r`)
    await terminal.shows(`Created Acme Works (${slug})`)
    expect(await terminal.screen()).toContain(`Slug [acme-works] ${slug}`)
    expect(await terminal.exit).toMatchObject({ exitCode: 0 })
    expect(service.seen.at(-1)?.body).toMatchObject({ name: 'Acme Works', slug })
    terminal.close()
    await service.close()
  })

  it('takes no proposal for an enter that came before anybody saw it', async () => {
    const service = await startAnswers(usual())
    const terminal = startPty(process.execPath, [bin, 'org', 'create', 'Acme'], {
      env: { ...env, POSTERN_URL: service.url, POSTERN_TOKEN: 'token' },
    })
    terminal.type('\r')
    expect(await terminal.shows('Type something, or press esc to cancel')).toContain('Slug [acme]')
    terminal.type('\u001b')
    expect(await terminal.exit).toMatchObject({ exitCode: 3 })
    expect(service.calls()).not.toContain('POST /organization/create')
    terminal.close()
    await service.close()
  })

  const picture = `https://example.com/${'a'.repeat(60)}.png`
  it.each([
    {
      what: 'a dash removes it',
      image: picture,
      asked: `Image URL [https://example.com/${'a'.repeat(19)}…; - removes it]`,
      typed: ['', '-'],
      sent: { image: null },
    },
    { what: 'enter leaves what is empty', image: null, asked: 'Image URL', typed: ['Al', ''], sent: { name: 'Al' } },
  ])('asks what to change in an account: $what', async ({ image, asked, typed, sent }) => {
    const body = { session, user: { ...fullUser, image } }
    const service = await startAnswers({ ...usual(), 'GET /get-session': { body } })
    const terminal = startPty(process.execPath, [bin, 'account', 'edit'], {
      env: { ...env, POSTERN_URL: service.url, POSTERN_TOKEN: 'token' },
    })
    await terminal.shows('Name [Alice]')
    terminal.type(`${typed[0]}\r`)
    await terminal.shows(asked)
    terminal.type(`${typed[1]}\r`)
    await terminal.shows('Language')
    terminal.type('\r')
    await terminal.shows('Updated alice@example.com')
    expect(await terminal.exit).toMatchObject({ exitCode: 0 })
    expect(service.seen.find(({ call }) => call === 'POST /update-user')?.body).toEqual(sent)
    terminal.close()
    await service.close()
  })

  it.each([
    ['esc', '\u001b', 3],
    ['ctrl+c', '\u0003', 130],
  ])('ended with %s sends nothing', async (_, key, exitCode) => {
    const service = await startAnswers(usual())
    const terminal = signIn(service.url)
    await terminal.shows('Email')
    terminal.type(key)
    expect(await terminal.exit).toMatchObject({ exitCode })
    expect(service.seen).toEqual([])
    terminal.close()
    await service.close()
  })

  it('takes no for an answer', async () => {
    const service = await startAnswers(usual())
    const terminal = startPty(process.execPath, [bin, 'session', 'revoke', '--all'], {
      env: { ...env, POSTERN_URL: service.url, POSTERN_TOKEN: 't' },
    })
    await terminal.shows('[y/N]')
    terminal.type('n\r')
    expect(await terminal.exit).toMatchObject({ exitCode: 3 })
    expect(service.seen).toEqual([])
    terminal.close()
    await service.close()
  })
})

describe('a severe action', () => {
  it.each([
    ['alice@example.com', 0, ['GET /get-session', 'GET /organization/list', 'POST /delete-user']],
    ['y', 3, ['GET /get-session', 'GET /organization/list']],
  ])('answered with %s ends with %i', async (typed, exitCode, calls) => {
    const service = await startAnswers({
      ...usual(),
      'GET /organization/list': {
        body: [{ id: 'o1', name: 'Acme', slug: 'acme', logo: null, metadata: null, createdAt: at, soleMember: true }],
      },
      'POST /delete-user': { body: { success: true, message: 'User deleted' } },
    })
    const terminal = startPty(process.execPath, [bin, 'account', 'delete', '--yes'], {
      env: { ...env, POSTERN_URL: service.url, POSTERN_TOKEN: 't' },
    })
    await terminal.shows('Type the e-mail address of your account')
    expect(await terminal.screen()).toContain('Nobody else is in Acme (acme): it is deleted along with the account')
    terminal.type(`${typed}\r`)
    expect(await terminal.exit).toMatchObject({ exitCode })
    expect(service.calls()).toEqual(calls)
    terminal.close()
    await service.close()
  })
})

const commandLines = (): string =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => readOr(`/proc/${pid}/cmdline`))
    .join('\n')

function readOr(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

const at = '2026-01-02T03:04:05.000Z'
const owner = { id: 'u1', email: 'a@b.co', name: 'A', image: null, emailVerified: false, createdAt: at, updatedAt: at }
const one = {
  id: 's1',
  userId: 'u1',
  token: 'raw',
  expiresAt: '2026-01-09T03:04:05.000Z',
  createdAt: at,
  updatedAt: at,
  ipAddress: null,
  userAgent: null,
  label: null,
  activeOrganizationId: null,
  activeTeamId: null,
  impersonatedBy: null,
  addressProven: true,
}
