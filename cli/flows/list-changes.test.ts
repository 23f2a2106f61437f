import { expect, it } from 'vitest'
import { changesBetween, itemsByKey } from './list-changes.ts'

const [ann, bob, eve] = [
  { id: 'a', name: 'Ann' },
  { id: 'b', name: 'Bob' },
  { id: 'e', name: 'Eve' },
]

it('tells what was removed, added and changed, and nothing about the rest or the order', () => {
  const before = itemsByKey([ann, bob])
  expect(changesBetween(before, itemsByKey([bob, ann]))).toEqual([])
  expect(changesBetween(before, itemsByKey([eve, { ...bob, name: 'Robert' }]))).toEqual([
    { change: 'removed', item: ann },
    { change: 'added', item: eve },
    { change: 'changed', item: { id: 'b', name: 'Robert' } },
  ])
})

it('knows an item by the field that names it in its list', () => {
  const roles = itemsByKey([{ role: 'owner', level: 1 }], 'role')
  expect(changesBetween(roles, itemsByKey([{ role: 'owner', level: 2 }], 'role'))).toEqual([
    { change: 'changed', item: { role: 'owner', level: 2 } },
  ])
})
