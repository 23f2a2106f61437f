import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import postgres from 'postgres'
import { temporaryFolder } from '../../testing/temporary-folder.ts'
import { isPostmaster, readPid } from '../postmaster.ts'
import { type Embedded, startEmbedded } from '../start.ts'

let template: string | undefined
const folders: string[] = []
const children: ChildProcess[] = []
const started: Embedded[] = []
const pools: postgres.Sql[] = []

export const quiet = { info: () => undefined, warn: () => undefined }

/** A folder that only we can enter. It is removed after the test, with the server that runs in it or in its `data`. */
export function newFolder(): string {
  const folder = temporaryFolder('embedded')
  folders.push(folder)
  return folder
}

export function newOpenFolder(): string {
  const folder = newFolder()
  chmodSync(folder, 0o755)
  return folder
}

/** A data folder with a created database that is not running, so that a test file initialises only once. */
export async function newDatabase(): Promise<string> {
  template ??= await makeTemplate()
  const dataDir = newFolder()
  // cp keeps owners, which cpSync does not.
  execFileSync('cp', ['-a', `${template}/.`, dataDir])
  return dataDir
}

async function makeTemplate(): Promise<string> {
  const dataDir = temporaryFolder('embedded')
  const embedded = await startEmbedded({ dataDir, log: quiet })
  await embedded.stop()
  return dataDir
}

/** For afterAll, if newDatabase was used. */
export function removeTemplate(): void {
  if (template) rmSync(template, { recursive: true })
  template = undefined
}

export async function start(dataDir: string, packageFolder?: string | null): Promise<Embedded> {
  const embedded = await startEmbedded({
    dataDir,
    log: quiet,
    ...(packageFolder === undefined ? {} : { packageFolder }),
  })
  started.push(embedded)
  return embedded
}

export function connect({ connection }: Pick<Embedded, 'connection'>): postgres.Sql {
  const sql = postgres({ ...connection, max: 2, backoff: () => 0.05, onnotice: () => undefined })
  pools.push(sql)
  return sql
}

export interface Service {
  readonly child: ChildProcess
  readonly ready: Promise<Embedded['connection']>
  stop(): Promise<void>
}

// Node resolves the import from the working directory.
const checkout = fileURLToPath(new URL('../../..', import.meta.url))

const script = `
  import { createJiti } from 'jiti'
  const { startEmbedded } = await createJiti(import.meta.url).import(process.argv[1])
  const log = { info() {}, warn() {} }
  const embedded = await startEmbedded({ dataDir: process.argv[2], log })
  console.log(JSON.stringify(embedded.connection))
  process.stdin.once('data', () => embedded.stop().then(() => process.stdin.destroy()))
`

/** Another process that uses the database until it is asked to stop. */
export function startService(dataDir: string): Service {
  const file = fileURLToPath(new URL('../start.ts', import.meta.url))
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, file, dataDir], {
    stdio: ['pipe', 'pipe', 'inherit'],
    cwd: checkout,
    detached: true,
  })
  children.push(child)
  return { child, ready: readLine(child), stop: () => stopService(child) }
}

async function readLine(child: ChildProcess): Promise<Embedded['connection']> {
  const [line] = (await Promise.race([once(child.stdout!, 'data'), once(child, 'exit').then(() => [])])) as [Buffer?]
  if (!line) throw new Error('the service ended before it was ready')
  return JSON.parse(line.toString()) as Embedded['connection']
}

async function stopService(child: ChildProcess): Promise<void> {
  child.stdin!.write('stop\n')
  if (child.exitCode === null) await once(child, 'exit')
}

export async function kill(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}

export const serverPid = (dataDir: string) => readPid(join(dataDir, 'postgres'))

export async function isRunning(dataDir: string): Promise<boolean> {
  const pid = await serverPid(dataDir)
  return pid !== undefined && isPostmaster(pid, join(dataDir, 'postgres'))
}

export const drafts = (dataDir: string) => readdirSync(dataDir).filter((name) => name.startsWith('draft-'))

export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 200_000
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error('waited 200 s in vain')
    await sleep(5)
  }
}

/** Ends everything that the test started, whatever its state. */
export async function cleanUp(): Promise<void> {
  await Promise.all(pools.splice(0).map((sql) => sql.end({ timeout: 0 })))
  for (const child of children.splice(0)) if (child.exitCode === null && child.signalCode === null) await kill(child)
  await Promise.all(started.splice(0).map((embedded) => embedded.stop().catch(() => undefined)))
  for (const folder of folders.splice(0)) await removeFolder(folder)
}

async function removeFolder(folder: string): Promise<void> {
  for (const dataDir of [folder, join(folder, 'data')]) {
    const pid = existsSync(dataDir) && (await isRunning(dataDir)) ? await serverPid(dataDir) : undefined
    if (pid !== undefined) process.kill(pid, 'SIGQUIT')
    if (pid !== undefined) await until(async () => !(await isPostmaster(pid, join(dataDir, 'postgres'))))
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}
