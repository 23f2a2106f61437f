import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { testPassword } from '../../server/testing/service.ts'
import { temporaryFolder } from '../../server/testing/temporary-folder.ts'
import { adminOf } from './admin.ts'
import { startOwnService, type TestPerson } from './own-service.ts'
import { useOwnService } from './use-service.ts'

const userFields = {
  company: { kind: 'text' },
  seats: { kind: 'number' },
  plan: { kind: ['free', 'pro'], default: 'free', input: 'admin' },
} as const
const organizationFields = { taxNumber: { kind: 'text' }, country: { kind: 'text', default: 'CH' } } as const
const own = useOwnService({}, { extensions: { userFields, organizationFields } })
let ada: TestPerson
beforeAll(async () => {
  ada = await adminOf(own)
})

const stdin = testPassword

test('a sign-up and an edit give fields, and the account shows them', async () => {
  const ann = own.machine()
  const signUp = ['sign-up', '--email', 'ann@example.com', '--name', 'Ann', '--password-file', '-']
  const signedUp = await ann([...signUp, '--field', 'company=Acme, Inc.', 'seats=3', '--json'], { stdin })
  expect(signedUp.json).toMatchObject({ resource: { fields: { company: 'Acme, Inc.', seats: 3, plan: 'free' } } })
  expect((await ann('account view')).stdout).toContain('company=Acme, Inc., seats=3, plan=free')
  const edited = await ann('account edit --field company= --field seats=4 --json')
  expect(edited.json).toMatchObject({ resource: { fields: { company: null, seats: 4 } } })
  expect((await ann('whoami --json=fields')).json).toEqual({ fields: { company: null, seats: 4, plan: 'free' } })
})

test.each([
  ['plan=pro', 'plan: Expected no value: only administrators set it'],
  ['colour=red', 'colour: Expected no such field'],
  ['seats=many', 'seats: Expected a number'],
])('a person who gives %s is told by name what is wrong', async (field, problem) => {
  const bob = await own.stranger(`Bob-${field.replace('=', '-')}`)
  const { code, stderr } = await bob(['account', 'edit', '--field', field])
  expect([code, stderr]).toEqual([12, expect.stringContaining(problem)])
})

test('what is no pair of name and value is refused before anything is sent', async () => {
  own.asked.length = 0
  const { code, stderr } = await ada('account edit --field company')
  expect([code, stderr]).toEqual([2, expect.stringContaining('a name and a value, like company=Acme')])
  expect(own.asked).toEqual([])
})

test('administrators give theirs, and find users by fields', async () => {
  const create = ['admin', 'user', 'create', '--email', 'cy@example.com', '--name', 'Cy', '--password-file', '-']
  await ada([...create, '--field', 'plan=pro', 'seats=12'], { stdin })
  await ada(['admin', 'user', 'create', '--email', 'di@example.com', '--name', 'Di', '--password-file', '-'], { stdin })
  const found = async (where: string) =>
    (
      (await ada(['admin', 'user', 'list', '--where', where, '--json=email'])).json as { items: { email: string }[] }
    ).items.map(({ email }) => email)
  expect(await found('plan=pro')).toEqual(['cy@example.com'])
  expect(await found('seats>=12')).toEqual(['cy@example.com'])
  expect(await found('plan!=pro')).not.toContain('cy@example.com')
  const edited = await ada('admin user edit di@example.com --field plan=pro --name Dinah --json')
  expect(edited.json).toMatchObject({ resource: { name: 'Dinah', fields: { plan: 'pro' } } })
  expect((await found('plan=pro')).toSorted()).toEqual(['cy@example.com', 'di@example.com'])
  expect((await ada('admin user list --where plan=pro --banned')).stderr).toContain('cannot be combined')
  expect((await ada('admin user list --where plan')).stderr).toContain('plan=pro or seats>=10')
  expect((await ada('admin user list --where colour=red')).stderr).toContain('filterField')
})

