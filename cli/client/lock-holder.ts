import { readFile } from 'node:fs/promises'
import { hostname } from 'node:os'

/** Who holds a lock: enough to tell that it is gone even when its process number is somebody else's by now. */
export interface LockHolder {
  readonly id: string
  readonly pid: number
  readonly host: string
  /** Boot and ticks since boot at which the process started; empty where the system does not say. */
  readonly started: string
}

export const describeSelf = async (): Promise<LockHolder> => ({
  id: crypto.randomUUID(),
  pid: process.pid,
  host: hostname(),
  started: await startOf(process.pid),
})

/** The holder that a lock file names; undefined when there is no file, or none that can be understood. */
export async function readHolder(lock: string): Promise<LockHolder | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(lock, 'utf8'))
    return isHolder(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** True only when it is certain: same machine, and no such process or another one under its number. */
export async function isGone({ pid, host, started }: LockHolder): Promise<boolean> {
  if (host !== hostname()) return false
  if (!isRunning(pid)) return true
  const now = await startOf(pid)
  return now === ended || (now !== '' && started !== '' && now !== started)
}

const ended = 'ended'

// proc(5): field 22 is the start in ticks since boot; the name in field 2 may hold spaces and parentheses. A killed
// process that nobody has waited for (Z) runs no more.
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
  const { id, pid, host, started } = Object(value)
  const isProcess = Number.isSafeInteger(pid) && pid > 0
  return isProcess && [id, host, started].every((text) => typeof text === 'string')
}
