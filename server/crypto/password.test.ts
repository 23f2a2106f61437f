import { describe, expect, it } from 'vitest'
import { parseConfig } from '../config.ts'
import { hashLimitsOf, usualHashQueue } from './hash-queue.ts'
import { createPasswords } from './password.ts'

const cost = { memory: 19_456, passes: 2, lanes: 1 }
const phc = '$argon2id$v=19$m=19456,t=2,p=1$MDEyMzQ1Njc4OTAxMjM0NQ$MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE'

describe('passwords', () => {
  it('make another hash each time, and verify their own', async () => {
    const passwords = createPasswords(cost)
    const [one, two] = await Promise.all([passwords.hash('secret words'), passwords.hash('secret words')])
    expect(one).not.toBe(two)
    expect(await Promise.all([passwords.verify(one, 'secret words'), passwords.verify(one, 'Secret words')])).toEqual([
      true,
      false,
    ])
  })

  it('see one password in its composed and its decomposed spelling', async () => {
    const passwords = createPasswords(cost)
    const stored = await passwords.hash('\u212b caf\u00e9 \ufb03')
    expect(await passwords.verify(stored, '\u00c5 cafe\u0301 ffi')).toBe(true)
  })

  it('look at every character of a long password', async () => {
    const passwords = createPasswords(cost)
    const stored = await passwords.hash(`${'x'.repeat(127)}y`)
    expect(await passwords.verify(stored, `${'x'.repeat(127)}z`)).toBe(false)
    expect(await passwords.verify(stored, 'x'.repeat(72))).toBe(false)
  })

  it.each([
    ['nothing stored', null],
    ['a damaged hash', phc.slice(0, -1)],
    ['a hash that asks for too much memory', phc.replace('m=19456', 'm=131073')],
    ['a hash that asks for too many passes', phc.replace('t=2', 't=11')],
    ['a hash that asks for too many lanes', phc.replace('p=1', 'p=5')],
    ['a hash that asks for less than lanes need', phc.replace('m=19456', 'm=7')],
    ['a number that overflows', phc.replace('m=19456', 'm=99999999999999999999')],
    ['another kind of hash', phc.replace('argon2id', 'argon2x')],
    ['the password itself', 'secret words'],
    ['nothing at all', ''],
  ])('spend one hash on %s, are never matched, and report what is damaged', async (_name, stored) => {
    let reports = 0
    const onUnusable = () => {
      reports += 1
    }
    const passwords = createPasswords(cost, { onUnusable })
    expect(await passwords.verify(stored, 'secret words')).toBe(false)
    expect([passwords.computed, reports]).toEqual([1, stored === null ? 0 : 1])
  })

  it('spend one hash on a wrong password, as on nothing stored', async () => {
    const passwords = createPasswords(cost)
    const stored = await passwords.hash('secret words')
    const before = passwords.computed
    expect(await passwords.verify(stored, 'Secret words')).toBe(false)
    expect(passwords.computed - before).toBe(1)
  })

  it('take a hash of the highest cost that is still allowed', async () => {
    const dear = createPasswords({ memory: 131_072, passes: 2, lanes: 4 })
    const stored = await dear.hash('secret words')
    expect(await createPasswords(cost).verify(stored, 'secret words')).toBe(true)
  })

  it('are computed two at once, while 64 wait and the rest is refused, where two cores allow that', async () => {
    const passwords = createPasswords(
      { memory: 1024, passes: 1, lanes: 1 },
      { limits: hashLimitsOf(usualHashQueue, 1, 2) },
    )
    const asked = Promise.allSettled(Array.from({ length: 80 }, () => passwords.hash('secret words')))
    // Runs after every pending callback, and before any hash can finish.
    await new Promise((resolve) => process.nextTick(resolve))
    expect(passwords.computed).toBe(2)
    const settled = await asked
    expect(settled.map(({ status }) => status)).toEqual([
      ...Array.from({ length: 66 }, () => 'fulfilled'),
      ...Array.from({ length: 14 }, () => 'rejected'),
    ])
  })

  it.each([
    ['ARGON2_MEMORY', '19455'],
    ['ARGON2_PASSES', '1'],
    ['ARGON2_LANES', '0'],
  ])('cannot be made cheaper than the floor: %s=%s', (key, value) => {
    expect(() => parseConfig({ [key]: value })).toThrow(key)
  })

  it('know a hash made at another cost', async () => {
    const stored = await createPasswords(cost).hash('secret words')
    expect(createPasswords(cost).isOutdated(stored)).toBe(false)
    expect(createPasswords({ ...cost, passes: 3 }).isOutdated(stored)).toBe(true)
    expect(createPasswords({ ...cost, memory: 20_000 }).isOutdated(stored)).toBe(true)
    expect(createPasswords({ ...cost, lanes: 2 }).isOutdated(stored)).toBe(true)
  })
})
