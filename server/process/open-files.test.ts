import { expect, it } from 'vitest'
import { mostSockets } from './open-files.ts'

it.each([
  ['the usual limit', 1024, 10, 804],
  ['a low one, of which three quarters are kept', 64, 10, 16],
  ['one that is below the pool', 20, 1000, 5],
  ['none', Infinity, 10, Infinity],
])('sockets leave room for what else is open: %s', (_name, limit, connections, most) => {
  expect(mostSockets({ DATABASE_POOL: connections }, limit)).toBe(most)
})

it('the limit of this process is known on Linux', () => {
  expect(mostSockets({ DATABASE_POOL: 10 }) < Infinity).toBe(process.platform === 'linux')
})
