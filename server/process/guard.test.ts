import { syncBuiltinESMExports } from 'node:module'
import v8 from 'node:v8'
import { afterEach, expect, it, vi } from 'vitest'
import { tuneEngine } from './guard.ts'

afterEach(() => {
  vi.restoreAllMocks()
  syncBuiltinESMExports()
})

it('lets V8 optimize a little at a time, keep what it compiled, and collect often', () => {
  const set = vi.spyOn(v8, 'setFlagsFromString').mockImplementation(() => undefined)
  syncBuiltinESMExports()
  tuneEngine()
  expect(set.mock.calls.flat()).toEqual([
    '--opt',
    '--no-flush-bytecode',
    '--max-inlined-bytecode-size-cumulative=300',
    '--max-inlined-bytecode-size=230',
    '--heap-growing-percent=50',
  ])
})
