import { crc32 } from 'node:zlib'
import { expect, it } from 'vitest'
import { isMachineKey } from '../../shared/key-text.ts'
import { createMachineKey, keyHintOf } from './token.ts'

it('is known by its prefix and its checksum', () => {
  const keys = Array.from({ length: 1000 }, createMachineKey)
  for (const key of keys) {
    expect(key).toMatch(/^pst_[A-Za-z0-9]{49}$/)
    expect(isMachineKey(key)).toBe(true)
    expect(keyHintOf(key)).toBe(key.slice(49))
  }
  expect(new Set(keys).size).toBe(1000)
})

it('is no key with any other letter in it, cut, longer, or in another case', () => {
  const key = createMachineKey()
  for (let place = 0; place < key.length; place += 1) {
    const other = key[place] === 'x' ? 'y' : 'x'
    expect(isMachineKey(key.slice(0, place) + other + key.slice(place + 1))).toBe(false)
  }
  for (const text of ['', 'pst_', key.slice(1), key.slice(0, -1), `${key}x`, ` ${key}`, `${key}\n`, key.toUpperCase()])
    expect(isMachineKey(text)).toBe(false)
})

it('has a checksum that others can compute: CRC-32 in base 62, six digits', () => {
  const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
  const key = createMachineKey()
  const value = key
    .slice(47)
    .split('')
    .reduce((sum, digit) => sum * 62 + digits.indexOf(digit), 0)
  expect(value).toBe(crc32(key.slice(4, 47)))
})
