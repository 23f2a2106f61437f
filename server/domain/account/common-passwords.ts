import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/** Words that anybody who attacks this service tries first. */
const productWords = ['postern']

/** Whether a password is among the most common ones, or little more than a word about its own user. */
export function isCommon(password: string, about: readonly string[]): boolean {
  return commonPasswords().has(fold(password)) || isMadeOf(password, [...about, ...productWords])
}

let loaded: ReadonlySet<string> | undefined

/** The list, folded, the most common first; read at first use, 15 ms and 4 MB. */
export function commonPasswords(): ReadonlySet<string> {
  loaded ??= new Set(readList().map(fold))
  return loaded
}

function readList(): readonly string[] {
  return JSON.parse(readFileSync(require.resolve('@zxcvbn-ts/language-common/src/passwords.json'), 'utf8'))
}

// NIST SP 800-63B: the name of the service, the user's own, and what is derived from them.
function isMadeOf(password: string, about: readonly string[]): boolean {
  const typed = bare(password)
  const words = about.flatMap((text) => [text, ...text.split(/[@\s]/u)]).map(bare)
  return words.some((word) => word !== '' && typed.startsWith(word) && shortTail.test(typed.slice(word.length)))
}

/** What people put behind a word to make it a password: 1, 99!, 2026. */
const shortTail = /^\P{L}{0,4}$/u

const fold = (text: string): string => text.normalize('NFKC').toLowerCase()
const bare = (text: string): string => fold(text).replaceAll(/[\s._-]/gu, '')
