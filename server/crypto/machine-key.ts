import { checksumOf, keyPrefix, secretLength } from '../../shared/key-text.ts'
import { randomText } from './token.ts'

/** A new key for a machine. */
export function createMachineKey(): string {
  const secret = randomText(secretLength)
  return `${keyPrefix}${secret}${checksumOf(secret)}`
}

/** By the last signs people tell their keys apart. */
export const hintOf = (key: string): string => key.slice(-4)
