import { beforeEach, expect, test } from 'vitest'
import { testPassword } from '../../server/testing/service.ts'
import { displayWidth } from '../output/width.ts'
import { adminOf } from './admin.ts'
import type { TestPerson } from './own-service.ts'
import { useOwnService } from './use-service.ts'

const own = useOwnService()
let ada: TestPerson
beforeEach(async () => {
  await own.empty()
  ada = await adminOf(own)
})

const userOf = async (email: string) =>
  (
    await own.service.deps
      .sql`select roles, banned, ban_reason, ban_expires, email_verified from users where email = ${email}`
  )[0]

test('a user is created, found by id, address or name, and signs in', async () => {
  const argv = ['admin', 'user', 'create', '--email', 'Bob@example.com', '--name', 'Bob Stone', '--verified']
  const created = await ada([...argv, '--password-file', '-', '--json'], { stdin: 'a quite long password' })
  expect(created).toMatchObject({
    code: 0,
    json: {
      status: 'created',
      resource: { email: 'bob@example.com', roles: ['user'], emailVerified: true, banned: false },
    },
  })
  const { id } = (created.json as { resource: { id: string } }).resource
  for (const word of [id, 'BOB@example.com', 'Bob Stone', id.slice(-8), `…${id.slice(-12)}`])
    expect((await ada(['admin', 'user', 'view', word, '--json=id'])).json).toEqual({ id })
  const bob = own.machine()
  const signIn = await bob('sign-in --email bob@example.com --password-file -', { stdin: 'a quite long password' })
  expect(signIn.code).toBe(0)
})

test('who is named by no user is not found, and who is named by several is told them all', async () => {
  await own.stranger('Bob')
  const { sql } = own.service.deps
  await own.stranger('Eve')
  await sql`update users set name = 'Twin' where email <> ${ada.email}`
  const twins = await ada('admin user ban Twin')
  expect(twins).toMatchObject({ code: 7, stdout: '' })
  expect(twins.stderr).toContain('2 users are called Twin')
  expect(twins.stderr).toContain('bob@example.com')
  expect(twins.stderr).toContain('eve@example.com')
  expect(await ada('admin user view nobody@example.com')).toMatchObject({
    code: 6,
    stderr: expect.stringContaining('postern admin user list --search TEXT'),
  })
})

test('at most three calls find a user, however many there are', async () => {
  await own.stranger('Bob')
  own.asked.length = 0
  await ada('admin user view Bob')
  expect(own.asked).toEqual(['GET /admin/list-users', 'GET /admin/list-users', 'GET /admin/view-user'])
  own.asked.length = 0
  expect((await ada('admin user view 0123456789')).code).toBe(6)
  expect(own.asked).toHaveLength(3)
})

test('a name in letters that look like those of another is its own, and administrators are told', async () => {
  const { sql } = own.service.deps
  const [latin, mixed] = ['Bo Ann', 'Bo \u0410nn']
  await sql`insert into users (id, name, email) values ('real', ${latin}, 'real@example.com'), ('odd', ${mixed}, 'odd@example.com')`
  const view = (name: string) => ada(['admin', 'user', 'view', name, '--color', 'never'], { tty: ['stdout'] })
  const [real, odd] = [await view(latin), await view(mixed)]
  expect(real.stdout).toMatch(/^Email: +real@example\.com.*\nName: +Bo Ann\n/)
  expect(odd.stdout).toMatch(
    /^Email: +odd@example\.com.*\nName: +Bo \u0410nn {2}\(mixes Latin and Cyrillic letters\)\n/,
  )
})

test('who is called as the ending of the id of somebody else is not taken for them', async () => {
  const { sql } = own.service.deps
  const id = '2f6d3c0a1b2c-of-one'
  await sql`insert into users (id, name, email) values (${id}, 'One', 'one@example.com'), ('3f-other', '1b2c-of-one', 'other@example.com'), ('4f-third', '…1b2c-of-one', 'third@example.com')`
  expect((await ada('admin user view …1b2c-of-one --json=email')).json).toEqual({ email: 'one@example.com' })
  const { code, stderr } = await ada('admin user view 1b2c-of-one')
  expect([code, stderr.includes('one@example.com'), stderr.includes('other@example.com')]).toEqual([7, true, true])
})

