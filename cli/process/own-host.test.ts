import { expect, it } from 'vitest'
import { createInterruption } from './own-host.ts'

it.each([
  ['SIGINT', 'signal', 'Interrupted'],
  ['SIGTERM', 'heedTermination', 'Terminated'],
] as const)('%s is handled once it is waited for, and only the first', (name, wait, message) => {
  const before = process.listenerCount(name)
  const interruption = createInterruption()
  expect(process.listenerCount(name)).toBe(before)
  for (const _ of [1, 2]) interruption[wait]()
  const [handle, ...others] = process.rawListeners(name).slice(before)
  expect(others).toEqual([])
  handle?.()
  expect(interruption.signal().reason).toMatchObject({ message })
  // A second one meets no handler, so the system ends the process.
  expect(process.listenerCount(name)).toBe(before)
})
