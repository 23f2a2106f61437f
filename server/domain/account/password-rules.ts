import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Failure } from '../../../shared/failure.ts'
import type { Config } from '../../config.ts'

type Rules = Pick<Config, 'MIN_PASSWORD_LENGTH' | 'MAX_PASSWORD_LENGTH' | 'BASE_URL'>

/**
 * Used by every call that sets a password. Checks the length in code points as typed, before any normalisation or
 * hashing, then rejects common passwords and words about the service. `about`: publicly known words about the user,
 * such as address and name.
 */
export function checkPassword(config: Rules, password: string, about: readonly string[] = []): void {
  checkLength(config, password)
  const { hostname } = config.BASE_URL
  if (isCommon(password, [...about, hostname, ...hostname.split('.')])) throw new Failure('PASSWORD_TOO_COMMON')
}

function checkLength({ MIN_PASSWORD_LENGTH, MAX_PASSWORD_LENGTH }: Rules, password: string): void {
  const tooLong = () => new Failure('PASSWORD_TOO_LONG', { limit: MAX_PASSWORD_LENGTH })
  // A code point has one or two code units, so a huge text is refused without being walked.
  if (password.length > 2 * MAX_PASSWORD_LENGTH) throw tooLong()
  const length = codePoints(password)
  if (length < MIN_PASSWORD_LENGTH) throw new Failure('PASSWORD_TOO_SHORT', { limit: MIN_PASSWORD_LENGTH })
  if (length > MAX_PASSWORD_LENGTH) throw tooLong()
}

export function codePoints(text: string): number {
  let count = 0
  for (const _ of text) count += 1
  return count
}

const require = createRequire(import.meta.url)

/** Words that an attacker of this service tries first. */
const productWords = ['postern']

/** Whether a password is among the most common ones, or little more than a word about its own user. */
function isCommon(password: string, about: readonly string[]): boolean {
  return commonPasswords().has(fold(password)) || isMadeOf(password, [...about, ...productWords])
}

let loaded: ReadonlySet<string> | undefined

/** The case-folded list, most common first. Read at first use: 15 ms and 4 MB. */
export function commonPasswords(): ReadonlySet<string> {
  loaded ??= new Set(readList().map(fold))
  return loaded
}

function readList(): readonly string[] {
  return JSON.parse(readFileSync(require.resolve('@zxcvbn-ts/language-common/src/passwords.json'), 'utf8'))
}

// NIST SP 800-63B: reject the name of the service, the user's name and address, and words derived from them.
function isMadeOf(password: string, about: readonly string[]): boolean {
  const typed = bare(password)
  const words = about.flatMap((text) => [text, ...text.split(/[@\s]/u)]).map(bare)
  return words.some((word) => word !== '' && typed.startsWith(word) && shortTail.test(typed.slice(word.length)))
}

/** What people append to a word to make it a password: 1, 99!, 2026. */
const shortTail = /^\P{L}{0,4}$/u

const fold = (text: string): string => text.normalize('NFKC').toLowerCase()
const bare = (text: string): string => fold(text).replaceAll(/[\s._-]/gu, '')
