import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Schema, violationsOf } from '../../server/testing/json-schema.ts'
import { watchOver } from '../../server/testing/running.ts'
import { type CommandNode, flattenTree } from '../argv/tree.ts'
import { displayWidth } from '../output/width.ts'
import { type AnsweringService, type Answers, startAnswers } from './answers.ts'
import { localCommands } from './local-commands.ts'
import { bin } from './real-service.ts'
import { createRunner, type Runner } from './run-cli.ts'
import { aboutAsked, type Fullness, ids, type SampleOptions, sampleAnswers } from './sample-answers.ts'

const [first] = ids
const claims = '--issuer https://gitlab.com --claim project_path=acme/site --role member'

/**
 * How each command is run that needs more than its words; FILE and OTHER hold a password each. A command that is not here is run by its words
 * alone.
 */
const lines: Readonly<Record<string, string>> = {
  'sign-up': '--email ann@example.com --name Ann --password-file FILE',
  'sign-in': '--email ann@example.com --password-file FILE',
  'auth switch': 'ann@example.com',
  'auth jar path': '--account ann@example.com',
  'auth jar clear': '--account ann@example.com --yes',
  'account edit': '--name Ann',
  'session edit': '--label desk',
  'account delete': '--confirm ann@example.com --password-file FILE',
  'account email set': 'new@example.com',
  'account email verify': '--send',
  'account password set': '--current-password-file OTHER --password-file FILE',
  'account password forgot': '--email ann@example.com',
  'account password reset': '0123456789abcdefghijklmnopqrstuvwxyzABCDEFG --password-file FILE',
  'account link add': 'google --wait 1s',
  'account link remove': 'google --yes',
  'account link refresh': 'google',
  'session view': first,
  'session revoke': first,
  'org create': 'Acme --slug acme',
  'org view': 'acme',
  'org edit': 'acme --name Acme',
  'org delete': 'acme --confirm acme',
  'org use': 'acme',
  'org leave': 'acme --yes',
  'org slug check': 'acme',
  'org export': 'acme',
  'org apply': '-f FILE --dry-run',
  'member view': 'ann@example.com',
  'member remove': 'ben@example.com --confirm ben@example.com',
  'member role set': 'ben@example.com admin',
  'invitation create': 'cy@example.com --role member',
  'invitation view': 'ann@example.com',
  'invitation accept': 'acme',
  'invitation reject': 'acme',
  'invitation cancel': first,
  'invitation resend': 'ann@example.com',
  'team create': 'Ops',
  'team edit': `${first} --name Ops`,
  'team delete': `${first} --yes`,
  'team use': first,
  'team member list': `--team ${first}`,
  'team member add': `ben@example.com --team ${first}`,
  'team member remove': `ben@example.com --team ${first}`,
  'role check': 'member:create',
  'role view': 'owner',
  'role create': 'editor --permission team:create',
  'role edit': 'owner --name writer',
  'role delete': 'owner --yes',
  'key create': 'deploy --mine',
  'key view': first,
  'key rotate': first,
  'key adopt': first,
  'key revoke': first,
  'webhook create': 'https://receiver.example.com/hook --platform',
  'webhook view': first,
  'webhook edit': `${first} --paused on`,
  'webhook rotate': first,
  'webhook resume': first,
  'webhook test': first,
  'webhook delete': `${first} --yes`,
  'key trust create': `site ${claims}`,
  'key trust adopt': first,
  'key trust delete': `${first} --yes`,
  'admin user view': first,
  'admin user create': '--email cy@example.com --name Cy --password-file FILE',
  'admin user delete': `${first} --confirm ann@example.com`,
  'admin user edit': `${first} --name Cy`,
  'admin user unlock': first,
  'admin mail resend': first,
  'admin mail release': '--yes',
  'admin user ban': first,
  'admin user unban': first,
  'admin user role set': `${first} admin`,
  'admin user password set': `${first} --password-file FILE`,
  'admin user impersonate': first,
  'admin session list': first,
  'admin session revoke': `${first} ${first}`,
  'admin keys rotate': '--yes',
  'api describe': 'session.listSessions',
  'profile create': 'work --url http://localhost:4100',
  'profile use': '-',
  'profile delete': 'work',
  'config get': 'retries',
  'config set': 'color never',
  'config unset': 'color',
  api: '/get-session',
  wait: '--timeout 10ms',
  'invitation wait': 'ann@example.com --timeout 10ms',
  'alias set': 'mine whoami',
  'alias delete': 'mine',
  completion: 'bash',
}

