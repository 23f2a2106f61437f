import { link, lstat, readFile, readlink, rm, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { LocalStateError, reasonOf } from './errors.ts'
import { type FolderKind, folderVariables, unwritableHint } from './folder.ts'

export interface LockOptions {
  /** Longest wait for the holder in milliseconds, 5 s by default. Each attempt counts for at most 100 ms. */
  readonly wait?: number
  /** Called when a lock was broken because its holder is gone. */
  readonly onBroken?: (holder: LockHolder) => void
  /** The folder that it is in, for errors; default: that of the state. */
  readonly kind?: FolderKind
}

/** Runs `work` while this process holds `<path>.lock`. Throws when the lock does not become free in time. */
export async function withLock<T>(path: string, options: LockOptions, work: () => Promise<T>): Promise<T> {
  const lock = `${path}.lock`
  const me = await describeSelf()
  await acquire(lock, me, options)
  try {
    return await work()
  } finally {
    await release(lock, me)
  }
}

/** In milliseconds. Time beyond this in one attempt does not count. */
const longestTurn = 100

async function acquire(lock: string, me: LockHolder, options: LockOptions): Promise<void> {
  let left = options.wait ?? 5_000
  let before = performance.now()
  while (!(await claim(lock, me, options.kind))) {
    const holder = await readHolder(lock)
    if (holder && (await isHolderGone(holder))) await breakLock(lock, { ...options, wait: Math.max(0, left) })
    else if (left < 0) throw heldError(lock, holder, me)
    else await sleep(2 + Math.random() * 18)
    // While a machine is suspended, the holder does not run either.
    const now = performance.now()
    left -= Math.min(now - before, longestTurn)
    before = now
  }
}

// A hard link creates the lock with its content, so a crash never leaves a lock without a holder.
async function claim(lock: string, me: LockHolder, kind: FolderKind = 'state'): Promise<boolean> {
  if (await exists(lock)) return false
  const draft = `${lock}.${me.pid}.${crypto.randomUUID()}`
  try {
    await writeFile(draft, JSON.stringify(me), { flag: 'wx', mode: 0o600 })
    await link(draft, lock)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw noLockError(lock, kind, error)
  } finally {
    await rm(draft, { force: true }).catch(() => {})
  }
}

// When several processes find the holder gone, only one may remove the lock, and only while it is still the old one.
// Otherwise a slow process would remove the lock that a fast one has just taken. So breaking a lock needs a lock of its
// own.
async function breakLock(lock: string, options: LockOptions): Promise<void> {
  await withLock(lock, options, async () => {
    const holder = await readHolder(lock)
    if (!holder || !(await isHolderGone(holder))) return
    await rm(lock, { force: true })
    options.onBroken?.(holder)
  })
}

// If somebody removed this lock by hand and another process took it, the lock is theirs.
async function release(lock: string, me: LockHolder): Promise<void> {
  const holder = await readHolder(lock)
  if (holder?.id === me.id) await rm(lock, { force: true })
}

const exists = async (path: string): Promise<boolean> => {
  try {
    await lstat(path)
    return true
  } catch {
    return false
  }
}

const heldError = (lock: string, holder: LockHolder | undefined, me: LockHolder) =>
  new LocalStateError(
    `${lock} is held by ${holder ? nameOf(holder, me) : 'an unknown process'}`,
    holder ? 'Try again when that process has ended. If it is no longer running, remove the file' : 'Remove the file',
  )

// Says "of another container" when the number may be another process here: nobody must conclude that the holder is
// gone.
const nameOf = (holder: LockHolder, me: LockHolder): string =>
  `process ${holder.pid} ${isVisible(holder, me) ? '' : 'of another container '}on ${holder.host}`

function noLockError(lock: string, kind: FolderKind, cause: unknown) {
  const usual = `The ${kind} folder must be writable and on a file system with hard links; ${folderVariables[kind]} chooses another`
  return new LocalStateError(`Cannot create ${lock} (${reasonOf(cause)})`, unwritableHint(kind, cause, usual), cause)
}

/** Identifies the holder of a lock, even after its process id has been reused. */
export interface LockHolder {
  readonly id: string
  readonly pid: number
  readonly host: string
  /** Boot id and start time in clock ticks since boot. Empty when the system does not provide them. */
  readonly started: string
  /**
   * The PID namespace, in which the process id is valid. Containers can share a host name and a folder without seeing
   * each other's processes. Empty when the system has none, absent in locks of older versions.
   */
  readonly pidNamespace?: string
}

export const describeSelf = async (): Promise<LockHolder> => ({
  id: crypto.randomUUID(),
  pid: process.pid,
  host: hostname(),
  started: await startOf(process.pid),
  pidNamespace: await ownPidNamespace(),
})

const ownPidNamespace = async (): Promise<string> =>
  process.platform === 'linux' ? readlink('/proc/self/ns/pid').catch(() => '') : ''

/** The holder recorded in a lock file. Undefined when the file is missing or invalid. */
export async function readHolder(lock: string): Promise<LockHolder | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(lock, 'utf8'))
    return isHolder(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** True only when certain: on the same machine and in view, the process is gone or its id was reused. */
export async function isHolderGone(holder: LockHolder): Promise<boolean> {
  const { pid, host, started } = holder
  if (host !== hostname() || !isVisible(holder, { pidNamespace: await ownPidNamespace() })) return false
  if (!isRunning(pid)) return true
  const now = await startOf(pid)
  return now === ended || (now !== '' && started !== '' && now !== started)
}

/** False when the process would not be found, even if it runs. */
const isVisible = ({ pidNamespace }: Pick<LockHolder, 'pidNamespace'>, me: Pick<LockHolder, 'pidNamespace'>): boolean =>
  !pidNamespace || pidNamespace === me.pidNamespace

const ended = 'ended'

// proc(5): field 22 is the start time in ticks since boot. The name in field 2 may contain spaces and parentheses. A
// zombie (Z) counts as ended.
async function startOf(pid: number): Promise<string> {
  if (process.platform !== 'linux') return ''
  try {
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8')
    const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).replace(/^.*\) /s, '').split(' ')
    return fields[0] === 'Z' || fields[0] === 'X' ? ended : `${boot.trim()} ${fields[19]}`
  } catch {
    return ''
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

const isHolder = (value: unknown): value is LockHolder => {
  const { id, pid, host, started, pidNamespace = '' } = Object(value)
  const isProcess = Number.isSafeInteger(pid) && pid > 0
  return isProcess && [id, host, started, pidNamespace].every((text) => typeof text === 'string')
}
