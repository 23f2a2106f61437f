import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'

const bin = fileURLToPath(new URL('../../bin/postern.js', import.meta.url))
const folder = join(tmpdir(), `postern-demo-${process.pid}`)
const password = randomBytes(12).toString('base64url')
const newPassword = randomBytes(12).toString('base64url')
const newPasswordFile = join(folder, 'new-password')
const say = (text: string) => process.stdout.write(`${text}\n`)

/** One step: a command line as a person would type it, and what its answer has to hold. */
interface Step {
  readonly says: string
  readonly args: readonly string[]
  /** Whose jar: two places to be signed in at. */
  readonly at: 'laptop' | 'server'
  readonly input?: string
  readonly expects: RegExp
  readonly exitCode?: number
}

/** Where the service is, and its settings: what looks into its outbox needs both. */
interface Place {
  readonly url: string
  readonly settings: Readonly<Record<string, string>>
}

async function main(): Promise<void> {
  mkdirSync(folder, { recursive: true })
  writeFileSync(newPasswordFile, newPassword, { mode: 0o600 })
  const port = await freePort()
  const data = { DATA_DIR: join(folder, 'data'), PORT: String(port) }
  const settings = { ...data, LOG_LEVEL: 'warn', SEND_VERIFICATION_ON_SIGN_UP: 'on' }
  say('$ postern serve')
  const service = spawn(process.execPath, [bin, 'serve'], { env: { ...process.env, ...settings }, stdio: 'inherit' })
  const url = `http://localhost:${port}`
  try {
    await untilReady(url, service)
    say(`  ready at ${url}, on a PostgreSQL of its own\n`)
    await drive({ url, settings })
  } finally {
    service.kill('SIGTERM')
    if (service.exitCode === null) await once(service, 'exit')
    rmSync(folder, { recursive: true, force: true })
  }
  if (service.exitCode !== 0) throw new Error(`The service ended with exit code ${service.exitCode}`)
  say(
    'All of it worked. Try next:\n  npx postern serve          start the service for yourself\n  npx postern tui            the same, as a terminal UI\n  npx postern help           all commands',
  )
}

async function drive(place: Place): Promise<void> {
  for (const step of openingSteps) await take(place, step)
  for (const step of verifySteps(await mailedLink(place, 'verify-email'))) await take(place, step)
  for (const step of elsewhereSteps(await otherSession(place))) await take(place, step)
  await take(place, forgotStep)
  for (const step of resetSteps(await mailedLink(place, 'reset-password'))) await take(place, step)
}

async function otherSession(place: Place): Promise<string> {
  for (const step of twoSessionsSteps) await take(place, step)
  const { stdout } = await postern(place, { at: 'laptop', args: ['session', 'list', '--json'] })
  const { items } = JSON.parse(stdout) as { items: { id: string; current: boolean }[] }
  const other = items.find((session) => !session.current)
  if (items.length !== 2 || !other) throw new Error(`Expected two sessions, one of them elsewhere: ${stdout}`)
  return other.id
}

/** The link of the newest mail of that kind, read as its owner would in their mailbox. */
async function mailedLink(place: Place, kind: string): Promise<string> {
  const args = ['dev', 'mail', '--json=kind,to,url']
  const step: Step = { says: 'No mail server is set up, so the mail waits in the outbox', at: 'laptop', args, expects: RegExp(kind) }
  const { items } = JSON.parse(await take(place, step)) as { items: { kind: string; url: string }[] }
  return items.findLast((mail) => mail.kind === kind)?.url ?? ''
}

const openingSteps: readonly Step[] = [
  {
    says: 'A new account',
    at: 'laptop',
    args: ['sign-up', '--email', 'ann@example.com', '--name', 'Ann', '--password-file', '-'],
    input: password,
    expects: /ann@example\.com/,
  },
  { says: 'Out and in again', at: 'laptop', args: ['sign-out'], expects: /sign/i },
  {
    says: 'with the password from standard input',
    at: 'laptop',
    args: ['sign-in', '--email', 'ann@example.com', '--password-file', '-'],
    input: password,
    expects: /ann@example\.com/,
  },
  { says: 'Who am I?', at: 'laptop', args: ['whoami'], expects: /ann@example\.com/ },
]

