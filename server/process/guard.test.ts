import { syncBuiltinESMExports } from 'node:module'
import v8 from 'node:v8'
import { afterEach, expect, it, vi } from 'vitest'
import { prepareProcess } from './guard.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  syncBuiltinESMExports()
})

it('lets V8 drop the code of the start, and keeps what comes later', async () => {
  const set = vi.spyOn(v8, 'setFlagsFromString').mockImplementation(() => undefined)
  syncBuiltinESMExports()
  vi.useFakeTimers()
  prepareProcess()
  await vi.advanceTimersByTimeAsync(59_000)
  expect(set).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(1000)
  expect(set).toHaveBeenCalledExactlyOnceWith('--no-flush-bytecode')
})
