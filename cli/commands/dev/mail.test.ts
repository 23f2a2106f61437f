import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { keepMailUnsent, parkMail } from '../../../server/db/outbox.ts'
import { emptyDatabase, settingsOf } from '../../../server/testing/database.ts'
import { readMails } from '../../../server/testing/mails.ts'
import { found } from '../../../server/testing/organizations.ts'
import { leaveLink } from '../../../server/testing/outbox.ts'
import { testSecret } from '../../../server/testing/settings.ts'
import { slack } from '../../../server/testing/slack.ts'
import { temporaryFolder } from '../../../server/testing/temporary-folder.ts'
import { useTestService } from '../../../server/testing/use-service.ts'
import { bin } from '../../testing/real-service.ts'
import { createRunner, type Runner } from '../../testing/run-cli.ts'

// A service with a database of its own is made, and started, in a test.
vi.setConfig({ testTimeout: 120_000 * slack })
/** Of a poll for a process that starts. */
const patient = { timeout: 50_000 * slack }

const service = useTestService({ SECRET: testSecret })
let postern: Runner
beforeAll(() => {
  postern = createRunner({ env: { ...settingsOf(service.database), SECRET: testSecret } })
})
afterEach(() => service.deps.sql`delete from users`)

describe('dev mail', () => {
  it('lists what waits, was printed or was given up, newest last, with its link', async () => {
    const ids = [await leaveLink(service), await leaveLink(service), await leaveLink(service)]
    await keepMailUnsent(service.deps.sql, ids[0]!)
    await parkMail(service.deps.sql, { id: ids[2]!, attempts: 0, reason: 'SMTP: 550' })
    const mails = await readMails(service)
    const { json } = await postern('dev mail --json')
    expect(json).toMatchObject({
      items: ids.map((id, index) => ({ id, kind: 'reset-password', to: mails[index]?.to, url: mails[index]?.url })),
    })
    expect((json as { items: { parkedAt: string | null }[] }).items.map(({ parkedAt }) => parkedAt)).toEqual([
      null,
      null,
      expect.stringMatching(/^\d{4}-/),
    ])
  })

  it('shows people the whole link, however narrow their terminal is', async () => {
    await leaveLink(service)
    const [mail] = await readMails(service)
    const { stdout } = await postern('dev mail', { tty: ['stdout'], columns: 40 })
    expect(stdout).toContain('Set a new password\n')
    expect(stdout).toContain(`${mail?.url}\n`)
    expect((await postern('dev mail')).stdout).toContain(`\t${mail?.url}\t`)
  })

  it('takes the flags of every list, which --follow cannot have', async () => {
    const ids = [await leaveLink(service), await leaveLink(service), await leaveLink(service)]
    const [first = '', , last = ''] = ids
    const printed = async (flags: string) => (await postern(`dev mail ${flags}`)).stdout
    expect(await printed('-o csv --columns id --limit 2')).toBe(`id\n${ids.slice(1).join('\n')}\n`)
    expect(await printed('-o name --sort -createdAt --limit 1')).toBe(`${last}\n`)
    expect((await postern('dev mail --sort createdAt --limit 1 --json=id')).json).toEqual({
      items: [{ id: first }],
      page: { total: 3, next: null },
    })
    const cut = await postern('dev mail --columns kind,to --limit 1 --color never', { tty: ['stdout', 'stderr'] })
    expect(cut.stdout).toMatch(/^kind: +reset-password\nto: +\S+\n+$/)
    expect(cut.stderr).toContain('1 of 3 shown')
    for (const flags of ['--sort nme', '--columns nme', '--limit 0', '--follow --limit 1', '--follow --sort to'])
      expect([flags, (await postern(`dev mail ${flags}`)).code]).toEqual([flags, 2])
  })

  it('shows the page of an invitation, by which a colleague goes on', async () => {
    const { invite } = await found(service)
    const id = await invite('bo@example.com')
    const { json } = await postern('dev mail --json')
    expect((json as { items: readonly object[] }).items.at(-1)).toMatchObject({
      kind: 'invitation',
      url: expect.stringMatching(new RegExp(`/api/auth/page/invitation\\?id=${id}$`)),
      token: null,
    })
  })

  it('says that there are none, also of a database that no service has used yet', async () => {
    const none = await postern('dev mail')
    expect(none).toMatchObject({ code: 0, stdout: '', stderr: expect.stringMatching(/^No mails\n/) })
    expect(none.stderr).toContain(
      `Read from the database of DATABASE_URL, with the settings of ${tmpdir()}, for a service at http://localhost:`,
    )
    const { database, drop } = await emptyDatabase()
    expect(await postern('dev mail', { env: settingsOf(database) })).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^No mails\n/),
    })
    await drop()
  })

  it('tells how many it cannot read, because another SECRET encrypted them', async () => {
    await leaveLink(service)
    const env = { ...settingsOf(service.database), SECRET: `another-${testSecret}` }
    const one = await postern('dev mail', { env })
    expect(one.stderr).toMatch(/^No mails\nwarning: 1 mail is not shown: encrypted with another SECRET/)
    await leaveLink(service)
    const two = await postern('dev mail --json', { env })
    expect(two).toMatchObject({ code: 0, json: { items: [] } })
    expect(two.stderr).toContain('2 mails are not shown')
  })

  it('shows the others when a template fails, and says how', async () => {
    await leaveLink(service)
    const { invite } = await found(service)
    await invite('bo@example.com')
    const folder = temporaryFolder('templates')
    writeFileSync(
      join(folder, 'postern.config.js'),
      `module.exports = { mailTemplates: { 'reset-password': () => { throw new TypeError('no such name') } } }`,
    )
    const { code, json, stderr } = await postern('dev mail --json=kind', { cwd: folder })
    expect([code, json]).toEqual([0, { items: [{ kind: 'invitation' }], page: { total: 1, next: null } }])
    expect(stderr).toContain(
      'warning: 1 mail is not shown: the text of a reset-password mail could not be written: TypeError: no such name',
    )
  })

  it('refuses the --url of another service, whose mails are not here', async () => {
    const other = await postern('dev mail --url https://accounts.example.com --json')
    expect(other).toMatchObject({ code: 2, stdout: '' })
    expect(other.error).toMatchObject({ message: expect.stringContaining(tmpdir()), fields: ['--url'] })
    expect(other.error['hint']).toMatch(/For the local service: postern dev mail$/)
    const following = await postern('dev mail --follow --url http://localhost:4999')
    expect(following).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/: PORT=4999 postern dev mail --follow\n$/),
    })
    const told = await postern('dev mail --url http://localhost:4999', { env: { PORT: '4999' } })
    expect(told.code).toBe(0)
    for (const own of ['http://localhost:4100', 'http://127.0.0.1:4100'])
      expect([own, (await postern(`dev mail --url ${own}`)).code]).toEqual([own, 0])
  })

  it('refuses the address of another service in the environment, too', async () => {
    const at = (url: string) => postern('dev mail --json', { env: { POSTERN_URL: url } })
    const other = await at('https://accounts.example.com')
    expect(other).toMatchObject({ code: 2, stdout: '', error: { fields: ['POSTERN_URL'] } })
    expect(other.error['hint']).toMatch(/For the local service: unset POSTERN_URL && postern dev mail$/)
    expect((await at('http://127.0.0.1:4100')).code).toBe(0)
  })

  it('makes no database where none was kept, and says where it looked', async () => {
    const folder = join(postern.folder, 'elsewhere')
    const { code, stderr } = await postern('dev mail', { env: { DATABASE_URL: '', DATA_DIR: folder } })
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining(`DATA_DIR is ${folder}: it contains no database of a service`),
    ])
    expect(existsSync(folder)).toBe(false)
  })

  it('names a database that cannot be reached', async () => {
    const { code, stderr } = await postern('dev mail', { env: { DATABASE_URL: 'postgres://127.0.0.1:1/postern' } })
    expect([code, stderr]).toEqual([10, expect.stringMatching(/The database .* ECONNREFUSED(.|\n)*DATABASE_URL/)])
  })

  it('has no end to put into one JSON document when it follows', async () => {
    const { code, stderr } = await postern('dev mail --follow --json')
    expect([code, stderr]).toEqual([2, expect.stringContaining('--ndjson')])
  })
})