test('an ending that two users have, or that is short, names neither', async () => {
  const { sql } = own.service.deps
  await sql`insert into users (id, name, email) select n || '-ending-of-both', 'Bob', n || '@example.com' from generate_series(1, 2) n`
  for (const word of ['ending-of-both', 'both']) {
    const { code, stderr } = await ada(`admin user ban ${word}`)
    expect([code, stderr.includes('1-ending-of-both  1@example.com'), stderr.includes('2@example.com')]).toEqual([
      7,
      true,
      true,
    ])
  }
  expect((await ada('admin user view 1-ending-of-both --json=email')).json).toEqual({ email: '1@example.com' })
  expect((await ada('admin user view %both')).code).toBe(6)
})

test('users are searched, filtered, sorted and paged; JSON tells the total and where it goes on', async () => {
  for (const name of ['Bob', 'Eve', 'Bill']) await own.stranger(name)
  const emails = async (flags: string) =>
    ((await ada(`admin user list ${flags} --json=email`)).json as { items: { email: string }[] }).items.map(
      ({ email }) => email.split('@')[0],
    )
  expect(await emails('--search b --match starts --sort email')).toEqual(['bill', 'bob'])
  expect(await emails('--search ILL --field name')).toEqual(['bill'])
  expect(await emails('--role admin')).toEqual(['ada'])
  expect(await emails('--sort name --desc')).toEqual(['eve', 'bob', 'bill', 'ada'])
  expect((await ada('admin user list --sort email --limit 2 --json=email')).json).toEqual({
    items: [{ email: 'ada@example.com' }, { email: 'bill@example.com' }],
    page: { total: 4, next: '2' },
  })
  expect((await ada('admin user list --sort email --limit 2')).stderr).toContain('2 of 4 shown. More: --offset 2')
  expect(await emails('--sort email --limit 1 --offset 1 --all-pages')).toEqual(['bill', 'bob', 'eve'])
  expect((await ada('admin user list --limit 0')).code).toBe(2)
  expect((await ada('admin user list --role admin --banned')).code).toBe(2)
  expect((await ada('admin user list --sort password')).code).toBe(2)
})

test('a ban signs out at once and says at the next sign-in that it is one; lifted, it is over', async () => {
  const bob = await own.person('Bob')
  const banned = await ada(['admin', 'user', 'ban', bob.email, '--reason', 'Spam', '--for', '7d'])
  expect(banned).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Banned bob@example.com; it ends in 7 days\n$/),
  })
  expect(await userOf(bob.email)).toMatchObject({ banned: true, banReason: 'Spam' })
  expect((await bob('whoami')).code).toBe(4)
  const refused = await bob(`sign-in --email ${bob.email} --password-file -`, { stdin: testPassword })
  expect(refused).toMatchObject({ code: 5, stderr: expect.stringContaining('You have been banned') })
  expect((await ada('admin user list --banned --json=email')).json).toMatchObject({ items: [{ email: bob.email }] })
  expect(await ada(`admin user unban ${bob.email}`)).toMatchObject({ code: 0 })
  expect((await ada(`admin user unban ${bob.email} --json`)).json).toMatchObject({ status: 'unchanged' })
  expect((await bob(`sign-in --email ${bob.email} --password-file -`, { stdin: testPassword })).code).toBe(0)
})

test.each([
  ['--for 1y', '--for must be a duration with its unit, like 90s, 15m, 12h or 7d'],
  ['--for 3651d', '--for is 3650d at most'],
  ['--until 2099-01-01', '--until is at most 3650 days from now'],
  ['--until tomorrow', '--until must be a date like 2026-12-31'],
  ['--until 2020-01-01', '--until is in the past: 2020-01-01'],
  [`--for 7d --until ${new Date(Date.now() + 86_400_000).toISOString()}`, 'Give --for or --until, not both'],
])('a ban with %s is refused before anything is sent', async (flags, sentence) => {
  own.asked.length = 0
  const { code, stderr } = await ada(`admin user ban bob@example.com ${flags}`)
  expect([code, own.asked]).toEqual([2, []])
  expect(stderr).toContain(sentence)
})

