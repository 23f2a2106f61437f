import { expect, test } from 'vitest'
import { pause } from './waiting.ts'

test('a pause that nobody waits for any more ends at once, with the reason', async () => {
  const leaving = new AbortController()
  const reason = new Error('left')
  const pausing = pause(3_600_000, leaving.signal)
  leaving.abort(reason)
  await expect(pausing).rejects.toBe(reason)
  await expect(pause(0, leaving.signal)).rejects.toBe(reason)
  await expect(pause(0, new AbortController().signal)).resolves.toBeUndefined()
})
