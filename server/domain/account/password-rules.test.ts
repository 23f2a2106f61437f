import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Failure } from '../../../shared/failure.ts'
import { passphrase } from '../../testing/passphrases.ts'
import { checkPassword, codePoints, commonPasswords } from './password-rules.ts'

const rules = {
  MIN_PASSWORD_LENGTH: 8,
  MAX_PASSWORD_LENGTH: 128,
  BASE_URL: new URL('https://login.acme-works.example'),
}

/** The name of the failure, or null for a password that may be set. */
function refusalOf(password: string, about: readonly string[] = [], given = rules): string | null {
  try {
    checkPassword(given, password, about)
    return null
  } catch (error) {
    if (error instanceof Failure) return error.failure
    throw error
  }
}

describe('the list of common passwords', () => {
  const listed = [...commonPasswords()].filter((password) => codePoints(password) >= 8)

  it('holds far more than the 3000 that are tried first', () => {
    expect(listed.length).toBeGreaterThan(15_000)
    expect(listed.slice(0, 4)).toEqual(['password', '12345678', '123456789', 'baseball'])
  })

  it('lets none of them be set, in whatever case', () => {
    const spellings = listed.flatMap((password) => [password, password.toUpperCase()])
    expect(spellings.length).toBeGreaterThan(1)
    expect(spellings.filter((password) => refusalOf(password) !== 'PASSWORD_TOO_COMMON')).toEqual([])
  })

  it('holds for shorter passwords too, where those are allowed', () => {
    expect(refusalOf('dragon', [], { ...rules, MIN_PASSWORD_LENGTH: 6 })).toBe('PASSWORD_TOO_COMMON')
    expect(refusalOf('dragon')).toBe('PASSWORD_TOO_SHORT')
  })

  it('sees through letters that only look different', () => {
    expect(refusalOf('\uff30\uff21\uff33\uff33\uff37\uff2f\uff32\uff24')).toBe('PASSWORD_TOO_COMMON')
  })

  it('compares the whole password, and no part of it', () => {
    for (const password of ['password in a sentence', ' password', 'password ', 'my12345678'])
      expect([password, refusalOf(password)]).toEqual([password, null])
  })
})

describe('what others know of a user', () => {
  const ada = ['ada.lovelace@example.com', 'Ada King Lovelace']

  it.each([
    'ada.lovelace@example.com',
    'Ada.Lovelace@Example.com',
    'ada.lovelace',
    'AdaLovelace',
    'lovelace',
    'Lovelace!',
    'Lovelace1815',
    'ada-king-lovelace',
    'Ada King Lovelace',
    'example.com',
    'postern1',
    'Postern-2026',
    'P O S T E R N',
  ])('is no password: %s', (password) => {
    expect(refusalOf(password, ada)).toBe('PASSWORD_TOO_COMMON')
  })

  it.each([
    'lovelace writes programs',
    'Lovelace18151852',
    'a lovely lace',
    'the postern gate',
    'lovelace\u0939\u0948',
  ])('may be a part of one: %s', (password) => {
    expect(refusalOf(password, ada)).toBeNull()
  })

  it('is of this user only', () => {
    expect(refusalOf('lovelace1815', ['bob@example.com', 'Bob'])).toBeNull()
  })

  it('may be nothing', () => {
    for (const about of [[''], [' @ '], ['', '...']]) expect(refusalOf('--------', about)).toBeNull()
    expect(refusalOf('92837465', ['', ''])).toBeNull()
  })
})

describe('the address of the service', () => {
  it.each(['login.acme-works.example', 'AcmeWorks', 'acme_works2026', 'acme-works!'])(
    'is no password: %s',
    (password) => {
      expect(refusalOf(password)).toBe('PASSWORD_TOO_COMMON')
      expect(refusalOf(password, [], { ...rules, BASE_URL: new URL('http://localhost:4100') })).toBeNull()
    },
  )

  it.each(['acme-works-hard', 'works-for-acme', 'login to acme'])('may be a part of one: %s', (password) => {
    expect(refusalOf(password)).toBeNull()
  })
})

it('takes passphrases of any script, with spaces and emoji, without a rule of what they must hold', () => {
  const refused = fc.sample(passphrase, 500).filter((password) => refusalOf(password, ['ann@example.com', 'Ann']))
  expect(refused).toEqual([])
})
