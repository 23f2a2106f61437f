import { expect, test } from 'vitest'
import { whyUnreadable, whyUnwritable } from './file-faults.ts'

const withCode = (code: string) => Object.assign(new Error('no'), { code })

test.each([
  ['ENOENT', 'there is no such file'],
  ['EISDIR', 'it is a folder'],
  ['EACCES', 'you may not read it'],
  ['EMFILE', 'EMFILE'],
])('a file that cannot be read for %s: %s', (code, reason) => {
  expect(whyUnreadable(withCode(code))).toBe(reason)
})

test('a fault without a code is told by its message', () => {
  expect(whyUnreadable(new RangeError('too long'))).toBe('too long')
})

test.each([
  ['ENOSPC', 'the disk is full'],
  ['EROFS', 'the file system is read-only'],
  ['ENOENT', 'there is no such folder'],
  ['EACCES', 'you may not write there'],
  ['EMFILE', 'EMFILE'],
])('a file that cannot be written for %s: %s', (code, reason) => {
  expect(whyUnwritable(withCode(code))).toBe(reason)
})
