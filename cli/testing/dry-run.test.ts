import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { linkTo } from '../../server/testing/mailed.ts'
import { testPassword } from '../../server/testing/service.ts'
import type { CommandNode } from '../argv/tree.ts'
import { flattenTree } from '../argv/tree.ts'
import type { TestPerson } from './own-service.ts'
import { filesIn } from './recording.ts'
import type { RunOptions } from './run-cli.ts'
import { useOwnService } from './use-service.ts'

const service = useOwnService()
let ann: TestPerson
let ben: TestPerson

beforeAll(async () => {
  ;[ann, ben] = await Promise.all([service.person('Ann'), service.person('Ben')])
  await service.service.deps.sql`update users set roles = '{admin}' where email = 'ann@example.com'`
  await ann('org create Acme --slug acme')
  await ann('invitation create ben@example.com cy@example.com --role member')
  await ben('invitation accept acme')
  await ben('org create Globex --slug globex')
  await ben('invitation create ann@example.com --role member')
  await ann('team create Ops')
  await ann('role create editor')
  await ann('key create deploy --role member')
  await ann('webhook create https://receiver.example.com/hook')
  const eve = await service.stranger('Eve')
  await eve('account email verify --send')
  writeFileSync(join(ann.folder, 'password'), testPassword)
  writeFileSync(join(ann.folder, 'new'), 'four words of another kind')
})

/** Has the form of an id token. */
const jwt = 'eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl'

/** Every row of every table, but for what a look itself leaves behind. */
async function allRows(): Promise<Record<string, unknown>> {
  const { sql } = service.service.deps
  const tables = await sql<{ name: string }[]>`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE' order by table_name
  `
  const rows = await Promise.all(
    tables.map(
      async ({ name }) => [name, await sql`select to_jsonb(t) as row from ${sql(name)} t order by 1`] as const,
    ),
  )
  return Object.fromEntries(rows)
}

const acts: Readonly<Record<string, string>> = {
  'account edit': '--name Anna',
  'session edit': '--label desk',
  'account delete': '--password-file PASSWORD',
  'account email set': 'anna@example.com',
  'account password set': '--current-password-file PASSWORD --password-file NEW',
  'session revoke': '--others',
  'org create': 'New --slug new',
  'org edit': 'acme --name Other',
  'org delete': 'acme',
  'org use': 'acme',
  'org leave': 'acme',
  'member remove': 'ben@example.com',
  'member role set': 'ben@example.com admin',
  'invitation create': 'new@example.com other@example.com --role member',
  'invitation accept': 'globex',
  'invitation reject': 'globex',
  'invitation cancel': 'cy@example.com',
  'invitation resend': 'cy@example.com',
  'team create': 'Art',
  'team edit': 'Ops --name Art',
  'team delete': 'Ops',
  'team member add': 'ben@example.com --team Ops',
  'role create': 'writer --permission team:create',
  'role edit': 'editor --name writer',
  'role delete': 'editor',
  'key create': 'other --role member',
  'key rotate': 'deploy',
  'key revoke': 'deploy',
  'webhook create': 'https://receiver.example.com/other',
  'webhook edit': 'https://receiver.example.com/hook --paused on',
  'webhook rotate': 'https://receiver.example.com/hook',
  'webhook resume': 'https://receiver.example.com/hook',
  'webhook test': 'https://receiver.example.com/hook',
  'webhook delete': 'https://receiver.example.com/hook',
  'admin user create': '--email new@example.com --name New --password-file PASSWORD',
  'admin user delete': 'ben@example.com',
  'admin user ban': 'ben@example.com --reason x',
  'admin user edit': 'ben@example.com --name Ben',
  'admin user role set': 'ben@example.com admin',
  'admin user password set': 'ben@example.com --password-file PASSWORD',
  'admin user impersonate': 'ben@example.com',
  'admin session revoke': 'ben@example.com --all',
  'sign-up': '--email new@example.com --name New --password-file PASSWORD',
  'sign-in': '--email ann@example.com --password-file PASSWORD',
  'sign-out': '',
  'account email verify': 'LINK',
  'account link add': 'google',
  'account password forgot': '--email ann@example.com',
  'account password reset': '0123456789abcdefghijklmnopqrstuvwxyzABCDEFG --password-file NEW',
}

