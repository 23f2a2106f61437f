import { randomBytes } from 'node:crypto'
import { lstat, readlink, rename, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCodeOf } from './error.ts'
import { incarnation, isStale } from './process.ts'

/** A launch is over in milliseconds; a lock of this age was left by a process whose number is in use again. */
const MAX_AGE_MS = 10_000

/**
 * Runs `launch` unless another process is just doing so (undefined). PostgreSQL's own lock file does not do: of two servers
 * that find the file of a dead one, the second can remove the file that the first has just made.
 */
export async function withLaunchLock<T>(dataDir: string, launch: () => Promise<T>): Promise<T | undefined> {
  // Windows lets only administrators make links.
  if (process.platform === 'win32') return launch()
  const lock = join(dataDir, 'launch.lock')
  if (!(await takeLock(lock))) return undefined
  try {
    return await launch()
  } finally {
    await rm(lock, { force: true })
  }
}

/** A link is made with its content in one step, and names its maker. */
async function takeLock(lock: string): Promise<boolean> {
  try {
    await symlink(`${process.pid}-${incarnation}`, lock)
    return true
  } catch (error) {
    if (errorCodeOf(error) !== 'EEXIST') throw error
    await removeStaleLock(lock)
    return false
  }
}

async function removeStaleLock(lock: string): Promise<void> {
  const maker = await readlink(lock).catch(() => undefined)
  const made = await lstat(lock).catch(() => undefined)
  if (maker === undefined || !made) return
  if (!isStale(maker) && Date.now() - made.mtimeMs < MAX_AGE_MS) return
  // Moved away first: only one process gets it, and sees whether it is the one that was looked at.
  const moved = `${lock}.${randomBytes(4).toString('hex')}`
  await rename(lock, moved).catch(() => undefined)
  const taken = await readlink(moved).catch(() => maker)
  if (taken !== maker) await symlink(taken, lock).catch(() => undefined)
  await rm(moved, { force: true })
}
