import { expect, test } from 'vitest'
import { scopedHint } from './scoped-hint.ts'

const flags = { url: 'https://a.example', account: 'ann@example.com', org: 'Acme Inc' }

test.each([
  [
    'See them: postern team list',
    "See them: postern team list --url https://a.example --account ann@example.com --org 'Acme Inc'",
  ],
  // Whose organization it is matters to no other command.
  ['postern session list', 'postern session list --url https://a.example --account ann@example.com'],
  ['postern sign-in --email ann@example.com', 'postern sign-in --email ann@example.com --url https://a.example'],
  ['postern team edit X -o other --url=https://b.example -A bob@example.com', undefined],
  ['Prove that the address is yours: postern account email verify --send, or give the id', undefined],
  ['Choose another slug', undefined],
])('of `%s` the command at its end works where the first one did', (hint, scoped = hint) => {
  expect(scopedHint(hint, flags)).toBe(scoped)
})

test('a flag that was wrong is not repeated', () => {
  expect(scopedHint('See them: postern profile list', { profile: 'none' }, ['--profile'])).toBe(
    'See them: postern profile list',
  )
})
