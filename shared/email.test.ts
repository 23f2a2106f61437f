import { describe, expect, it } from 'vitest'
import { canonicalEmail, isEmail } from './email.ts'

describe('isEmail', () => {
  it.each(['a@b.co', "o'neil+tag_1@sub-domain.example.com", 'A.B-c@Example.ORG', '1@2.org'])('accepts %s', (text) => {
    expect(isEmail(text)).toBe(true)
  })

  it.each([
    ['nothing', ''],
    ['no at', 'a.example.com'],
    ['no local part', '@example.com'],
    ['a leading dot', '.a@example.com'],
    ['a dot before the at', 'a.@example.com'],
    ['a quote before the at', "a'@example.com"],
    ['two dots', 'a..b@example.com'],
    ['a second at', 'a@b@example.com'],
    ['a list', 'a@example.com,b@example.com'],
    ['quotes', '"a b"@example.com'],
    ['a comment', 'a(x)@example.com'],
    ['angle brackets', '<a@example.com>'],
    ['a line break', 'a@example.com\r\nBcc: b@example.com'],
    ['a trailing line break', 'a@example.com\n'],
    ['no top-level domain', 'a@example'],
    ['a short top-level domain', 'a@example.c'],
    ['digits as top-level domain', 'a@127.0.0.1'],
    ['a trailing dot', 'a@example.com.'],
    ['a label that starts with a hyphen', 'a@-example.com'],
    ['a full-width at', 'a\uff20example.com'],
    ['a small at', 'a\ufe6bexample.com'],
    ['a zero-width space', 'a\u200b@example.com'],
    ['a dotless i', 'b\u0131ll@example.com'],
    ['a sharp s in the domain', 'a@stra\u00dfe.de'],
    ['an address that NFKC would make longer', 'a@example.com,\ufb01@b.co'],
    ['a soft hyphen', 'a\u00ad@example.com'],
    ['a Kelvin sign', '\u212aate@example.com'],
    ['a Cyrillic letter', '\u0430nn@example.com'],
    ['more than SMTP carries', `${'a'.repeat(244)}@example.com`],
  ])('refuses %s', (_name, text) => {
    expect(isEmail(text)).toBe(false)
  })

  it('stays linear on a hostile local part', () => {
    expect(isEmail(`${'a.'.repeat(100)}!@example.com`)).toBe(false)
  })
})

it('stores lower case', () => {
  expect(canonicalEmail('Ann@Ex.COM')).toBe('ann@ex.com')
})
