import { expect, it } from 'vitest'
import { createRunner } from '../testing/run-cli.ts'

const postern = createRunner()

it.each([
  ['trust', 'postern key trust'],
  ['trust list', 'postern key trust list'],
  ['trusts', 'postern key trust list'],
  ['users', 'postern admin user list'],
  ['user ban', 'postern admin user ban'],
  ['audit', 'postern admin audit'],
  ['role set', 'postern member role set or postern admin user role set'],
  ['member ban', 'postern admin user ban'],
  ['events --follow', 'postern account activity or postern org activity or postern admin audit list'],
  ['org activty', 'activity'],
  ['key delete ci', 'postern key revoke'],
  ['session delete', 'postern session revoke'],
  ['config reset', 'postern config unset'],
  ['account reset', 'postern account password reset'],
  ['org add Acme', 'postern org create'],
  ['org switch acme', 'postern org use'],
  ['team rename', 'postern team edit'],
  ['member add ben@example.com', 'postern invitation create'],
  ['register', 'postern sign-up'],
  ['start', 'postern serve'],
  ['man org', 'postern help'],
  ['me', 'postern whoami or postern member me'],
  ['invite ben@example.com', 'postern invitation create'],
  ['sesion list', 'session'],
])('of `postern %s`, what is meant is `%s`, wherever it is', async (line, meant) => {
  const { code, stderr, stdout } = await postern(line, { columns: 200 })
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toContain(`Did you mean ${meant}?`)
})

it('where nothing is alike, it says where help is', async () => {
  expect((await postern('org nonesuch')).stderr).toContain('postern org --help')
  expect((await postern('xyzzyx')).stderr).toContain('postern --help')
})

it.each(['extension remove x', 'extension foo', 'key destroy ci'])(
  '`postern %s` does not lead to the command of another noun',
  async (line) => {
    const [noun] = line.split(' ')
    expect((await postern(line, { columns: 200 })).stderr).toContain(`next: postern ${noun} --help`)
  },
)

it('programs get the same hint', async () => {
  const { stderr } = await postern('trust --json')
  expect(JSON.parse(stderr)).toMatchObject({ error: { exitCode: 2, hint: 'Did you mean postern key trust?' } })
})
