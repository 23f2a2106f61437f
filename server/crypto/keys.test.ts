import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createKeys } from './keys.ts'
import { keyLabelOf, type Sealer } from './sealer.ts'

const [older, newer, other] = ['a', 'b', 'c'].map((letter) => `${letter}-secret-of-thirty-two-characters`) as [
  string,
  string,
  string,
]
const purposes = ['cookie', 'cache', 'device', 'limit', 'claim'] as const

const opens = (sealer: Sealer, sealed: Buffer): boolean => {
  try {
    return sealer.open(sealed, 'id') === 'text'
  } catch {
    return false
  }
}

describe('keys', () => {
  it.each(purposes)('of purpose %s verify nothing that was made for another, or for another text', (purpose) => {
    const keys = createKeys([older])
    const mac = keys[purpose].sign('text')
    const verifying = purposes.filter((each) => keys[each].verifies('text', mac))
    expect(verifying).toEqual([purpose])
    expect(keys[purpose].verifies('texts', mac)).toBe(false)
    expect(keys[purpose].verifies('text', mac.subarray(1))).toBe(false)
    expect(keys[purpose].verifies('text', Buffer.alloc(0))).toBe(false)
  })

  it('have a key of their own for each purpose', () => {
    const { mail, ...keys } = createKeys([older])
    const { cookie, cache, device, limit, claim, userCode, providerTokens, jwt, webhook } = keys
    const labels = [
      ...[cookie, cache, device, limit, claim, userCode].map(({ label }) => label),
      ...[providerTokens, jwt, webhook].map((sealer) => sealer.seal('text', 'id').subarray(0, 4)),
      ...mail.map(keyLabelOf),
    ]
    expect(new Set(labels.map((label) => label.toString('hex'))).size).toBe(10)
    const { outbox, state, signUp, position } = keys
    const plain = [outbox, state, signUp, position]
    const opening = plain.map((one) => plain.filter((other) => opens(other, one.seal('text', 'id'))))
    expect(opening).toEqual(plain.map((one) => [one]))
  })

  it('are not the secret itself', async () => {
    const { createHmac } = await import('node:crypto')
    const raw = createHmac('sha256', older).update('text').digest()
    const keys = createKeys([older])
    expect(purposes.filter((purpose) => keys[purpose].verifies('text', keys[purpose].sign('text')))).toEqual(purposes)
    expect(purposes.filter((purpose) => keys[purpose].verifies('text', raw))).toEqual([])
  })

  it('sign with the newest secret and verify with all, until one is dropped', () => {
    const [before, during, after] = [createKeys([older]), createKeys([newer, older]), createKeys([newer])]
    const old = before.cookie.sign('text')
    expect(during.cookie.verifies('text', old)).toBe(true)
    expect(after.cookie.verifies('text', old)).toBe(false)
    expect(during.cookie.sign('text')).toEqual(after.cookie.sign('text'))
    expect(createKeys([other]).cookie.verifies('text', old)).toBe(false)
  })

  it('know what an older secret signed', () => {
    const { cookie } = createKeys([newer, older, other])
    const signed = [newer, older, other].map((secret) => createKeys([secret]).cookie.sign('text'))
    expect(signed.map((mac) => cookie.isOutdated('text', mac))).toEqual([false, true, true])
    expect(cookie.isOutdated('text', Buffer.alloc(32))).toBe(false)
    expect([cookie.isRotating, createKeys([newer]).cookie.isRotating]).toEqual([true, false])
  })

  it('know what an older secret sealed, which is nothing that none of them opens', () => {
    const { jwt } = createKeys([newer, older])
    const sealed = [newer, older, other].map((secret) => createKeys([secret]).jwt.seal('text', 'id'))
    const isLabelled = (bytes: Buffer) => jwt.olderLabels.some((label) => label.equals(bytes.subarray(0, label.length)))
    expect(sealed.map((bytes) => jwt.isOutdated(bytes))).toEqual([false, true, false])
    expect(sealed.map(isLabelled)).toEqual([false, true, false])
    expect(sealed.map((bytes) => opens(jwt, bytes))).toEqual([true, true, false])
  })

  it('sign and seal here alone: whoever adds a place shows that nobody else chooses the text and gets it back', () => {
    const server = new URL('..', import.meta.url)
    const files = readdirSync(server, { recursive: true, encoding: 'utf8' }).filter(
      (file) => /\.tsx?$/.test(file) && !/\.test\.|testing|bench|node_modules/.test(file),
    )
    const signing = files.filter((file) => /\.(?:sign|seal)\(/.test(readFileSync(new URL(file, server), 'utf8')))
    expect(signing.toSorted()).toEqual([
      'backup/frames.ts',
      'crypto/known-device.ts',
      'crypto/link-token.ts',
      'crypto/sealer.ts',
      'domain/account/unverified.ts',
      // The random text of a page, behind its code: whoever knows both may have the binding.
      'domain/device/browser-binding.ts',
      // The secret of a binding, for the browser that has it.
      'domain/device/decide.ts',
      'domain/device/user-code.ts',
      'domain/invitation/invite-member.ts',
      'domain/limits.ts',
      'domain/mails.ts',
      'domain/session/cookie-cache.ts',
      'domain/social/begin-social-flow.ts',
      'domain/social/seal-tokens.ts',
      'domain/token/add-due-key.ts',
      'domain/token/key-ring.ts',
      // Secrets of webhooks, which the service makes itself.
      'domain/webhook/change.ts',
      'domain/webhook/webhooks.ts',
      'http/cookies.ts',
      'mail/outbox.ts',
      // Signs for Apple, with the key that Apple issued.
      'providers/apple.ts',
      'webhooks/reseal.ts',
    ])
  })

  it.each([
    ['outbox', 0],
    // After the label of its key.
    ['jwt', 4],
  ] as const)('of purpose %s seal no two texts with one nonce, not even after a restart', (purpose, start) => {
    const starts = [createKeys([older]), createKeys([older])]
    const sealed = Array.from({ length: 10_000 }, (_, index) => starts[index % 2]![purpose].seal('text', 'id'))
    expect(new Set(sealed.map((bytes) => bytes.toString('hex', start, start + 12))).size).toBe(10_000)
  })

  it('need a secret', () => {
    expect(() => createKeys([])).toThrow('at least one secret')
  })
})
