import { syncBuiltinESMExports } from 'node:module'
import v8 from 'node:v8'
import { afterEach, expect, it, vi } from 'vitest'
import { keepWarm } from './guard.ts'

afterEach(() => {
  vi.restoreAllMocks()
  syncBuiltinESMExports()
})

it('lets V8 optimize, and keep what it compiled', () => {
  const set = vi.spyOn(v8, 'setFlagsFromString').mockImplementation(() => undefined)
  syncBuiltinESMExports()
  keepWarm()
  expect(set.mock.calls.flat()).toEqual(['--opt', '--no-flush-bytecode'])
})
