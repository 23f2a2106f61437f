import { expect, test } from 'vitest'
import { ranked } from './ranking.ts'

const things = [
  { label: 'delete account', names: ['D', 'remove'], destroys: true },
  { label: 'sign out', names: ['x'] },
  { label: 'switch account', names: ['a'] },
  { label: 'Home', names: ['1'] },
  { label: 'Accounts', names: ['2'] },
  { label: 'Requests', names: ['7'] },
  { label: 'Quit', names: ['q', 'exit'] },
  { label: 'Acme', names: ['acme-corp'] },
  { label: 'Ada Lovelace', names: ['ada@example.com'] },
  { label: 'Übung', names: ['uebung'] },
]

test.each([
  ['acc', ['Accounts', 'switch account', 'delete account']],
  ['account', ['Accounts', 'switch account', 'delete account']],
  ['q', ['Quit', 'Requests']],
  ['Q', ['Quit', 'Requests']],
  ['a', ['switch account', 'Accounts', 'Acme', 'Ada Lovelace', 'delete account']],
  ['7', ['Requests']],
  ['acme', ['Acme']],
  ['corp', ['Acme']],
  ['lovelace', ['Ada Lovelace']],
  ['ada@', ['Ada Lovelace']],
  ['übung', ['Übung']],
  ['ÜB', ['Übung']],
  ['remove', ['delete account']],
  ['D', ['Ada Lovelace', 'delete account']],
  ['  home ', ['Home']],
  ['nothing of that', []],
  ['.*', []],
])('%j finds %j', (typed, labels) => expect(ranked(things, typed).map(({ label }) => label)).toEqual(labels))

test('without anything typed all are there as they were, what destroys last', () => {
  const labels = ranked(things, '').map(({ label }) => label)
  expect(labels).toEqual([...things.slice(1), ...things.slice(0, 1)].map(({ label }) => label))
})
