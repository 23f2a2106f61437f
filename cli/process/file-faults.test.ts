import { expect, test } from 'vitest'
import { whyUnreadable } from './file-faults.ts'

test('a file that cannot be read always has a reason', () => {
  const withCode = (code: string) => Object.assign(new Error('no'), { code })
  expect(whyUnreadable(withCode('ENOENT'))).toBe('there is no such file')
  expect(whyUnreadable(withCode('EMFILE'))).toBe('EMFILE')
  expect(whyUnreadable(new RangeError('too long'))).toBe('too long')
})
