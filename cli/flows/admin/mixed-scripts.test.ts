import { expect, it } from 'vitest'
import { mixedScripts } from './mixed-scripts.ts'
import { listedUserFields } from './users.ts'

it.each([
  ['Ann', []],
  ['Zoë O’Neill-Åström 2', []],
  ['Анна', []],
  ['Анна (Anna)', []],
  ['Ελένη Smith', []],
  ['田中さくら Tanaka', []],
  ['', []],
  ['Аnn', ['Latin', 'Cyrillic']],
  ['Bo Аnn', ['Latin', 'Cyrillic']],
  ['Pοstern', ['Latin', 'Greek']],
  ['Αнна', ['Greek', 'Cyrillic']],
])('%j mixes %j', (name, scripts) => {
  expect(mixedScripts(name)).toEqual(scripts)
})

it.each([
  ['Ann', false, ''],
  ['Ann', true, 'banned'],
  ['\u0410nn', false, 'mixed letters'],
  ['\u0410nn', true, 'banned, mixed letters'],
] as const)('a list of users marks %s, banned %s, as "%s"', (name, banned, marks) => {
  expect(listedUserFields.marks.inList({ name, banned })).toBe(marks)
})
