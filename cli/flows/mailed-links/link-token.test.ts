import { describe, expect, it } from 'vitest'
import { claimsOf, type LinkPurpose, tokenFrom } from './link-token.ts'

const base = 'https://id.example.com/api/auth'
const jwtOf = (claims: object) =>
  ['{"alg":"HS256"}', JSON.stringify(claims), 'signature']
    .map((part) => Buffer.from(part).toString('base64url'))
    .join('.')
const jwt = jwtOf({ email: 'alice@example.com' })
const opaque = 'Wm3nTq8Rk2Vx7Lp5Yb9Hd4Fs'

describe('the token of a mail', () => {
  it.each<[LinkPurpose, string, string]>([
    ['verify', jwt, jwt],
    ['verify', `${base}/verify-email?token=${jwt}&callbackURL=%2F`, jwt],
    ['verify', `${base}/verify-email?utm=mail&callbackURL=https%3A%2F%2Fapp.example.com&token=${jwt}#top`, jwt],
    ['verify', `HTTPS://ID.EXAMPLE.COM:443/api/auth/verify-email?token=${jwt}`, jwt],
    ['verify', `${base}/verify-email?token=${jwt.replaceAll('.', '%2E')}`, jwt],
    ['verify', `\n  <${base}/verify-email?token=${jwt}>\r\n`, jwt],
    ['verify', `${base}/verify-email?token=${jwt.slice(0, 30)}\r\n${jwt.slice(30)}`, jwt],
    ['verify', `${base}/verify-email?token=${jwt.slice(0, 30)}\n    ${jwt.slice(30)}`, jwt],
    ['reset', opaque, opaque],
    ['reset', `<${opaque}>\n`, opaque],
    ['reset', `${base}/reset-password/${opaque}?callbackURL=https%3A%2F%2Fapp.example.com`, opaque],
    ['reset', `${base}/reset-password/%57${opaque.slice(1)}`, opaque],
    ['reset', `${base}/page/reset-password?token=${opaque}`, opaque],
    ['delete', `${base}/delete-user/callback?token=${opaque}&callbackURL=x`, opaque],
  ])('for %s is found in %s', (purpose, text, token) => {
    expect(tokenFrom(text, purpose, base)).toBe(token)
  })

  it.each([
    ['another host', `https://evil.example.com/api/auth/verify-email?token=${jwt}`],
    ['a user that looks like the host', `https://id.example.com@evil.example.com/api/auth/verify-email?token=${jwt}`],
    ['clear text', `http://id.example.com/api/auth/verify-email?token=${jwt}`],
    ['another port', `https://id.example.com:8443/api/auth/verify-email?token=${jwt}`],
    ['another base path', `https://id.example.com/other/verify-email?token=${jwt}`],
    ['a longer base path', `https://id.example.com/api/auth2/verify-email?token=${jwt}`],
  ])('is not taken from %s', (_, link) => {
    expect(() => tokenFrom(link, 'verify', base)).toThrow(/^This link is of another service/)
  })

  it.each<[LinkPurpose, string, string]>([
    ['verify', `${base}/reset-password/${opaque}`, 'postern account password reset LINK'],
    ['reset', `${base}/delete-user/callback?token=${opaque}`, 'postern account delete --token-file -'],
    ['delete', `${base}/verify-email?token=${jwt}`, 'postern account email verify LINK'],
  ])('for %s is not that of %s, whose command is named', (purpose, link, hint) => {
    expect(errorOf(() => tokenFrom(link, purpose, base))).toMatchObject({ exitCode: 2, hint })
  })

  it.each([
    [''],
    ['yes'],
    ['two words that are long enough'],
    [`${opaque}/../../ok`],
    [`${base}/verify-email`],
    [`${base}/verify-email?token=`],
    [`${base}/verify-email?token=a%20b%20c%20d%20e%20f%20g%20h`],
    [`${base}/reset-password/%E0%A4%A`],
    [`${base}/get-session`],
    ['mailto:alice@example.com'],
    ['https://'],
    ['x'.repeat(5000)],
  ])('is not in %j', (text) => {
    const purpose = text.includes('reset') ? 'reset' : 'verify'
    expect(errorOf(() => tokenFrom(text, purpose, base))).toMatchObject({ exitCode: 2 })
  })

  it('is never repeated in a disabledReason', () => {
    for (const link of [`https://evil.example.com/x?token=${opaque}`, `${base}/x?token=${opaque}`, `${opaque}!`]) {
      const error = errorOf(() => tokenFrom(link, 'verify', base))
      expect(error).toMatchObject({ exitCode: 2 })
      expect(JSON.stringify(error)).not.toContain(opaque)
    }
  })
})

describe('what a verification token says', () => {
  it('is the address, and whether another takes its place', () => {
    expect(claimsOf(jwt)).toEqual({ email: 'alice@example.com', isChange: false })
    expect(claimsOf(jwtOf({ email: 'a@b.co', updateTo: 'c@d.co' }))).toEqual({ email: 'a@b.co', isChange: true })
  })

  it.each([[opaque], ['a.b.c'], [jwtOf({})], [jwtOf({ email: '../../etc' })], [jwtOf([])]])(
    'is nothing in %s',
    (token) => {
      expect(() => claimsOf(token)).toThrow('This is not the token of a mail that verifies an address')
    },
  )
})

function errorOf(action: () => unknown): object {
  try {
    return { answered: action() }
  } catch (error) {
    const { message, ...rest } = error as Error
    return { message, ...rest }
  }
}