/** They ask a service of this machine, a browser or a terminal: other tests run these. */
const elsewhere = [
  'admin bootstrap',
  // Takes only events of the person, and those of a sample are nobody's.
  'admin user export',
  'dev mail',
  'backup',
  'restore',
  'migrate',
  'import',
  'export',
  'serve',
  'tui',
  'account link add',
  'org apply',
  'wait',
  'invitation wait',
  'doctor',
]

/** They ask nothing of a session. */
const forAnybody: readonly string[] = [
  ...localCommands,
  'sign-up',
  'sign-in',
  'sign-out',
  'auth status',
  'account email verify',
  'account password forgot',
  'account password reset',
  'admin impersonation stop',
]

let service: AnsweringService
let postern: Runner
let leaves: readonly CommandNode[]
let all: readonly CommandNode[]
let schemas: Readonly<Record<string, Schema>>
const samples = { full: sampleAnswers({ fullness: 'full' }), bare: sampleAnswers({ fullness: 'bare' }) }

beforeAll(async () => {
  service = await startAnswers({})
  const local = createRunner()
  all = flattenTree((await local('commands --json')).json as CommandNode)
  leaves = all.filter(({ commands }) => commands.length === 0)
  schemas = (await local('schema')).json as Record<string, Schema>
})
afterAll(() => service.close())
beforeEach(() => {
  postern = createRunner({ env: { POSTERN_URL: service.url } })
  writeFileSync(join(postern.folder, 'FILE'), 'a quite long password\n')
  writeFileSync(join(postern.folder, 'OTHER'), 'the password of before\n')
  answerWith({})
})

function answerWith(answers: Answers): void {
  for (const call of Object.keys(service.answers)) delete service.answers[call]
  Object.assign(service.answers, aboutAsked(answers))
  service.forget()
}

const nameOf = ({ path }: CommandNode): string => path.replace(/^postern ?/, '')
const runnable = () => leaves.map(nameOf).filter((name) => !elsewhere.includes(name))

const lineOf = (name: string): readonly string[] =>
  `${name} ${lines[name] ?? ''}`
    .split(' ')
    .filter(Boolean)
    .map((word) => (/^(FILE|OTHER)$/.test(word) ? join(postern.folder, word) : word))

/** A token speaks for commands, but for those about the accounts that are kept here. */
const speaking = (name: string): Readonly<Record<string, string>> =>
  /^(auth (switch|jar|list)|sign-|admin user impersonate|admin impersonation)/.test(name)
    ? {}
    : { POSTERN_TOKEN: 'token' }

/** Tells when somebody reads what never comes. */
function endless() {
  let isRead = false
  const stream = new Readable({
    read: () => {
      isRead = true
    },
  })
  return { stream, isRead: () => isRead }
}

const signedIn: unknown = Object(samples.full['POST /sign-in/email']).body

async function signIn(): Promise<void> {
  answerWith({
    ...samples.full,
    'POST /sign-in/email': {
      body: signedIn,
      headers: { 'set-cookie': 'postern.session_token=token.signature; Path=/; HttpOnly; Max-Age=604800' },
    },
  })
  const { code, stderr } = await postern(lineOf('sign-in'))
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('error')])
  service.forget()
}

it('each command has a line here that runs it, and none has two', () => {
  const names = all.map(nameOf)
  expect(names.length).toBeGreaterThan(50)
  expect([...Object.keys(lines), ...forAnybody].filter((name) => !names.includes(name))).toEqual([])
})

it('each command shows its help, with an example', async () => {
  for (const node of all) {
    const { code, stdout, stderr } = await postern([...nameOf(node).split(' ').filter(Boolean), '--help'])
    expect([node.path, code, stderr]).toEqual([node.path, 0, ''])
    // The root's fits one window: what to begin with stands first in place of examples.
    expect(stdout).toMatch(
      node.path === 'postern' ? /\nGet started {4}sign-up/ : /^Usage: postern[\s\S]*\nExamples:\n {2}\S/,
    )
  }
  expect(service.seen).toEqual([])
})

it('each command refuses a flag that it does not know, and names the nearest', async () => {
  for (const node of all) {
    const known = node.options.map(({ flags }) => /--[\w-]+/.exec(flags)?.[0]).find((flag) => flag && flag.length > 6)
    const flag = known ?? '--debug'
    const { code, stdout, stderr } = await postern([...lineOf(nameOf(node)), flag.slice(0, -1)], {
      env: speaking(nameOf(node)),
    })
    expect([node.path, code, stdout]).toEqual([node.path, 2, ''])
    expect([node.path, stderr]).toEqual([node.path, expect.stringMatching(/Did you mean .*--[\w-]+/)])
  }
  expect(service.seen).toEqual([])
})

