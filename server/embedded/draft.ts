import { randomBytes } from 'node:crypto'
import { chmod, mkdir, open, readdir, rename, rm, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ClusterSetup } from './cluster-setup.ts'
import { errorCodeOf } from './error.ts'
import { incarnation, isStale } from './process.ts'
import { run } from './run.ts'

const PREFIX = 'draft-'

/** Creates an empty folder beside its target, to be filled and then moved there in one step. */
export async function makeDraft(setup: ClusterSetup): Promise<string> {
  const draft = join(setup.dataDir, `${PREFIX}${process.pid}-${incarnation}-${randomBytes(4).toString('hex')}`)
  await mkdir(draft)
  await chmod(draft, 0o755)
  return draft
}

/** Moves a draft with one durable rename. False when the target exists already; the draft then stays. */
export async function moveInto(draft: string, target: string): Promise<boolean> {
  try {
    await rename(draft, target)
  } catch (error) {
    if (['ENOTEMPTY', 'EEXIST', 'EPERM'].includes(errorCodeOf(error))) return false
    throw error
  }
  if (process.platform !== 'win32') await syncFolder(dirname(target))
  return true
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Removes drafts that killed processes left behind. */
export async function removeStaleDrafts(setup: ClusterSetup): Promise<void> {
  const drafts = (await readdir(setup.dataDir)).filter((name) => name.startsWith(PREFIX))
  const stale = drafts.filter((name) => isStale(name.slice(PREFIX.length)))
  // The dead process's initdb may still be writing there. A later start removes what is left.
  await Promise.all(stale.map((name) => removeDraft(setup, join(setup.dataDir, name)).catch(() => undefined)))
}

/** Removes a draft with all its content. */
export async function removeDraft(setup: ClusterSetup, draft: string): Promise<void> {
  await removeCluster(setup, join(draft, 'postgres'))
  await rm(draft, { recursive: true, force: true })
}

/**
 * Removes an unfinished data folder. If it belongs to the user who runs PostgreSQL, that user empties it: root could be
 * led out of it by a folder that is swapped for a link meanwhile.
 */
export async function removeCluster(setup: ClusterSetup, folder: string): Promise<void> {
  if (!setup.owner) return rm(folder, { recursive: true, force: true })
  await run(setup, '/bin/sh', ['-c', 'rm -rf -- "$0"', folder])
  await rmdir(folder).catch((error: unknown) => {
    if (errorCodeOf(error) !== 'ENOENT') throw error
  })
}
