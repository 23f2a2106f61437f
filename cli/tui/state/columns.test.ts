import { describe, expect, test } from 'vitest'
import { searchedText } from '../search/fuzzy.ts'
import { rankRows } from '../search/ranking.ts'
import { type Column, matchesFields, parseFilter, sortedBy } from './columns.ts'

interface Person {
  readonly name: string
  readonly role: string
  readonly since: Date
}

const person = (name: string, role: string, day: number): Person => ({
  name,
  role,
  since: new Date(Date.UTC(2026, 0, day)),
})
const people = [person('Ada 10', 'owner, admin', 3), person('ada 9', 'member', 1), person('Bob', 'admin', 2)]
const columns: readonly Column<Person>[] = [
  { title: 'Name', value: ({ name }) => name },
  { title: 'Roles', value: ({ role }) => role },
  { title: 'Since', value: ({ since }) => since },
]
const names = (list: readonly Person[]) => list.map(({ name }) => name)
const found = (text: string) => {
  const filter = parseFilter(text, columns)
  const kept = people.filter((one) => matchesFields(one, filter, columns))
  return names(rankRows(kept, (one) => searchedText(`${one.name} ${one.role}`), filter.phrase))
}

describe('a filter', () => {
  test.each([
    ['ADA', ['Ada 10', 'ada 9']],
    ['role:admin', ['Ada 10', 'Bob']],
    ['role:admin ada', ['Ada 10']],
    ['ada ro:admin', ['Ada 10']],
    ['since:2026-01-01', ['ada 9']],
    ['name:b roles:admin', ['Bob']],
    ['ada 1', ['Ada 10']],
    // No column has this name, so it is plain text.
    ['r:admin', []],
    ['shoe:43', []],
    ['role:', ['Ada 10', 'ada 9', 'Bob']],
  ])('of %j leaves %j', (text, left) => expect(found(text)).toEqual(left))
})

test('columns sort numbers in names as numbers, times as times, and turn', () => {
  const sorted = (column: number, isDown = false) => names(sortedBy(people, columns[column] as Column<Person>, isDown))
  expect(sorted(0)).toEqual(['ada 9', 'Ada 10', 'Bob'])
  expect(sorted(2)).toEqual(['ada 9', 'Bob', 'Ada 10'])
  expect(sorted(2, true)).toEqual(['Ada 10', 'Bob', 'ada 9'])
})
