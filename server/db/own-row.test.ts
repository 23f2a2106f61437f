import { describe, expect, it } from 'vitest'
import type { Sql } from './connect.ts'
import { type Key, ownRow } from './own-row.ts'

const key = Buffer.from('of mine')
const mine = { asked: key as Key, n: 1 }

/** Takes an answer apart as if it had come; tells whether the pool was distrusted. */
function take(rows: readonly unknown[], asked: Key = key) {
  const sql = { distrust: () => new Error('distrusted') } as unknown as Sql
  return () => ownRow(sql, rows as (typeof mine)[], asked)
}

describe('the row of an answer', () => {
  it('is the one that repeats what was asked for', () => {
    expect(take([mine])()).toBe(mine)
    expect(take([{ asked: 'ann', n: 2 }], 'ann')()).toEqual({ asked: 'ann', n: 2 })
  })

  const holes: unknown[] = []
  holes[1] = mine
  it.each([
    ['no row', []],
    ['a hole', holes],
    ['a hole alone', [undefined]],
    ['two rows', [mine, mine]],
    ["somebody else's row", [{ asked: Buffer.from('of yours'), n: 2 }]],
    ['a row of another statement', [{ id: 'x' }]],
    ['a row whose key is text', [{ asked: 'of mine' }]],
    ['a row without the key', [{ asked: null }]],
  ])('is not found in %s: the pool is distrusted', (_what, rows) => {
    expect(take(rows)).toThrow('distrusted')
  })
})
