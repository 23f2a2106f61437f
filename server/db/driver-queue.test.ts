import { expect, it } from 'vitest'

interface Queue {
  readonly length: number
  push(entry: number): void
  shift(): number | undefined
  remove(entry: number): number | null
}

/** Lists that remember how long they became. */
class Watched extends Array<number> {
  static longest = 0

  override push(...entries: number[]): number {
    const length = super.push(...entries)
    Watched.longest = Math.max(Watched.longest, length)
    return length
  }
}

it('holds no more than what waits in it, though it never runs empty', async () => {
  const path = '../../node_modules/postgres/src/queue.js'
  const { default: open } = (await import(path)) as { default: (initial: number[]) => Queue }
  const queue = open(Watched.from([0, 1, 2]))
  for (let n = 3; n < 1000; n += 1) {
    queue.push(n)
    expect([queue.shift(), queue.length]).toEqual([n - 3, 3])
  }
  expect([queue.remove(996), queue.remove(998), queue.length]).toEqual([null, 998, 2])
  expect([queue.shift(), queue.shift(), queue.shift(), queue.length]).toEqual([997, 999, undefined, 0])
  expect(Watched.longest).toBeLessThan(10)
})
