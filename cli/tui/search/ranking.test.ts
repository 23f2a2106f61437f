import { expect, test } from 'vitest'
import { searchedText } from './fuzzy.ts'
import { rankMatches, rankRows } from './ranking.ts'

const things = [
  { label: 'delete account', names: ['D', 'remove'], destroys: true },
  { label: 'sign out', names: ['x'] },
  { label: 'invite', names: ['c', 'create'], disabledReason: 'your role lacks it' },
  { label: 'Invitations' },
  { label: 'switch account', names: ['a'] },
  { label: 'Home', names: ['1'] },
  { label: 'Accounts', names: ['2'] },
  { label: 'Requests', names: ['7'] },
  { label: 'Quit', names: ['q', 'exit'] },
  { label: 'Go for it' },
  { label: 'Acme', names: ['acme-corp'] },
  { label: 'Ada Lovelace', names: ['ada@example.com'] },
  { label: 'Übung', names: ['uebung'] },
]

test.each([
  ['acc', ['Accounts', 'switch account', 'Acme', 'delete account']],
  ['account', ['Accounts', 'switch account', 'delete account']],
  ['inv', ['Invitations', 'invite']],
  ['create', ['invite']],
  ['q', ['Quit', 'Requests']],
  ['Q', ['Quit', 'Requests']],
  ['a', ['switch account', 'Acme', 'Accounts', 'Ada Lovelace', 'Invitations', 'invite', 'delete account']],
  ['7', ['Requests']],
  ['acme', ['Acme']],
  ['corp', ['Acme']],
  ['go it', ['Go for it', 'sign out']],
  ['go it now', []],
  ['lovelace', ['Ada Lovelace']],
  ['ada@', ['Ada Lovelace']],
  ['übung', ['Übung']],
  ['ÜB', ['Übung']],
  ['remove', ['delete account']],
  ['D', ['Ada Lovelace', 'delete account']],
  ['  home ', ['Home']],
  ['swac', ['switch account']],
  ['ubung', ['Übung']],
  ['adalv', ['Ada Lovelace']],
  ['nothing of that', []],
  ['.*', []],
])('%j finds %j', (typed, labels) => expect(rankMatches(things, typed).map(({ label }) => label)).toEqual(labels))

test('of two that fit alike the one that leads somewhere is first', () => {
  const both = [{ label: 'accept an invitation' }, { label: 'Accounts', isPlace: true }]
  expect(rankMatches(both, 'acc').map(({ label }) => label)).toEqual(['Accounts', 'accept an invitation'])
  expect(rankMatches(both, '')).toEqual(both)
})

test('without anything typed all are there as they were, what cannot be done behind, what destroys last', () => {
  const [remove, signOut, invite, ...others] = things
  expect(rankMatches(things, '')).toEqual([signOut, ...others, invite, remove])
})

test('scattered letters come after every good match, even after one that destroys', () => {
  const choices = [{ label: 'Katherine Johnson team' }, { label: 'delete Tim', destroys: true }]
  expect(rankMatches(choices, 'tim').map(({ label }) => label)).toEqual(['delete Tim', 'Katherine Johnson team'])
})

test('rows that contain what was typed keep their order, and other good matches follow, best first', () => {
  const rows = ['Grace Hopper', 'Old hopper', 'ghopper', 'g.h. other people report', 'Bob', 'Grace B. Hopper']
  expect(rankRows(rows, searchedText, 'hopper')).toEqual(['Grace Hopper', 'Old hopper', 'ghopper', 'Grace B. Hopper'])
  expect(rankRows(rows, searchedText, 'ghopper')).toEqual(['ghopper', 'Grace Hopper', 'Grace B. Hopper'])
  expect(rankRows(rows, searchedText, '')).toEqual(rows)
})