test('organizations have fields, also as documents', async () => {
  const eve = await own.person('Eve')
  const made = await eve('org create Acme --slug acme --field taxNumber=CHE-1 --json')
  expect(made.json).toMatchObject({ resource: { fields: { taxNumber: 'CHE-1', country: 'CH' } } })
  expect((await eve('org view acme')).stdout).toContain('taxNumber=CHE-1, country=CH')
  const exported = (await eve('org export acme')).stdout
  expect(exported).toContain('taxNumber: CHE-1')
  const file = join(temporaryFolder('own-fields'), 'acme.yaml')
  await writeFile(file, exported.replace('CHE-1', 'CHE-2'))
  expect((await eve(['org', 'apply', '-f', file, '--yes'])).code).toBe(0)
  expect((await eve('org list --json=fields')).json).toMatchObject({
    items: [{ fields: { taxNumber: 'CHE-2', country: 'CH' } }],
  })
  expect((await eve(['org', 'apply', '-f', file, '--dry-run', '--exit-code'])).code).toBe(0)
  const emptied = await eve('org edit acme --field taxNumber= country=DE --json')
  expect(emptied.json).toMatchObject({ resource: { fields: { taxNumber: null, country: 'DE' } } })
})

const signUpAs = (email: string) => ['sign-up', '--email', email, '--name', 'Ann', '--password-file', '-']
const ofAcme = ['--field', 'company=Acme']

test.each([
  ['sign-up', signUpAs('fay@example.com'), stdin],
  ['account edit', ['account', 'edit'], ''],
  ['org create', ['org', 'create', 'Beta', '--slug', 'beta'], ''],
  ['org edit', ['org', 'edit', 'acme'], ''],
  ['admin user create', ['admin', 'user', 'create', ...signUpAs('fay@example.com').slice(1)], stdin],
  ['admin user edit', ['admin', 'user', 'edit', 'ada@example.com'], ''],
])('%s refuses a field where none are declared, and changes nothing', async (_, argv, input) => {
  const bare = await startOwnService()
  const person = await adminOf(bare)
  await person('org create Acme --slug acme')
  bare.asked.length = 0
  const { code, stderr } = await person([...argv, ...ofAcme, '--json'], { stdin: input })
  await bare.stop()
  expect(stderr).toContain('"message":"This service has no field company"')
  expect(stderr).toContain('"hint":"Fields are declared in postern.config.ts: docs/applications.md#fields-of-your-own"')
  expect([code, bare.asked.filter((asked) => asked.startsWith('POST'))]).toEqual([12, []])
})

test('org apply refuses them too', async () => {
  const bare = await startOwnService()
  const person = await adminOf(bare)
  await person('org create Acme --slug acme')
  const file = join(temporaryFolder('no-fields'), 'acme.yaml')
  await writeFile(file, 'organization:\n  name: Acme\n  slug: acme\n  fields:\n    company: Acme\n')
  bare.asked.length = 0
  const ended = [
    await person(['org', 'apply', '--file', file]),
    await person(['org', 'apply', '-f', file, '--dry-run']),
  ]
  await bare.stop()
  for (const { code, stdout, stderr } of ended)
    expect([code, stdout, stderr]).toEqual([12, '', expect.stringContaining('This service has no field company')])
  expect(bare.asked.filter((asked) => asked.startsWith('POST'))).toEqual([])
})

test('org apply names a field that is not among the declared ones before it changes anything', async () => {
  const ida = await own.person('Ida')
  await ida('org create Ida --slug ida')
  const file = join(temporaryFolder('other-field'), 'ida.yaml')
  await writeFile(file, 'organization:\n  name: Ida\n  slug: ida\n  fields:\n    country: DE\n    colour: red\n')
  for (const flags of [['--dry-run'], []])
    expect(await ida(['org', 'apply', '-f', file, ...flags])).toMatchObject({
      code: 12,
      stdout: '',
      stderr: expect.stringContaining('This service has no field colour'),
    })
  expect((await ida('org list --json=fields')).json).toMatchObject({ items: [{ fields: { country: 'CH' } }] })
})

test('a field that is not among the declared ones is refused with the page that tells how', async () => {
  const { code, error } = await ada('admin user edit ada@example.com --field colour=red --json')
  expect([code, error]).toEqual([
    12,
    expect.objectContaining({ hint: expect.stringContaining('docs/applications.md') }),
  ])
})