const selecting = { POSTERN_URL: '--url', POSTERN_ACCOUNT: '--account', POSTERN_ORG: '--org' } as const

/** Told by help, though the line that is run here gives the same by its own words. */
const isByWords = (flag: string, line: string): boolean =>
  (flag === '--org' && /^(org|role|invitation|sign-in) |--mine|--platform/.test(line)) ||
  (flag === '--account' && / --email /.test(line))

it('each command tells in its help the flags that select the service, who acts and where, if it heeds them', async () => {
  const wrong: unknown[] = []
  await signIn()
  const tried = [...runnable(), 'doctor', 'wait', 'api', 'invitation wait']
  for (const node of all.filter((one) => tried.includes(nameOf(one)))) {
    answerWith(samples.full)
    const read = new Set<string>()
    const reads = (variable: string) => void read.add(variable)
    const line = lineOf(nameOf(node))
    await postern([...line, '--json'], { stdin: endless().stream, env: speaking(nameOf(node)), reads })
    for (const [variable, flag] of Object.entries(selecting)) {
      const [isTold, isRead] = [node.inherits.includes(flag), read.has(variable)]
      // `org use` reads the organization only to warn that another one is chosen for this run.
      const isWarning = flag === '--org' && nameOf(node) === 'org use'
      const isRight = isTold === isRead || isWarning || (isTold && isByWords(flag, line.join(' ')))
      if (!isRight) wrong.push([nameOf(node), flag, isTold ? 'is told but not heeded' : 'is heeded but not told'])
    }
  }
  expect(wrong).toEqual([])
})

it('an invalid setting stops no command that does not need it', async () => {
  answerWith(samples.full)
  const env = { POSTERN_TOKEN: 'token', POSTERN_THEME: 'nonesuch', POSTERN_UPDATE_NOTICE: 'perhaps' }
  expect(await postern('whoami', { env })).toMatchObject({ code: 0, stderr: '' })
})

it('each command for people who are signed in is exit 4 for all others, and sends nothing', async () => {
  const { code } = await postern('whoami')
  expect(code).toBe(4)
  for (const name of runnable().filter((one) => !forAnybody.includes(one))) {
    const { stream } = endless()
    const done = await postern([...lineOf(name), '--json'], { stdin: stream })
    expect([name, done.code, done.stdout, done.error['code']]).toEqual([name, 4, '', 'NOT_SIGNED_IN'])
  }
  expect(service.seen).toEqual([])
})

describe.each<Fullness>(['full', 'bare'])('where answers are %s', (fullness) => {
  it('each command answers what its schema says, and reads nothing from stdin', async () => {
    const wrong: unknown[] = []
    await signIn()
    await postern('config set retries 1')
    for (const name of runnable().filter((one) => one !== 'schema')) {
      answerWith(samples[fullness])
      if (fullness === 'bare') Object.assign(service.answers, stillThere)
      const { stream, isRead } = endless()
      const done = await postern([...lineOf(name), '--json'], { stdin: stream, env: speaking(name) })
      if (done.code !== 0) wrong.push([name, done.code, done.stderr])
      else {
        const found = violationsOf(schemaOf(name), done.json)
        if (found.length > 0 || isRead()) wrong.push([name, isRead(), found, done.stdout.slice(0, 300)])
      }
      if (/^(sign-out|auth jar clear|account delete|admin (user impersonate|impersonation))/.test(name)) await signIn()
    }
    expect(wrong).toEqual([])
  })
})

const told = [
  'GET /get-session',
  'GET /organization/get-full-organization',
  'POST /sign-up/email',
  'POST /webhook/test',
]
/** Who is asked about is still there, however little is told of them, and receives. */
const stillThere: Answers = Object.fromEntries(told.map((call) => [call, samples.full[call] ?? {}]))

/** As `postern schema` prints it, in the part of JSON Schema that the checker knows. */
function schemaOf(name: string): Schema {
  const { $schema: _, ...schema } = schemas[`postern ${name}`] as Schema & { readonly $schema?: string }
  return JSON.parse(JSON.stringify(schema).replaceAll('"integer"', '"number"')) as Schema
}

