import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import type { OpenIdProvider } from '../../server/testing/openid-provider.ts'
import { freePort } from '../../server/testing/ports.ts'
import { administrationSteps, gateSteps, keyStep, tokenStep, verifyToken } from './demo-machines.ts'
import { endingSteps, joinSteps, organizationSteps } from './demo-organization.ts'
import { approveInBrowser, type Begun, beginStep, finishSteps, startDemoProvider } from './demo-provider.ts'
import {
  type DemoStep,
  elsewhereSteps,
  forgotStep,
  openingSteps,
  resetSteps,
  twoSessionsSteps,
  verifySteps,
} from './demo-steps.ts'
import { patience } from './patience.ts'

const bin = fileURLToPath(new URL('../../bin/postern.js', import.meta.url))
// Of a name that nobody could take before us.
const folder = mkdtempSync(join(tmpdir(), 'postern-demo-'))
const newPassword = randomBytes(12).toString('base64url')
const newPasswordFile = join(folder, 'new-password')
const say = (text: string) => process.stdout.write(`${text}\n`)

/** Where the service is, and its settings: what looks into its outbox needs both. */
interface DemoTarget {
  readonly url: string
  readonly settings: Readonly<Record<string, string>>
  readonly provider: OpenIdProvider
}

async function main(): Promise<void> {
  // Where `localhost` has two addresses, Node gives the first one up after a quarter of a second.
  setDefaultAutoSelectFamilyAttemptTimeout(patience)
  // As root the database runs as another user, who has to get through.
  chmodSync(folder, 0o711)
  writeFileSync(newPasswordFile, newPassword, { mode: 0o600 })
  const port = await freePort()
  const data = { DATA_DIR: join(folder, 'data'), PORT: String(port) }
  const url = `http://localhost:${port}`
  const provider = await startDemoProvider(url)
  // For a machine that stands still now and then, such as one that runs many tests.
  const slow = { DATABASE_TIMEOUT: '10s' }
  const own = { LOG_LEVEL: 'error', SEND_VERIFICATION_ON_SIGN_UP: 'on', ...slow }
  const settings = { ...data, ...own, ...provider.settings('GOOGLE') }
  say('$ postern serve')
  const service = spawn(process.execPath, [bin, 'serve'], { env: { ...process.env, ...settings }, stdio: 'inherit' })
  try {
    await untilReady(url, service)
    say(`  ready at ${url}, on a PostgreSQL of its own\n`)
    await drive({ url, settings, provider })
  } finally {
    service.kill('SIGTERM')
    if (service.exitCode === null) await once(service, 'exit')
    await provider.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  if (service.exitCode !== 0) throw new Error(`The service ended with exit code ${service.exitCode}`)
  say(
    'All of it worked. Try next:\n  npx postern serve          start the service for yourself\n  npx postern tui            the same, as a terminal UI\n  npx postern help           all commands',
  )
}

async function drive(target: DemoTarget): Promise<void> {
  for (const step of openingSteps) await take(target, step)
  for (const step of verifySteps(await mailedLink(target, 'verify-email'))) await take(target, step)
  for (const step of elsewhereSteps(await otherSession(target))) await take(target, step)
  await take(target, forgotStep)
  for (const step of resetSteps(await mailedLink(target, 'reset-password'), newPasswordFile)) await take(target, step)
  await driveOrganization(target)
  await driveMachines(target)
  await driveProvider(target)
  for (const step of endingSteps) await take(target, step)
}

/** Ann's organization, and Ben, who joins it from a profile of his own. */
async function driveOrganization(target: DemoTarget): Promise<void> {
  for (const step of organizationSteps(target.url)) await take(target, step)
  const mails = await readMails(target, 'kind,to,url,text', /postern invitation accept/)
  const link = mails.findLast(({ kind }) => kind === 'verify-email')?.url
  const invitation = mails.findLast(({ kind }) => kind === 'invitation')?.text
  const [, id] = /postern invitation accept ([\w-]+)/.exec(invitation ?? '') ?? []
  for (const step of joinSteps(link ?? '', id ?? '')) await take(target, step)
}

/** Ann as an administrator, a pipeline with a key, and a service that verifies tokens. */
async function driveMachines(target: DemoTarget): Promise<void> {
  for (const step of administrationSteps) await take(target, step)
  for (const step of gateSteps((await take(target, keyStep)).trim())) await take(target, step)
  const { token } = JSON.parse(await take(target, tokenStep)) as { token: string }
  await verifyToken(target.url, token, say)
}

/** Cleo, who signs in on a machine without a browser. */
async function driveProvider(target: DemoTarget): Promise<void> {
  say(`# An OpenID provider runs at ${target.provider.url}: here it is Google\n`)
  const begun = JSON.parse(await take(target, beginStep)) as Begun
  await approveInBrowser(target.url, target.provider, begun, say)
  say('')
  for (const step of finishSteps(begun)) await take(target, step)
}

async function otherSession(target: DemoTarget): Promise<string> {
  for (const step of twoSessionsSteps) await take(target, step)
  const { stdout } = await postern(target, { at: 'laptop', args: ['session', 'list', '--json'] })
  const { items } = JSON.parse(stdout) as { items: { id: string; current: boolean }[] }
  const other = items.find((session) => !session.current)
  if (items.length !== 2 || !other) throw new Error(`Expected two sessions, one of them elsewhere: ${stdout}`)
  return other.id
}

interface Mail {
  readonly kind: string
  readonly url: string | null
  readonly text?: string
}

/** The link of the newest mail of that kind, read as its owner would in their mailbox. */
async function mailedLink(target: DemoTarget, kind: string): Promise<string> {
  const mails = await readMails(target, 'kind,to,url', RegExp(kind))
  return mails.findLast((mail) => mail.kind === kind)?.url ?? ''
}

async function readMails(target: DemoTarget, fields: string, expects: RegExp): Promise<readonly Mail[]> {
  const args = ['dev', 'mail', `--json=${fields}`]
  const says = 'No mail server is set up, so the mail waits in the outbox'
  const { items } = JSON.parse(await take(target, { says, at: 'laptop', args, expects })) as { items: Mail[] }
  return items
}

/** Prints the command and its answer, and gives what stdout had; anything but the expected answer ends the demo. */
async function take(target: DemoTarget, step: DemoStep): Promise<string> {
  say(`# ${step.says}\n$ postern ${step.args.join(' ')}`)
  const { exitCode, stdout, all } = await postern(target, step)
  say(`${all.replaceAll(/^/gm, '  ')}\n`)
  if (exitCode !== (step.exitCode ?? 0)) throw new Error(`Exit code ${exitCode} instead of ${step.exitCode ?? 0}`)
  if (!step.expects.test(all)) throw new Error(`The answer does not match ${step.expects}`)
  return stdout
}

async function postern(
  { url, settings }: DemoTarget,
  { at, args, input, token }: Pick<DemoStep, 'at' | 'args' | 'input' | 'token'>,
) {
  const home = join(folder, at)
  const env = { ...settings, POSTERN_URL: url, POSTERN_CONFIG_DIR: home, POSTERN_STATE_DIR: home, NO_COLOR: '1' }
  const sent = token === undefined ? {} : { POSTERN_TOKEN: token }
  const { exitCode, stdout, all } = await execa(process.execPath, [bin, ...args], {
    env: { ...env, ...sent },
    input: input ?? '',
    all: true,
    reject: false,
  })
  return { exitCode, stdout, all: all ?? '' }
}

async function untilReady(url: string, service: ChildProcess): Promise<void> {
  const end = Date.now() + patience
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

main().catch((error: unknown) => {
  process.stderr.write(`\nThe demo failed: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
})
