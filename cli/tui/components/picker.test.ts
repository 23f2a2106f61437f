import { expect, test } from 'vitest'
import { rankMatches } from './picker.tsx'

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
  ['acc', ['Accounts', 'switch account', 'delete account']],
  ['account', ['Accounts', 'switch account', 'delete account']],
  ['inv', ['Invitations', 'invite']],
  ['create', ['invite']],
  ['q', ['Quit', 'Requests']],
  ['Q', ['Quit', 'Requests']],
  ['a', ['switch account', 'Accounts', 'Acme', 'Ada Lovelace', 'Invitations', 'invite', 'delete account']],
  ['7', ['Requests']],
  ['acme', ['Acme']],
  ['corp', ['Acme']],
  ['go it', ['Go for it']],
  ['go it now', []],
  ['lovelace', ['Ada Lovelace']],
  ['ada@', ['Ada Lovelace']],
  ['übung', ['Übung']],
  ['ÜB', ['Übung']],
  ['remove', ['delete account']],
  ['D', ['Ada Lovelace', 'delete account']],
  ['  home ', ['Home']],
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
