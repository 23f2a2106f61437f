import { beforeEach, describe, expect, it } from 'vitest'
import { importTarget } from '../../testing/exports.ts'
import { exportRecords } from './export-records.ts'
import type { ImportOptions } from './import-records.ts'

const target = importTarget()
beforeEach(async () => {
  await target.sql`
    insert into users (id, email, name, roles, email_verified, banned, ban_reason)
    values ('1', 'ann@example.com', 'Ann', '{user,admin}', true, true, 'spam')
  `
  await target.sql`insert into organizations (id, name, slug) values ('1', 'Acme', 'acme')`
})

async function load(records: readonly object[], options: Partial<ImportOptions> = {}) {
  const { summary, left } = await target.load(records, options)
  return { summary, left: left.map(({ id, reason }) => [id, reason]) }
}
const stored = async () =>
  (
    await target.sql`
    select (select count(*)::integer from users) as users, (select count(*)::integer from accounts) as accounts,
      (select count(*)::integer from members) as members
  `
  )[0]

/** Whoever did something here is not changed by a later run. */
const tellSignIn = (userId: string) => target.sql`
  insert into audit_events (id, event, request_id, user_id) values (${crypto.randomUUID()}, 'sign-in-done', 'r', ${userId})
`

const mallory = { type: 'user', id: '1', email: 'mallory@example.com', name: 'Mallory', emailVerified: true }
const way = { type: 'account', userId: '1', providerId: 'google', accountId: 'mallory' }
const bob = { type: 'user', id: '2', email: 'bob@example.com', name: 'Bob' }

describe('what belongs to an id that somebody else has here', () => {
  it.each([
    ['in order', [bob, mallory, way]],
    ['before it', [way, mallory, bob]],
    ['of a record that is not valid', [bob, { ...mallory, email: 'nobody' }, way]],
    [
      'of an organization',
      [
        bob,
        { type: 'organization', id: '1', name: 'Other', slug: 'other' },
        { type: 'member', organizationId: '1', userId: '2', role: 'owner' },
      ],
    ],
  ])('goes to nobody, and neither does anything else: %s', async (_, records) => {
    for (const batch of [null, 1])
      await expect(load(records, { batch })).rejects.toThrow(
        /^Somebody else has these ids here: (user|organization) 1\./,
      )
    expect(await stored()).toEqual({ users: 1, accounts: 0, members: 0 })
  })

  it('is reported by a dry run with everything else', async () => {
    const { left } = await load([bob, mallory, way], { isDryRun: true })
    expect(left).toEqual([['1', 'ID_TAKEN']])
  })

  it.each([null, 2])('is looked for beside what the database refuses: batch %s', async (batch) => {
    const timeless = { ...bob, id: '3', email: 'carl@example.com', createdAt: '0000-01-01T00:00:00Z' }
    expect((await load([bob, timeless], { batch })).left).toEqual([['3', 'REFUSED 22008']])
    await expect(load([timeless, mallory, way], { batch })).rejects.toThrow(
      /^Somebody else has these ids here: user 1\./,
    )
  })

  it('is no obstacle when the same source comes again', async () => {
    await load([bob, { ...way, userId: '2' }])
    expect((await load([bob, { ...way, userId: '2' }], { batch: 1 })).summary.present).toMatchObject({ user: 1 })
  })
})

describe('a record that replaces another', () => {
  const ann = { type: 'user', id: '1', email: 'ann@example.com', name: 'Ann Other' }

  it('changes what it says something of, and nothing else', async () => {
    await target.sql`
      insert into accounts (id, user_id, provider_id, account_id, password, scope)
      values ('a', '1', 'credential', '1', 'kept', 'kept')
    `
    const account = { type: 'account', id: 'a', userId: '1', providerId: 'credential', scope: null }
    const { left, summary } = await load([bob, ann, account], { isUpdating: true })
    expect([left, summary.different]).toEqual([[], []])
    expect(await target.sql`select name, roles, banned, ban_reason, email_verified from users where id = '1'`).toEqual([
      { name: 'Ann Other', roles: ['user', 'admin'], banned: true, ban_reason: 'spam', email_verified: true },
    ])
    expect(await target.sql`select user_id, password, scope from accounts`).toEqual([
      { user_id: '1', password: 'kept', scope: null },
    ])
  })

  it('says what keeps its new address or slug away', async () => {
    await load([
      { ...bob, id: '2' },
      { type: 'organization', id: 'o', name: 'O', slug: 'o' },
    ])
    const moved = [
      { type: 'user', id: '2', email: 'ann@example.com', name: 'Bob' },
      { type: 'organization', id: 'o', name: 'O', slug: 'acme' },
    ]
    const told = [
      ['2', 'EMAIL_TAKEN'],
      ['o', 'SLUG_TAKEN'],
    ]
    expect((await load(moved, { isUpdating: true })).left).toEqual(told)
  })

  it('is none of somebody else’s with the same id', async () => {
    await target.sql`insert into accounts (id, user_id, provider_id, account_id, password) values ('a', '1', 'credential', '1', 'kept')`
    await target.sql`insert into members (id, organization_id, user_id, roles) values ('m', '1', '1', '{member}')`
    const way = {
      type: 'account',
      id: 'a',
      userId: '2',
      providerId: 'credential',
      password: await target.service.deps.passwords.hash('x'),
    }
    const team = { type: 'member', id: 'm', organizationId: '1', userId: '2', role: 'owner' }
    expect((await load([bob, way, team], { isUpdating: true })).left).toEqual([
      ['a', 'ID_TAKEN'],
      ['m', 'ID_TAKEN'],
    ])
    expect(await target.sql`select password from accounts`).toEqual([{ password: 'kept' }])
    expect(await target.sql`select user_id, roles from members`).toEqual([{ user_id: '1', roles: ['member'] }])
  })
})