it('every command with --dry-run changes no row, asks for no consent, and shows no secret', async () => {
  const [before, kept] = [await allRows(), filesIn(ann.folder)]
  const asked = service.asked.length
  const { url } = await linkTo(service.service, 'eve@example.com', 'verify-email')
  for (const [path, words] of Object.entries(acts)) {
    const line = `${path} ${words.replaceAll('PASSWORD', join(ann.folder, 'password')).replace('NEW', join(ann.folder, 'new')).replace('LINK', url)} --dry-run --json`
    const { code, stdout, stderr } = await ann(line)
    expect.soft([path, code, stderr]).toEqual([path, 0, ''])
    expect.soft([path, /"status":"(\w+)"/.exec(stdout)?.[1]]).toEqual([path, 'planned'])
    expect(stdout).not.toContain(testPassword)
  }
  expect(await allRows()).toEqual(before)
  expect(filesIn(ann.folder)).toEqual(kept)
  expect(service.asked.slice(asked).filter((call) => /^POST|verify-email/.test(call))).toEqual([])
})

it('is offered by every command that changes something as the signed-in user', async () => {
  const tree = (await ann('commands --json')).json as CommandNode
  const offering = flattenTree(tree)
    .filter(({ options }) => options.some(({ flags }) => flags === '--dry-run'))
    .map(({ path }) => path.replace('postern ', ''))
  expect(offering).toEqual(expect.arrayContaining(Object.keys(acts)))
})

it('says the call, its body and the service, also for each of several, and still finds what is wrong', async () => {
  const made = await ann('team create Art --dry-run --json')
  expect(made.json).toMatchObject({
    status: 'planned',
    resource: { call: 'POST /organization/create-team', body: { name: 'Art' }, server: `${service.url}/api/auth` },
  })
  const several = await ann('invitation create a@example.com b@example.com --role member --dry-run --json')
  expect(several.json).toMatchObject({
    results: [
      { input: 'a@example.com', status: 'planned', call: 'POST /organization/invite-member' },
      { input: 'b@example.com', status: 'planned', body: { email: 'b@example.com' } },
    ],
  })
  expect((await ann('team edit Ops --name Art --dry-run')).stdout).toMatch(/^Would send POST .*"Art"/)
  expect((await ann('team delete Nobody --dry-run')).code).toBe(6)
  expect((await ann('team create Ops --dry-run')).code).toBe(7)
  expect((await ann('team create Art --dry-run --read-only')).code).toBe(0)
})

it('shows the body as it would be sent, and says once that nothing was changed', async () => {
  expect((await ann('org create New --slug new --dry-run')).stdout).toBe(
    'Would send POST /organization/create {"name":"New","slug":"new"}\n',
  )
  expect((await ann('org use - --dry-run')).stdout).toContain('{"organizationId":null}')
  const { stderr } = await ann('invitation create a@example.com b@example.com --role member --dry-run')
  expect(stderr).toBe('Nothing was changed\n')
})

describe('signing in and out with --dry-run', () => {
  const token = { stdin: jwt }
  it.each<[line: string, planned: object, options?: RunOptions]>([
    ['sign-in --device', { call: 'POST /device/code' }],
    ['sign-in --device --start', { call: 'POST /device/code' }],
    [
      'sign-in --oidc --org acme --id-token-file -',
      { call: 'POST /token-exchange', body: { subject_token: '***' } },
      token,
    ],
    ['sign-in --provider google --id-token-file -', { call: 'POST /sign-in/social' }, token],
    ['sign-out', { call: 'POST /sign-out', body: {} }],
    ['sign-out --local', { call: null, body: null }],
  ])('%s', async (line, planned, options = {}) => {
    const kept = filesIn(ann.folder)
    const done = await ann(`${line} --dry-run --json`, options)
    expect([done.code, done.stderr]).toEqual([0, ''])
    expect(done.json).toMatchObject({ status: 'planned', resource: planned })
    expect(filesIn(ann.folder)).toEqual(kept)
  })

  it('ends no impersonation', async () => {
    expect((await ann('admin user impersonate ben@example.com --yes')).code).toBe(0)
    const kept = filesIn(ann.folder)
    for (const line of ['admin impersonation stop', 'sign-out'])
      expect((await ann(`${line} --dry-run --json`)).json).toMatchObject({
        status: 'planned',
        resource: { call: 'POST /admin/stop-impersonating' },
      })
    expect(filesIn(ann.folder)).toEqual(kept)
    expect((await ann('admin impersonation stop')).code).toBe(0)
  })

  it('adopts no token, and signs none of several out', async () => {
    const { stdout } = await ben('auth token')
    const kept = filesIn(ann.folder)
    const adopted = await ann('sign-in --token-file - --dry-run', { stdin: stdout })
    expect(adopted).toMatchObject({ code: 0, stdout: 'Would keep the session of ben@example.com on this machine\n' })
    expect((await ann('sign-out --all --dry-run --json')).json).toMatchObject({
      results: [{ input: 'ann@example.com', status: 'planned', call: 'POST /sign-out' }],
    })
    expect(filesIn(ann.folder)).toEqual(kept)
  })
})