describe('dev mail beside an embedded service', () => {
  let folder: string
  const started: Program[] = []
  beforeAll(() => {
    folder = temporaryFolder('dev-mail')
  })
  afterAll(async () => {
    for (const program of started.toReversed()) await program.interrupt()
  })
  const start = (...args: string[]): Program => {
    const program = startProgram(args, { DATA_DIR: folder, SEND_VERIFICATION_ON_SIGN_UP: 'on' })
    started.push(program)
    return program
  }

  it('follows what comes, a line each, until Ctrl+C; the log of the service prints the same', async () => {
    const service = start('serve')
    await expect.poll(() => service.output(), patient).toContain('"listening"')
    const [, url = ''] = /"url":"([^"]+)"/.exec(service.output()) ?? []
    expect(await signUp(url, 'ann@example.com')).toBe(200)
    await expect.poll(() => service.output()).toContain('"to":"ann@example.com","link":"http')
    const following = start('dev', 'mail', '--follow', '--ndjson')
    await expect.poll(() => following.output(), patient).toContain('ann@example.com')
    expect(await signUp(url, 'bob@example.com')).toBe(200)
    await expect.poll(() => following.output()).toContain('bob@example.com')
    expect(await following.interrupt()).toBe(130)
    const mails = following.output().trim().split('\n').slice(0, 2)
    expect(mails.map((line) => JSON.parse(line) as object)).toMatchObject([
      { to: 'ann@example.com', kind: 'verify-email', token: expect.stringMatching(/^ey/) },
      { to: 'bob@example.com', kind: 'verify-email', token: expect.stringMatching(/^ey/) },
    ])
    expect(await service.interrupt()).toBe(0)
  })
})

interface Program {
  output(): string
  /** As Ctrl+C does; resolves to its exit code. */
  interrupt(): Promise<number | null>
}

function startProgram(args: readonly string[], settings: Readonly<Record<string, string>>): Program {
  const env = {
    PATH: process.env.PATH,
    HOME: settings.DATA_DIR,
    PORT: '0',
    LOG_FORMAT: 'json',
    DATABASE_TIMEOUT: '10s',
    ...settings,
  }
  const child = spawn(process.execPath, [bin, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const exited = once(child, 'exit').then(([code]) => code as number | null)
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  const interrupt = () => {
    child.kill('SIGINT')
    return exited
  }
  return { output: () => output, interrupt }
}

async function signUp(url: string, email: string): Promise<number> {
  const answer = await fetch(`${url}/api/auth/sign-up/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, name: 'Ann', password: 'correct horse battery staple' }),
  })
  return answer.status
}
