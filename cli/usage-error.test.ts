import { expect, it } from 'vitest'
import { useAnswers } from './testing/use-service.ts'

const { service, postern } = useAnswers({ env: { POSTERN_TOKEN: 'token' } })

it.each([
  'org list --org a --org b',
  '--org a org list -O b',
  'invitation create a@b.co --role member --role admin',
  'invitation create a@b.co --role member --team t --role admin',
  'sign-in --email a@b.co --email c@d.co',
  'session list --json=id --json=label',
  'session list --json=id --json',
  'session list --watch=1s --watch=1h',
  'profile list --sort -url --sort -org',
])('of `%s` is not asked: a flag of one value is given twice', async (argv) => {
  const { code, stdout, stderr } = await postern(argv)
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toMatch(
    /(^error: |"message":")--(org|role|email|json|watch|sort) is given more than once, but takes one value/,
  )
})

it.each([
  ['invitation create a@b.co --role a --role b', 'Separate several values by commas: --role ONE,TWO'],
  ['sign-in --email a@b.co --email c@d.co', 'Give it once'],
  ['sesion list', 'Did you mean session?'],
  ['session lst', 'Did you mean list, ls?'],
  ['auth stats', 'Did you mean status?'],
  ['session list --jsn', 'Did you mean --json?'],
  ['sign-in --emial a@b.co', 'Did you mean --email?'],
  ['session list --format json', 'Did you mean --output?'],
  ['member list --filter ann', 'Did you mean --search?'],
  ['session list --filter ann', 'postern session list --help'],
  ['session list --port 1', 'postern session list --help'],
  ['key create a --ttl 1d', 'Did you mean --expires?'],
  ['sign-up --password x', 'Did you mean --password-file?'],
  ['whoami --json id,email', 'Did you mean --json=id,email?'],
  ['team member list Pay', 'Did you mean --team Pay?'],
  ['session list Pay', 'session list --help'],
  ['org apply acme.yaml', 'Did you mean --file acme.yaml?'],
  ['org apply --dry-run', 'org apply --help'],
  ['serve --port 5000', 'PORT=5000 postern serve'],
  ['serve --log-level debug', 'PORT=5000 postern serve'],
  ['serve extra', 'postern serve --help'],
  ['serve 4', 'Did you mean --workers 4?'],
  ['serve --chek', 'Did you mean --check?'],
  ['serve --quite', 'Did you mean --quiet?'],
  ['serve --jsn', 'Did you mean --json?'],
  ['whoami --org=', 'Give it a value'],
  ['whoami --url localhost:4100', 'http://localhost:4100'],
  ['whoami --url ftp://accounts.example.com', 'Use https: https://accounts.example.com\n'],
  ['whoami --url accounts.example.com:443/x', 'https://accounts.example.com:443/x'],
  ['xyzzy', 'postern --help'],
  ['session view', 'postern session view --help'],
  ['session list extra', 'postern session list --help'],
  ['-P bo session list --nosuch', 'postern session list --help'],
  ['session list --nosuch -A ann@example.com', 'postern session list --help'],
  ['completion tcsh', 'postern completion --help'],
  ['--url', 'postern --help'],
  ['whoami --color blue', ''],
  ['whoami -q --json', 'Choose one output format'],
  ['whoami --json=emial', 'Fields: id, email'],
  ['session list --json=token', 'Fields: id, current'],
  ['whoami --timeout soon', '--timeout 10s'],
  ['whoami --retries -1', ''],
  ['whoami --url nowhere', ''],
  ['whoami --url http://accounts.example.com', 'https'],
  ['whoami --url https://user:pw@accounts.example.com', ''],
])('the mistake in `%s` is exit 2 on stderr, before anything is sent', async (argv, hint) => {
  const { code, stdout, stderr } = await postern(argv)
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toMatch(/^(error: |\{"error")/)
  expect(stderr).toContain(hint)
  expect(service.seen).toEqual([])
})

it('a mistake is one line of JSON for a program, wherever --json stands', async () => {
  for (const argv of ['--json sesion', 'session lst --json', 'session list --ndjson --nope', '--json=a,b whoami']) {
    const { code, stdout, error } = await postern(argv)
    expect([code, stdout]).toEqual([2, ''])
    expect(Object.keys(error)).toEqual(['code', 'message', 'status', 'exitCode', 'hint', 'fields'])
    expect(error).toMatchObject({ code: 'USAGE', status: null, exitCode: 2 })
  }
})
