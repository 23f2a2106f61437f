import { verify } from '@node-rs/argon2'
import type { Logger } from 'pino'
import type { Passwords } from './password.ts'
import { randomText } from './token.ts'

/** Milliseconds. At this cost two cores manage four sign-ins a second, and people begin to wait. */
const slowAbove = 500

/** Made by the reference implementation of Argon2, as one of its own tests: 256 KiB, a millisecond. */
const reference = {
  password: 'password',
  stored: '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4',
}

/**
 * The package picks its instructions by the processor. A hash that came out otherwise on one machine would lock people
 * out on all others.
 *
 * @throws Error when this machine does not compute the reference's hash.
 */
export async function requireRightHashes({ stored, password } = reference): Promise<void> {
  if (await verify(stored, password)) return
  throw new Error('This machine computes password hashes that no other would accept. Start the service on another one.')
}

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
