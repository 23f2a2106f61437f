import { expect, it } from 'vitest'
import { groupsOf } from './groups.ts'
import type { PreparedRecord } from './prepare-record.ts'

const record = (type: PreparedRecord['type'], id: string, line: number): PreparedRecord => ({
  type,
  row: { line, id, given: [], values: {} },
  altered: [],
})
const told = (records: readonly PreparedRecord[]) =>
  groupsOf(records).map(({ type, rows }) => [type, rows.map(({ line }) => line)])

it('rows of one id come one after the other, in the order of the source', () => {
  const records = [
    record('account', 'a', 1),
    record('user', 'x', 2),
    record('user', 'y', 3),
    record('user', 'x', 4),
    record('user', 'x', 5),
  ]
  expect(told(records)).toEqual([
    ['user', [2, 3]],
    ['user', [4]],
    ['user', [5]],
    ['account', [1]],
  ])
})

it('an id may come as often as a batch has records', () => {
  const records = Array.from({ length: 30_000 }, (_, line) => record('user', 'x', line))
  expect(told(records)).toHaveLength(30_000)
})
