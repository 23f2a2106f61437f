import type { Logger } from 'pino'
import type { Passwords } from './password.ts'
import { randomText } from './token.ts'

/** Milliseconds. At this cost two cores manage four sign-ins a second, and people begin to wait. */
const slowAbove = 500

/** Logs how long one hash takes on this machine. Runs in the background and never fails. */
export async function logHashTime(passwords: Passwords, log: Logger, limit = slowAbove): Promise<void> {
  try {
    const started = performance.now()
    await passwords.hash(randomText(16))
    const ms = Math.round(performance.now() - started)
    if (ms <= limit) log.info({ ms }, 'time of one password hash')
    else log.warn({ ms }, 'one password hash is slow: add processors, or lower ARGON2_* if it is above its default')
  } catch (error) {
    log.warn({ err: error }, 'the time of a password hash could not be measured')
  }
}
