import { lchown, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ClusterSetup } from './cluster-setup.ts'
import { makeDraft, moveInto, removeCluster, removeDraft } from './draft.ts'
import { type Engine, findEngine } from './engine.ts'
import { EmbeddedDatabaseError, errorCodeOf } from './error.ts'
import { type ProgramResult, run } from './run.ts'
import { lastLines } from './server-log.ts'

/** The name of both the superuser and the database. */
export const DATABASE_NAME = 'postern'

/**
 * Codepoint order and UTF-8 letters everywhere: PostgreSQL's own locale (17 and newer), or else the system's. `C` knows
 * only ASCII letters.
 */
const locales = [
  ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
  ['--locale=C.UTF-8'],
  ['--locale=C'],
]

/** The major version of the data folder. Undefined when there is none. */
export async function readMajor(cluster: string): Promise<number | undefined> {
  const text = await readFile(join(cluster, 'PG_VERSION'), 'utf8').catch(() => undefined)
  return text === undefined ? undefined : Number.parseInt(text, 10)
}

/**
 * Initialises in a draft folder and then moves it into place, so that a kill at any moment leaves a whole database or
 * none.
 */
export async function ensureCluster(setup: ClusterSetup): Promise<void> {
  if (await isThere(setup.cluster)) return
  const engine = await findEngine(setup)
  const draft = await makeDraft(setup)
  try {
    const made = join(draft, 'postgres')
    await initialise(setup, engine, made)
    // Returns false when another process was faster. Its database is just as good.
    await moveInto(made, setup.cluster)
  } finally {
    await removeDraft(setup, draft)
  }
}

async function isThere(cluster: string): Promise<boolean> {
  if ((await readMajor(cluster)) !== undefined) return true
  const content = await readdir(cluster).catch((error: unknown) => [errorCodeOf(error)])
  if (content.length === 0 || content[0] === 'ENOENT') return false
  throw new EmbeddedDatabaseError(
    `${cluster} exists, but is not a PostgreSQL data folder. Move it away, or set DATA_DIR to another folder.`,
  )
}

async function initialise(setup: ClusterSetup, engine: Engine, folder: string): Promise<void> {
  let outcome: ProgramResult = { code: -1, failure: '', output: '' }
  for (const locale of locales) {
    await removeCluster(setup, folder)
    await mkdir(folder, { mode: 0o700 })
    if (setup.owner) await lchown(folder, setup.owner.uid, setup.owner.gid)
    outcome = await run(setup, join(engine.bin, 'initdb'), await initdbArguments(setup, folder, locale), setup.leaving)
    if (outcome.code === 0) return
    if (setup.leaving?.aborted || !/locale|option/.test(outcome.output)) break
  }
  throw new EmbeddedDatabaseError(
    `The embedded database could not be initialised in ${setup.dataDir}. initdb said:\n${lastLines(outcome.failure || outcome.output)}\nFix that and start again, or set DATABASE_URL to use a PostgreSQL server.`,
  )
}

async function initdbArguments(setup: ClusterSetup, folder: string, locale: string[]): Promise<string[]> {
  const common = ['-D', folder, '-U', DATABASE_NAME, '-E', 'UTF8', '--no-instructions', ...locale]
  if (setup.address.password === undefined) return [...common, '-A', 'trust']
  const secret = `${folder}.password`
  await writeFile(secret, setup.address.password, { mode: 0o600 })
  return [...common, '-A', 'scram-sha-256', `--pwfile=${secret}`]
}
