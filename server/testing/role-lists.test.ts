import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectForMigration, type Driver } from '../db/connect.ts'
import { emptyDatabase } from './database.ts'

const folder = new URL('../../migrations/', import.meta.url)
const files = readdirSync(folder).toSorted()
const since = files.indexOf('0006_user_roles.sql')

let empty: Awaited<ReturnType<typeof emptyDatabase>>
let sql: Driver
const run = async (names: readonly string[]) => {
  for (const name of names) await sql.unsafe(readFileSync(new URL(name, folder), 'utf8'))
}

const stored = ['owner', 'member', 'member,admin', 'admin , owner', '']

beforeAll(async () => {
  empty = await emptyDatabase()
  sql = connectForMigration(empty.database)
  await run(files.slice(0, since))
  await sql`insert into organizations (id, name, slug) values ('o', 'Acme', 'acme')`
  await sql`insert into users (id, email, name, role) values ('none', 'none@example.com', 'Ann', null)`
  for (const role of stored) {
    await sql`insert into users (id, email, name, role) values (${role}, ${`${role}@example.com`}, 'Ann', ${role})`
    await sql`insert into members (id, organization_id, user_id, role) values (${role}, 'o', ${role}, ${role})`
    await sql`
      insert into invitations (id, organization_id, email, role, inviter_id, expires_at)
      values (${role}, 'o', ${`${role}@example.com`}, ${role}, ${role}, now())
    `
  }
  await run(files.slice(since))
})
afterAll(async () => {
  await sql.end()
  await empty.drop()
})

const tables = ['users', 'members', 'invitations'] as const
const both = async (table: string, id: string) =>
  (
    await sql<{ role: string | null; roles: string[] | null }[]>`select role, roles from ${sql(table)} where id = ${id}`
  )[0]

describe.each(tables)('of %s', (table) => {
  it.each(stored)('the role text %j becomes a list, and stays as it was', async (role) => {
    const roles = role === '' ? [] : role.split(',').map((name) => name.trim())
    expect(await both(table, role)).toEqual({ role, roles })
  })

  it('text and list follow each other', async () => {
    await sql`update ${sql(table)} set role = 'member,owner' where id = 'member'`
    expect(await both(table, 'member')).toEqual({ role: 'member,owner', roles: ['member', 'owner'] })
    await sql`update ${sql(table)} set roles = ${['admin', 'member']} where id = 'member'`
    expect(await both(table, 'member')).toEqual({ role: 'admin,member', roles: ['admin', 'member'] })
    await sql`update ${sql(table)} set roles = roles, role = 'member' where id = 'member'`
    expect(await both(table, 'member')).toEqual({ role: 'member', roles: ['member'] })
  })
})

it('a user without any role has neither', async () => {
  expect(await both('users', 'none')).toEqual({ role: null, roles: null })
  await sql`update users set role = 'admin' where id = 'none'`
  await sql`update users set role = null where id = 'none'`
  expect(await both('users', 'none')).toEqual({ role: null, roles: null })
})

describe('who is made', () => {
  it('by a version before the lists gets them', async () => {
    await sql`insert into users (id, email, name) values ('bob', 'bob@example.com', 'Bob')`
    await sql`insert into members (id, organization_id, user_id, role) values ('bob', 'o', 'bob', 'admin,member')`
    expect([await both('users', 'bob'), await both('members', 'bob')]).toEqual([
      { role: 'user', roles: ['user'] },
      { role: 'admin,member', roles: ['admin', 'member'] },
    ])
  })

  it('by this version is known to one before it', async () => {
    await sql`insert into users (id, email, name, roles) values ('cat', 'cat@example.com', 'Cat', '{admin,user}')`
    await sql`insert into members (id, organization_id, user_id, roles) values ('cat', 'o', 'cat', '{owner,member}')`
    await sql`insert into users (id, email, name) values ('dan', 'dan@example.com', 'Dan')`
    await sql`insert into members (id, organization_id, user_id) values ('dan', 'o', 'dan')`
    expect([await both('users', 'cat'), await both('members', 'cat'), await both('members', 'dan')]).toEqual([
      { role: 'admin,user', roles: ['admin', 'user'] },
      { role: 'owner,member', roles: ['owner', 'member'] },
      { role: 'member', roles: ['member'] },
    ])
  })

  it('is invited with the roles of the last who did, whichever version that was', async () => {
    const invite = (column: string, value: string | string[]) => sql`
      insert into invitations (id, organization_id, email, ${sql(column)}, inviter_id, expires_at)
      values ('eve', 'o', 'eve@example.com', ${value}, 'owner', now())
      on conflict (organization_id, email) where status = 'pending'
      do update set ${sql(column)} = excluded.${sql(column)}
    `
    await invite('role', 'member')
    await invite('roles', ['admin', 'owner'])
    expect(await both('invitations', 'eve')).toEqual({ role: 'admin,owner', roles: ['admin', 'owner'] })
    await invite('role', 'member,admin')
    expect(await both('invitations', 'eve')).toEqual({ role: 'member,admin', roles: ['member', 'admin'] })
  })
})