it.each([
  [400, 12],
  [401, 4],
  [403, 5],
  [404, 6],
  [409, 7],
  [422, 12],
  [429, 9],
  [500, 11],
  [503, 11],
  [302, 11],
])('what every call answers with status %i is exit %i', async (status, exitCode) => {
  const wrong: unknown[] = []
  const reply = { status, body: { code: 'SOME_REFUSAL', message: 'Some refusal' } }
  await signIn()
  for (const name of runnable()) {
    answerWith(Object.fromEntries(Object.keys(samples.full).map((call) => [call, reply])))
    const done = await postern([...lineOf(name), '--json', '--retries', '0'], { env: speaking(name) })
    const isAsked = service.seen.length > 0
    if (isAsked && (done.code !== exitCode || done.stdout !== '')) wrong.push([name, done.code, done.stderr])
    if (/^(sign-out|auth jar clear|admin impersonation)/.test(name)) await signIn()
  }
  // Signing out is done where there is nobody to sign out any more.
  expect(wrong.map((one) => (one as [string])[0])).toEqual(status === 401 ? ['sign-out'] : [])
})

it('an answer is the same through a pipe and in a file, to its end, while stdin stays open', async () => {
  const [session] = samples.full['GET /list-sessions']
    ? (Object(samples.full['GET /list-sessions']).body as object[])
    : []
  answerWith({
    'GET /list-sessions': { body: Array.from({ length: 2000 }, (_, at) => ({ ...session, id: `s${at}` })) },
  })
  for (const argv of ['session list', 'session list --json']) {
    const file = join(postern.folder, argv.replaceAll(' ', '-'))
    const [piped, written] = await Promise.all([runOpen(argv), runOpen(argv, file)])
    expect([piped.code, written]).toEqual([0, { code: 0, text: piped.text }])
    expect(piped.text.length).toBeGreaterThan(100_000)
    expect(piped.text).toContain('s1999')
  }
})

/** The built program, to a pipe or a file; nobody ever ends its stdin. */
async function runOpen(argv: string, file?: string) {
  const output = file === undefined ? undefined : await open(file, 'w')
  const child = spawn(process.execPath, [bin, ...argv.split(' ')], {
    env: { PATH: process.env.PATH, HOME: postern.folder, ...postern.env, POSTERN_TOKEN: 'token' },
    stdio: ['pipe', output?.fd ?? 'pipe', 'inherit'],
  })
  watchOver(child)
  const [piped, [code]] = await Promise.all([child.stdout ? text(child.stdout) : '', once(child, 'exit')])
  child.stdin?.destroy()
  await output?.close()
  return { code: code as number, text: file === undefined ? piped : await readFile(file, 'utf8') }
}

const hostile: SampleOptions = {
  fullness: 'full',
  texts: {
    name: '非常に長い名前の人 👩‍👩‍👧‍👦 with an organization of many words, and of no end at all',
    organizationName: '組織'.repeat(60),
    email: `${'a-very-long-local-part'.repeat(3)}@${'subdomain.'.repeat(12)}example.com`,
    userAgent: 'Mozilla/5.0 '.repeat(20),
    ipAddress: '2001:0db8:85a3:0000:0000:8a2e:0370:7334',
    lastUsedIp: '2001:0db8:85a3:0000:0000:8a2e:0370:7334',
    issuer: 'https://token.actions.githubusercontent.com/enterprise/of-a-long-name',
    accountId: '123456789012345678901234567890',
    actorEmail: `${'x'.repeat(64)}@example.com`,
    userEmail: `${'y'.repeat(64)}@example.com`,
  },
}

it.each([40, 60, 80, 120])(
  'each list fits %i columns, whatever is in it, and begins with what people read',
  async (width) => {
    answerWith(sampleAnswers(hostile))
    for (const node of leaves.filter(({ form }) => form === 'list')) {
      const name = nameOf(node)
      if (elsewhere.includes(name)) continue
      const { code, stdout } = await postern(lineOf(name), {
        env: { ...speaking(name), NO_COLOR: '1' },
        tty: ['stdout'],
        columns: width,
      })
      const [head = '', ...rows] = stdout.trimEnd().split('\n')
      expect([name, code]).toEqual([name, 0])
      for (const line of [head, ...rows]) expect([name, line, displayWidth(line) <= width]).toEqual([name, line, true])
      expect([name, head]).toEqual([name, expect.not.stringMatching(/^ID\b/)])
      const ending = head.endsWith('ID') ? /[\da-f]{8}$/ : /./
      expect([name, rows.filter((row) => !ending.test(row))]).toEqual([name, []])
    }
  },
)