test('an address that is taken leads to the user who has it', async () => {
  const [bob, cy] = [await own.person('Bob'), await own.person('Cy')]
  const hint = `See whose address it is: postern admin user view ${bob.email}`
  const line = `admin user create --email ${bob.email} --name B --password-file - --json`
  expect((await ada(line, { stdin: testPassword })).error).toMatchObject({ exitCode: 7, hint })
  const edited = await ada(`admin user edit ${cy.email} --new-email ${bob.email} --json`)
  expect(edited.error).toMatchObject({ exitCode: 7, hint })
})

test('a ban lasts until the day that was named', async () => {
  const bob = await own.person('Bob')
  const day = new Date(Date.now() + 3000 * 86_400_000).toISOString().slice(0, 10)
  await ada(`admin user ban ${bob.email} --until ${day}`)
  const { banExpires } = (await userOf(bob.email)) as { banExpires: Date }
  expect(Math.abs(banExpires.getTime() - Date.parse(day))).toBeLessThan(60_000)
})

test('roles and passwords are set; the sessions of before end with the password', async () => {
  const bob = await own.person('Bob')
  expect(await ada(`admin user role set ${bob.email} admin user`)).toMatchObject({
    code: 0,
    stdout: 'bob@example.com is admin, user\n',
  })
  expect((await ada(`admin user role set ${bob.email} user admin --json`)).json).toMatchObject({ status: 'unchanged' })
  await ada(`admin user role set ${bob.email} user`)
  const set = await ada(`admin user password set ${bob.email} --password-file -`, { stdin: 'a quite long password' })
  expect(set).toMatchObject({ code: 0, stdout: 'Set the password of bob@example.com\n' })
  expect((await bob('whoami')).code).toBe(4)
  const again = await bob(`sign-in --email ${bob.email} --password-file -`, { stdin: 'a quite long password' })
  expect(again.code).toBe(0)
  expect((await ada(`admin user password set ${bob.email}`)).code).toBe(14)
})

test('a user is deleted by their address alone', async () => {
  const bob = await own.person('Bob')
  expect((await ada(`admin user delete ${bob.email} --yes`)).code).toBe(14)
  expect((await ada(`admin user delete ${bob.email} --confirm ada@example.com`)).code).toBe(2)
  expect(await userOf(bob.email)).toMatchObject({ emailVerified: true })
  expect(await ada(`admin user delete ${bob.email} --confirm ${bob.email} --json`)).toMatchObject({
    code: 0,
    json: { status: 'deleted', resource: { email: bob.email, organizations: [] } },
  })
  expect(await userOf(bob.email)).toBeUndefined()
})

test('sessions of a user are listed and revoked, each only as theirs', async () => {
  const bob = await own.person('Bob')
  const eve = await own.person('Eve')
  const idsOf = async (email: string) => (await ada(`admin session list ${email} --quiet`)).stdout.trim().split('\n')
  const [bobs, eves] = [await idsOf(bob.email), await idsOf(eve.email)]
  expect((await ada(`admin session revoke ${bob.email} ${eves[0]}`)).code).toBe(6)
  expect((await eve('whoami')).code).toBe(0)
  expect((await ada(`admin session revoke ${bob.email}`)).code).toBe(2)
  expect((await ada(`admin session revoke ${bob.email} ${bobs[0]} nonsense --json`)).json).toMatchObject({
    summary: { total: 2, succeeded: 1, failed: 1 },
  })
  expect((await bob('whoami')).code).toBe(4)
  expect((await ada(`admin session revoke ${eve.email} --all --yes`)).code).toBe(0)
  expect((await eve('whoami')).code).toBe(4)
  expect((await ada(`admin session list ${eve.email} --read-only`)).code).toBe(0)
})

