import * as z from 'zod'
import { isLoopback } from '../../shared/loopback.ts'

/** The texts of what is expected: any address at all, and a secure one. */
interface Expected {
  readonly address: string
  readonly secure: string
}

/**
 * An address that the service itself requests: https, or plain http on this machine for tests and development. Without a
 * user and password, because a request refuses an address that contains them.
 */
export const fetchedAddress = ({ address, secure }: Expected) =>
  z
    .url({ protocol: /^https?$/, error: address, abort: true })
    .refine((text) => new URL(text).protocol === 'https:' || isLoopback(new URL(text).hostname), {
      error: `${secure}; plain http only to this machine, like http://127.0.0.1:8080`,
      abort: true,
    })
    .refine((text) => !hasUser(text), { error: `${secure} without user and password` })

function hasUser(text: string): boolean {
  const { username, password } = new URL(text)
  return `${username}${password}` !== ''
}

/** A setting's value in a message. Hidden when it is a secret, or an address that may contain a password. */
export const shownValue = (text: string | undefined, isSecret: boolean): string =>
  isSecret || /:\/[^?#\s]*:[^?#\s]*@/.test(text ?? '') ? '(hidden)' : JSON.stringify(text)