it('own roles and fields come and go, and ids of pending invitations are secrets', async () => {
  await target.sql`update users set fields = '{"plan":"pro"}'`
  const role = { id: 'r', permission: { team: ['create'] }, createdAt: '2026-01-02T03:04:05.678Z', updatedAt: null }
  await target.sql`update organizations set fields = '{"seats":3}', own_roles = ${target.sql.json({ editor: role })}`
  await target.sql`
    insert into invitations (id, organization_id, email, roles, inviter_id, expires_at)
    values ('proof', '1', 'x@example.com', '{member}', '1', now() + interval '1 day')
  `
  const dump = async (withSecrets: boolean) => {
    const parts: string[] = []
    const write = async (part: string) => void parts.push(part)
    await exportRecords(target.sql, { keys: target.service.deps.keys, withSecrets, write })
    return parts.join('')
  }
  const before = await dump(true)
  expect(await dump(false)).not.toContain('proof')
  await target.sql`delete from users`
  await target.sql`delete from organizations`
  await load(
    before
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object),
  )
  expect(await dump(true)).toBe(before)
  expect(before).toContain('"seats":3')
})

describe('a record of somebody else with the same id, in a run that replaces', () => {
  const since = '2021-02-03T04:05:06.789Z'
  const other = { type: 'organization', id: '1', name: 'Other', slug: 'other', createdAt: since }
  const member = { type: 'member', organizationId: '1', userId: '2', role: 'owner' }
  const cases: readonly (readonly [string, readonly object[]])[] = [
    ['a user', [bob, { ...mallory, createdAt: since }, way]],
    ['an organization', [bob, other, member]],
    ['a team', [bob, { type: 'team', id: '1', organizationId: '2', name: 'Other' }]],
  ]

  it.each(cases)('stops it before anything of that is stored: %s', async (_, records) => {
    await target.sql`insert into teams (id, organization_id, name) values ('1', '1', 'Team')`
    await target.sql`insert into organizations (id, name, slug) values ('2', 'Two', 'two')`
    await tellSignIn('1')
    for (const batch of [null, 1])
      await expect(load(records, { batch, isUpdating: true })).rejects.toThrow(
        /^Somebody else has these ids here: (user|organization|team) 1\./,
      )
    expect(await stored()).toEqual({ users: 1, accounts: 0, members: 0 })
    expect(await target.sql`select email from users`).toEqual([{ email: 'ann@example.com' }])
  })

  it('is reported by a dry run', async () => {
    const { left } = await load([{ ...mallory, createdAt: since }], { isUpdating: true, isDryRun: true })
    expect(left).toEqual([['1', 'STRANGER']])
  })

  it('is taken for the same one where nothing tells when they began', async () => {
    const [before] = await target.sql`select created_at from users where id = '1'`
    for (const createdAt of [undefined, null])
      for (const batch of [null, 1])
        for (const email of ['mallory@example.com', 'mal@example.com'])
          expect((await load([{ ...mallory, email, createdAt }], { batch, isUpdating: true })).left).toEqual([])
    expect(await target.sql`select email, created_at from users`).toEqual([{ email: 'mal@example.com', ...before }])
  })

  it('is reported as changed here where a slug was, and stops nothing', async () => {
    await target.sql`
      insert into audit_events (id, event, request_id, organization_id) values ('e', 'organization-updated', 'r', '1')
    `
    const record = { type: 'organization', id: '1', name: 'Acme', slug: 'old' }
    for (const batch of [null, 1])
      expect((await load([record], { batch, isUpdating: true })).left).toEqual([['1', 'CHANGED_HERE']])
  })
})

describe('somebody who is there already', () => {
  const since = '2020-02-03T04:05:06.789Z'
  const old = { ...bob, createdAt: since }
  const acme = { type: 'organization', id: '2', name: 'Other', slug: 'other', createdAt: since }

  it('stays the same with another address or slug, since both began at the same moment', async () => {
    await load([old, acme])
    await target.sql`update users set email = 'robert@example.com' where id = '2'`
    await target.sql`update organizations set slug = 'renamed' where id = '2'`
    for (const batch of [null, 1]) {
      const { left, summary } = await load([old, acme, { ...way, userId: '2' }], { batch })
      expect([left, summary.present]).toMatchObject([[], { user: 1, organization: 1 }])
    }
    expect((await target.sql`select email from users where id = '2'`)[0]).toEqual({ email: 'robert@example.com' })
  })

  it('is a stranger who began at another moment', async () => {
    await load([old])
    await target.sql`update users set email = 'robert@example.com' where id = '2'`
    for (const createdAt of ['2020-02-03T04:05:06.788Z', undefined])
      await expect(load([{ ...bob, createdAt }])).rejects.toThrow('Somebody else has these ids here: user 2')
  })
})
