import { scrypt, timingSafeEqual } from 'node:crypto'

// 16 bytes of salt and 64 of key, in lower-case hex as the reference writes them.
const form = /^[0-9a-f]{32}:[0-9a-f]{128}$/
// Node refuses by default the 32 MiB that these take.
const cost = { N: 16_384, r: 16, p: 1, maxmem: 64 * 1024 * 1024 }

/** Whether a stored hash is the reference's `salt:key`, which imported accounts carry until their next sign-in. */
export const isScryptHash = (stored: string): boolean => form.test(stored)

/** Checks a normalised password against `salt:key`; the salt is its hex text, not the bytes that it spells. */
export function verifyScrypt(stored: string, password: string): Promise<boolean> {
  const [salt = '', key = ''] = stored.split(':')
  const expected = Buffer.from(key, 'hex')
  return new Promise((resolve, reject) => {
    scrypt(password, salt, expected.length, cost, (error, derived) =>
      error ? reject(error) : resolve(timingSafeEqual(derived, expected)),
    )
  })
}
