import { expect, it } from 'vitest'
import { movePeer } from '../../../testing/better-auth-peer.ts'
import { betterAuthPool } from '../../../testing/better-auth-pool.ts'
import { emptyDatabase, settingsOf } from '../../../testing/database.ts'
import { importTarget } from '../../../testing/exports.ts'
import { useStarted } from '../../../testing/use-service.ts'

const target = importTarget()
const secret = (digit: string) => digit.repeat(96)
const hash = `${'0'.repeat(32)}:${'0'.repeat(128)}`

/** The tables of better-auth with a user, and a plain query of them. */
async function peerOf() {
  const { database, drop } = await emptyDatabase()
  const { sql, end } = betterAuthPool(database)
  await sql.unsafe(`
    create table "user" (id text primary key, email text, name text, "emailVerified" boolean);
    create table account (id text primary key, "userId" text, "providerId" text, "accountId" text, password text,
      "accessToken" text, scope text);
    create table organization (id text primary key, name text, slug text);
    create table team (id text primary key, name text, "organizationId" text);
    create table member (id text primary key, "organizationId" text, "userId" text);
    create table "teamMember" (id text primary key, "teamId" text, "userId" text);
    create table session (id text primary key, "userId" text, token text, "expiresAt" timestamptz,
      "activeOrganizationId" text);
    create table "twoFactor" (id text primary key, "userId" text, secret text);
    insert into "user" values ('ann', 'ann@example.com', 'Ann', true);
    insert into account values
      ('a1', 'ann', 'credential', 'ann', '${hash}', null, null), ('a2', 'ann', 'github', '7', null, 'token', 'all'),
      ('a3', 'ann', 'google', '7', null, null, null);
    insert into organization values ('acme', 'Acme', 'acme');
    insert into team values ('support', 'Support', 'acme');
    insert into member values ('m', 'acme', 'ann');
    insert into "teamMember" values ('tm', 'support', 'ann');
    insert into session values ('s', 'ann', 'a token that is long enough', now() + interval '1 day', 'acme');
    insert into "twoFactor" values ('f1', 'ann', '${secret('a')}');
  `)
  const stop = async () => {
    await end()
    await drop()
  }
  return { sql, from: settingsOf(database)['DATABASE_URL'] ?? '', stop }
}
const there = useStarted(() => peerOf())

const here = async () => ({
  accounts: await target.sql`
    select id, password is not null as password, access_token is not null as token, scope, mailbox_proof from accounts
    order by id`,
  sessions: await target.sql`select id, active_organization_id from sessions`,
  members: await target.sql`select id, team_ids from members`,
  factors: await target.sql`select id from imported_two_factors`,
})

it('what was cleared or replaced there since the first run is gone here after the next, and is told once', async () => {
  await movePeer(target.service, there.from)
  const proven = { mailbox_proof: 'earlier' }
  expect(await here()).toEqual({
    accounts: [
      { id: 'a1', password: true, token: false, scope: null, ...proven },
      { id: 'a2', password: false, token: true, scope: 'all', ...proven },
      { id: 'a3', password: false, token: false, scope: null, ...proven },
    ],
    sessions: [{ id: 's', active_organization_id: 'acme' }],
    members: [{ id: 'm', team_ids: ['support'] }],
    factors: [{ id: 'f1' }],
  })
  await there.sql.unsafe(`
    update account set password = null where id = 'a1';
    update account set "accessToken" = null, scope = null where id = 'a2';
    update session set "activeOrganizationId" = null;
    delete from "teamMember";
    update "twoFactor" set id = 'f2', secret = '${secret('b')}';
  `)
  const { summary, left } = await movePeer(target.service, there.from, { isSince: true })
  expect([left, summary.ended]).toEqual([[], 1])
  expect(summary.stored).toMatchObject({ account: 2, session: 1, member: 1, secondFactor: 1 })
  expect(await here()).toEqual({
    accounts: ['a1', 'a2', 'a3'].map((id) => ({ id, password: false, token: false, scope: null, ...proven })),
    sessions: [{ id: 's', active_organization_id: null }],
    members: [{ id: 'm', team_ids: [] }],
    factors: [{ id: 'f2' }],
  })
  const again = await movePeer(target.service, there.from, { isUpdating: true })
  expect(again.summary.stored).toMatchObject({ account: 0, session: 0, member: 0, secondFactor: 0 })
  expect([again.left, again.summary.ended]).toEqual([[], 0])
})
