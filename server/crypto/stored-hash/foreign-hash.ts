import type { HashProblem } from '../argon2-hash.ts'
import { readStoredHash } from './stored-hash.ts'
import { readWeakHash, wrapWeakHash } from './wrapped.ts'

/** What Firebase tells of a project, `base64_` left out of the names: the same for all of its users. */
export interface FirebaseProject {
  readonly signerKey: string
  readonly saltSeparator: string
  readonly rounds: number
  readonly memCost: number
}

/**
 * The text to store for a hash of another service, which `readStoredHash` reads. A weak one is wrapped: `hash` makes
 * the Argon2 hash of a text.
 */
export async function storableHash(
  given: string,
  hash: (text: string) => Promise<string>,
): Promise<{ readonly stored: string } | HashProblem> {
  const text = withoutPrefix(given)
  const weak = readWeakHash(text)
  const stored = weak ? await wrapWeakHash(weak, hash) : text
  const read = readStoredHash(stored)
  return typeof read === 'string' ? read : { stored }
}

/** Django puts the name of its own class before hashes of others: `argon2$argon2id$v=19$…`, `bcrypt$$2b$…`. */
const withoutPrefix = (text: string): string => text.replace(/^(argon2(?=\$argon2)|bcrypt\$(?=\$2))/, '')

/** The text of a hash that Firebase exported. */
export const firebaseText = (hash: string, salt: string, project: FirebaseProject): string =>
  `$fbscrypt$v=1,n=${project.memCost},r=${project.rounds},p=1,ss=${project.saltSeparator},sk=${project.signerKey}$${salt}$${hash}`

/** As SuperTokens keeps hashes of Firebase, whose signer key is a setting there. */
const superTokens = /^\$f_scrypt\$([^$]+)\$([^$]+)\$m=(\d+)\$r=(\d+)\$s=([^$]*)$/

/** With the key that SuperTokens keeps in its settings; any other text stays as it is. */
export function withSignerKey(text: string, signerKey: string): string {
  const [, hash, salt, memCost, rounds, saltSeparator = ''] = superTokens.exec(text) ?? []
  if (hash === undefined || salt === undefined) return text
  return firebaseText(hash, salt, { signerKey, saltSeparator, rounds: Number(rounds), memCost: Number(memCost) })
}
