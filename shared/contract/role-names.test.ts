import fc from 'fast-check'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { roleInput, roleNames } from '../entities.ts'

it('reads the text of an answer into names, trimmed and each once', () => {
  expect(z.decode(roleNames, ' owner ,admin,,owner')).toEqual(['owner', 'admin'])
  expect(z.decode(roleNames, '')).toEqual([])
})

it('answers with the text that was there before', () => {
  const name = fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/)
  fc.assert(
    fc.property(fc.uniqueArray(name), (names) => {
      const text = z.encode(roleNames, names)
      expect(text).toBe(names.join(','))
      expect(z.decode(roleNames, text)).toEqual(names)
    }),
  )
})

it.each<[string | string[], string[]]>([
  ['owner', ['owner']],
  [' member , owner', ['member', 'owner']],
  [
    ['member', 'admin,owner', 'member'],
    ['member', 'admin', 'owner'],
  ],
  ['', ['']],
  ['member,', ['member', '']],
  [[], []],
  [
    ['member', ''],
    ['member', ''],
  ],
])('takes %j as %j: what is no role is not passed over', (given, names) => {
  expect(z.decode(roleInput, given)).toEqual(names)
})
