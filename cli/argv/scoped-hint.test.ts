import { expect, test } from 'vitest'
import { scopedHint } from './scoped-hint.ts'

const flags = { url: 'https://a.example', account: 'ann@example.com', org: 'Acme Inc' }

test.each([
  [
    'See them: postern team list',
    "See them: postern team list --url https://a.example --account ann@example.com --org 'Acme Inc'",
  ],
  [
    'See them: postern key list; your own: postern key list --mine',
    "See them: postern key list --url https://a.example --account ann@example.com --org 'Acme Inc'; your own: postern key list --mine --url https://a.example --account ann@example.com",
  ],
  [
    'See them: postern webhook list; those of the service: postern webhook list --platform',
    "See them: postern webhook list --url https://a.example --account ann@example.com --org 'Acme Inc'; those of the service: postern webhook list --platform --url https://a.example --account ann@example.com",
  ],
  // Other commands do not depend on the organization.
  ['postern session list', 'postern session list --url https://a.example --account ann@example.com'],
  ['postern sign-in --email ann@example.com', 'postern sign-in --email ann@example.com --url https://a.example'],
  [
    'Then: echo TOKEN | postern account delete --token-file -',
    'Then: echo TOKEN | postern account delete --token-file - --url https://a.example --account ann@example.com',
  ],
  [
    'Then: postern account delete --token-file - < link.txt',
    'Then: postern account delete --token-file - --url https://a.example --account ann@example.com < link.txt',
  ],
  ['postern team edit X -O other --url=https://b.example -A bob@example.com', undefined],
  ['Prove that the address is yours: postern account email verify --send, or give the id', undefined],
  [
    String.raw`postern team delete 'It'\''s; on: me' --yes`,
    String.raw`postern team delete 'It'\''s; on: me' --yes --url https://a.example --account ann@example.com --org 'Acme Inc'`,
  ],
  // A flag inside a quoted name does not count.
  [
    "postern team delete 'x --org other'",
    "postern team delete 'x --org other' --url https://a.example --account ann@example.com --org 'Acme Inc'",
  ],
  [
    "postern team delete 'x --help'",
    "postern team delete 'x --help' --url https://a.example --account ann@example.com --org 'Acme Inc'",
  ],
  [
    "postern team delete 'x --url https://b.example'",
    "postern team delete 'x --url https://b.example' --url https://a.example --account ann@example.com --org 'Acme Inc'",
  ],
  [
    'Roles of organizations: postern role list; of the platform: postern admin user role set --help',
    "Roles of organizations: postern role list --url https://a.example --account ann@example.com --org 'Acme Inc'; of the platform: postern admin user role set --help",
  ],
  ['postern auth switch ACCOUNT: ann@example.com, bo@example.com', undefined],
  ['Use it: postern profile use work; no such notices: postern config set update-notice off', undefined],
  ['Choose another slug', undefined],
])('of `%s` the command at its end works where the first one did', (hint, scoped = hint) => {
  expect(scopedHint(hint, flags)).toBe(scoped)
})

test('a flag that was wrong is not repeated', () => {
  expect(scopedHint('See them: postern profile list', { profile: 'none' }, ['--profile'])).toBe(
    'See them: postern profile list',
  )
})
