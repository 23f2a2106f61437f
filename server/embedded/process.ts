import { randomBytes } from 'node:crypto'
import { errorCodeOf } from './error.ts'

/** Distinguishes this process from an earlier one with the same pid: in a container every service is process 1. */
export const incarnation = randomBytes(4).toString('hex')

/** Returns whether a process with this pid exists, zombies included. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return errorCodeOf(error) === 'EPERM'
  }
}

/** Returns whether the process that signed with `<pid>-<incarnation>` is gone. */
export function isStale(signature: string): boolean {
  const [pid, made] = signature.split('-')
  if (made === incarnation) return false
  return Number(pid) === process.pid || !isAlive(Number(pid))
}