const verifySteps = (link: string): readonly Step[] => [
  {
    says: 'Its link verifies the address',
    at: 'laptop',
    args: ['account', 'email', 'verify', '-'],
    input: link,
    expects: /Verified ann@example\.com/,
  },
  {
    says: 'and so says the service',
    at: 'laptop',
    args: ['whoami', '--json=email,emailVerified'],
    expects: /"emailVerified":true/,
  },
]

const twoSessionsSteps: readonly Step[] = [
  {
    says: 'The same person, signed in elsewhere',
    at: 'server',
    args: ['sign-in', '--email', 'ann@example.com', '--password-file', '-'],
    input: password,
    expects: /ann@example\.com/,
  },
  { says: 'Both sessions', at: 'laptop', args: ['session', 'list'], expects: /\n?.+\n.+/ },
]

const elsewhereSteps = (other: string): readonly Step[] => [
  { says: 'The other session ends', at: 'laptop', args: ['session', 'revoke', other, '--yes'], expects: /./ },
  { says: 'and is refused from now on', at: 'server', args: ['whoami'], expects: /postern sign-in/, exitCode: 4 },
]

const forgotStep: Step = {
  says: 'The password is forgotten',
  at: 'server',
  args: ['account', 'password', 'forgot', '--email', 'ann@example.com'],
  expects: /a mail is on its way/,
}

const resetSteps = (link: string): readonly Step[] => [
  {
    says: 'Its link sets a new one, from a file',
    at: 'server',
    args: ['account', 'password', 'reset', '-', '--password-file', newPasswordFile],
    input: link,
    expects: /Set the new password/,
  },
  { says: 'which ended the session on the laptop', at: 'laptop', args: ['whoami'], expects: /sign-in/, exitCode: 4 },
  {
    says: 'In again with the new one',
    at: 'laptop',
    args: ['sign-in', '--email', 'ann@example.com', '--password-file', newPasswordFile],
    expects: /ann@example\.com/,
  },
  { says: 'The end', at: 'laptop', args: ['sign-out'], expects: /sign/i },
  { says: 'Nobody is signed in', at: 'laptop', args: ['whoami'], expects: /postern sign-in/, exitCode: 4 },
]

/** Prints the command and its answer, and gives what stdout had; anything but the expected answer ends the demo. */
async function take(place: Place, step: Step): Promise<string> {
  say(`# ${step.says}\n$ postern ${step.args.join(' ')}`)
  const { exitCode, stdout, all } = await postern(place, step)
  say(`${all.replaceAll(/^/gm, '  ')}\n`)
  if (exitCode !== (step.exitCode ?? 0)) throw new Error(`Exit code ${exitCode} instead of ${step.exitCode ?? 0}`)
  if (!step.expects.test(all)) throw new Error(`The answer does not match ${step.expects}`)
  return stdout
}

async function postern({ url, settings }: Place, { at, args, input }: Pick<Step, 'at' | 'args' | 'input'>) {
  const home = join(folder, at)
  const env = { ...settings, POSTERN_URL: url, POSTERN_CONFIG_DIR: home, POSTERN_STATE_DIR: home, NO_COLOR: '1' }
  const { exitCode, stdout, all } = await execa(process.execPath, [bin, ...args], {
    env,
    input: input ?? '',
    all: true,
    reject: false,
  })
  return { exitCode, stdout, all: all ?? '' }
}

async function untilReady(url: string, service: ChildProcess): Promise<void> {
  const end = Date.now() + 60_000
  while (Date.now() < end) {
    if (await isReady(url)) return
    if (service.exitCode !== null) break
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error('The service did not become ready')
}

const isReady = (url: string): Promise<boolean> =>
  fetch(`${url}/api/auth/ready`).then(
    (answer) => answer.ok,
    () => false,
  )

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('No free port')
  return address.port
}

main().catch((error: unknown) => {
  process.stderr.write(`\nThe demo failed: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
})