test('among sessions of oneself the one in use is revoked last, so that the others are revoked too', async () => {
  const email = 'ada@example.com'
  await own.machine()(['sign-in', '--email', email, '--password-file', '-'], { stdin: testPassword })
  const sessions = (await ada(`admin session list ${email} --json`)).json as {
    items: { id: string; current: boolean }[]
  }
  const [mine, others] = [true, false].map((is) => sessions.items.filter(({ current }) => current === is))
  const ids = [...mine!, ...others!].map(({ id }) => id)
  expect(ids.length).toBeGreaterThan(1)
  expect((await ada(['admin', 'session', 'revoke', email, ...ids])).code).toBe(0)
  expect((await ada('whoami')).code).toBe(4)
  const again = await ada(['sign-in', '--email', email, '--password-file', '-'], { stdin: testPassword })
  expect(again.code).toBe(0)
})

test('who has no platform role is refused, and told what to do', async () => {
  const bob = await own.person('Bob')
  for (const line of [
    'admin user list',
    'admin user ban ada@example.com',
    'admin user create --email x@example.com --name X --password-file -',
    'admin audit list',
    'admin keys rotate --yes',
  ]) {
    const { code, stderr } = await bob(line, { stdin: 'a quite long password' })
    expect([line, code]).toEqual([line, 5])
    expect(stderr).toContain('postern admin bootstrap')
  }
})

test.each([
  ['admin user ban', 'You are not allowed to ban users'],
  ['admin user impersonate', 'You are not allowed to impersonate users'],
  ['admin user role set ada@example.com', 'You are not allowed to change users role'],
  ['admin session list', 'You are not allowed to list users sessions'],
  ['admin audit list --user', 'You are not allowed to list audit events'],
  ['admin user view', 'You are not allowed to list users'],
])('the right that is missing is that of the act: %s', async (line, sentence) => {
  const bob = await own.stranger('Bob')
  const { code, stderr } = await bob(`${line} ada@example.com`)
  expect([code, stderr]).toEqual([5, expect.stringMatching(new RegExp(`^error: ${sentence}\n`))])
})

test('who may administer the service cannot be impersonated, which says where to see that', async () => {
  const { code, stderr } = await ada('admin user impersonate ada@example.com')
  expect([code, stderr]).toEqual([5, expect.stringContaining('next: Nobody who has a platform permission')])
})

test('names of strangers cannot move the cursor of who lists them, and lines fit a narrow window', async () => {
  await own.stranger('Bob')
  await own.service.deps.sql`update users set name = ${'\u001b[2J\u202eevil\n'} where email = 'bob@example.com'`
  const { stdout } = await ada('admin user list --color never', { tty: ['stdout'], columns: 40 })
  for (const character of ['\u001b', '\u202e']) expect(stdout).not.toContain(character)
  for (const line of stdout.split('\n')) expect(displayWidth(line)).toBeLessThan(41)
  const wide = await ada('admin user view bob@example.com', { tty: ['stdout'] })
  expect(wide.stdout).toContain('\\u001b[2J\\u{202e}evil\\n')
})

test('the keys that sign tokens are rotated with a yes', async () => {
  expect((await ada('admin keys rotate')).code).toBe(14)
  const rotated = await ada('admin keys rotate --yes --json')
  expect(rotated).toMatchObject({ code: 0, json: { status: 'created', resource: { keys: expect.any(Array) } } })
  expect((await ada('admin keys rotate --yes --json')).json).toMatchObject({ status: 'unchanged' })
  expect((await ada('admin keys rotate --yes')).stdout).toMatch(
    /^A new key is already waiting: it begins to sign in \d+ \w+\n$/,
  )
  expect(await ada('admin keys rotate --immediate --yes')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Earlier keys are no longer published'),
  })
  const { id } = (rotated.json as { resource: { id: string; keys: { id: string }[] } }).resource
  const next = (await ada('admin keys rotate --immediate --yes -q')).stdout.trim()
  expect([id, next].every((one) => /^\S{8,}$/.test(one))).toBe(true)
  expect(next).not.toBe(id)
})
