import { describe, expect, it } from 'vitest'
import { checkedRow, checkedRows, type RowKey } from './checked-row.ts'
import type { Sql } from './connect.ts'

const key = Buffer.from('of mine')
const mine = { asked: key as RowKey, n: 1 }

const sql = { distrust: () => new Error('distrusted') } as unknown as Sql

/** Reads rows as if they were an answer. Returns whether the pool was distrusted. */
const take =
  (rows: readonly unknown[], asked: RowKey = key) =>
  () =>
    checkedRow(sql, rows as (typeof mine)[], asked)

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

const [ann, bo, cy] = ['ann', 'bo', 'cy'].map((asked, n) => ({ asked, n }))
const takeAll =
  (...rows: unknown[]) =>
  () =>
    checkedRows(sql, rows as { asked: string; n: number }[], new Set(['ann', 'bo']))

describe('the rows of an answer to several keys', () => {
  it('are those that repeat them, in whatever order', () => {
    expect([...takeAll(bo, ann)().entries()]).toEqual([
      ['bo', bo],
      ['ann', ann],
    ])
  })

  it.each([
    ['no rows', []],
    ['a row too few', [ann]],
    ['a row too many', [ann, bo, cy]],
    ["somebody else's in place of one", [ann, cy]],
    ['one of them twice', [ann, bo, bo]],
    ['one of them twice, in place of another', [ann, ann]],
    ['a hole', [ann, undefined]],
    ['a row of another statement', [ann, { id: 'x' }]],
    ['a row without the key', [ann, { asked: null }]],
  ])('are not found in an answer with %s: the pool is distrusted', (_what, rows) => {
    expect(takeAll(...rows)).toThrow('distrusted')
  })
})
