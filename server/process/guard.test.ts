import { syncBuiltinESMExports } from 'node:module'
import v8 from 'node:v8'
import { afterEach, expect, it, vi } from 'vitest'
import { keepWarm } from './guard.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  syncBuiltinESMExports()
})

it('lets V8 optimize at once, drop the code of the start, and keep what comes later', async () => {
  const set = vi.spyOn(v8, 'setFlagsFromString').mockImplementation(() => undefined)
  syncBuiltinESMExports()
  vi.useFakeTimers()
  keepWarm()
  await vi.advanceTimersByTimeAsync(59_000)
  expect(set).toHaveBeenCalledExactlyOnceWith('--opt')
  await vi.advanceTimersByTimeAsync(1000)
  expect(set.mock.calls.flat()).toEqual(['--opt', '--no-flush-bytecode'])
})
