import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { AuditEventName } from '../../../shared/audit-events.ts'
import { connectForMigration, type Driver } from '../../db/connect.ts'
import { adminOf, type Somebody, somebody } from '../../testing/admins.ts'
import { untilWaiting } from '../../testing/locks.ts'
import { linkTo } from '../../testing/mailed.ts'
import { recordsFile } from '../../testing/records-file.ts'
import { testPassword } from '../../testing/service.ts'
import { useTestService } from '../../testing/use-service.ts'
import type { Reply } from '../../testing/visitor.ts'
import { fileSource } from './file-source.ts'
import { type ImportOptions, importRecords } from './import-records.ts'
import { partsOf } from './prepare-parts.ts'

let sql: Driver
const service = useTestService({ RATE_LIMIT: 'off' })
beforeAll(() => {
  sql = connectForMigration(service.database)
})
afterAll(() => sql?.end())
/** From now on, nobody did anything here. */
const forget = () =>
  sql.begin(async (tx) => {
    await tx`select set_config('postern.audit_sweep', 'on', true)`
    await tx`delete from audit_events`
  })
beforeEach(async () => {
  for (const table of ['users', 'organizations', 'ended_imports']) await sql`delete from ${sql(table)}`
  await forget()
})

async function load(records: readonly object[], options: Partial<ImportOptions> = {}) {
  const left: string[] = []
  await importRecords(sql, await fileSource(await recordsFile(records)), {
    isDryRun: false,
    batch: null,
    isUpdating: true,
    parts: partsOf(service.deps),
    onLeftOut: ({ type, reason }) => left.push(`${type} ${reason}`),
    ...options,
  })
  return left
}

interface Told {
  readonly userId?: string
  readonly actorId?: string
  readonly organizationId?: string
  readonly target?: string
}
const tell = (event: AuditEventName, told: Told, to = sql) => to`
  insert into audit_events (id, event, request_id, user_id, actor_id, organization_id, target)
  values (
    ${crypto.randomUUID()}, ${event}, 'r', ${told.userId ?? null}, ${told.actorId ?? null},
    ${told.organizationId ?? null}, ${told.target ?? null}
  )
`

const user = (id: string, more: object = {}) => ({ type: 'user', id, email: `${id}@example.com`, name: id, ...more })
const github = (userId: string, more: object = {}) => ({
  type: 'account',
  id: `github-${userId}`,
  userId,
  providerId: 'github',
  accountId: userId,
  ...more,
})
const live = { expiresAt: new Date(Date.now() + 3_600_000).toISOString() }
const session = (userId: string, more: object = {}) => ({
  type: 'session',
  id: `session-${userId}`,
  userId,
  token: `token of ${userId}, long enough`,
  imported: true,
  ...live,
  ...more,
})
const nameNow = async () => (await sql`select name from users where id = 'ann'`)[0]?.['name']

describe('whose move an event holds up', () => {
  const arrivals = [user('ann', { name: 'New' }), github('ann'), session('ann')]
  const all = ['user CHANGED_HERE', 'account CHANGED_HERE', 'session CHANGED_HERE']

  it.each<AuditEventName>([
    'sign-in-failed',
    'device-link-asked',
    'user-code-wrong',
    'role-changed',
    'member-added',
    'team-member-removed',
    'user-exported',
  ])('%s about somebody: nobody’s', async (event) => {
    await load([user('ann')])
    await tell(event, { userId: 'ann', actorId: 'owner', organizationId: 'acme' })
    expect([await load(arrivals), await nameNow()]).toEqual([[], 'New'])
  })

  it.each<AuditEventName>(['sign-in-done', 'password-reset-done', 'user-banned', 'user-sessions-revoked'])(
    '%s about somebody: theirs',
    async (event) => {
      await load([user('ann')])
      await tell(event, { userId: 'ann', actorId: 'admin' })
      expect([await load(arrivals), await nameNow()]).toEqual([all, 'ann'])
    },
  )

  it('what somebody does to others: theirs, unless it was an attempt', async () => {
    await load([user('ann')])
    await tell('password-proof-failed', { userId: 'ann', actorId: 'ann' })
    expect(await load([user('ann', { name: 'Newer' })])).toEqual([])
    await tell('role-changed', { userId: 'ben', actorId: 'ann', organizationId: 'acme' })
    expect([await load(arrivals), await nameNow()]).toEqual([all, 'Newer'])
  })
})

describe('an organization that decided something here', () => {
  const acme = { type: 'organization', id: 'acme', name: 'Acme', slug: 'acme' }
  const team = { type: 'team', id: 'team', organizationId: 'acme', name: 'Team' }
  const member = (userId: string, role: string) => ({ type: 'member', organizationId: 'acme', userId, role })
  const people = [user('ann'), user('ben'), acme, team, member('ann', 'owner'), member('ben', 'admin')]
  const everyRun = [{ isUpdating: true }, { isUpdating: false }]

  it('keeps who was removed out, and whose role it changed as they are', async () => {
    await load(people)
    await sql`delete from members where user_id = 'ann'`
    await tell('member-removed', { userId: 'ann', organizationId: 'acme', actorId: 'ben' })
    await sql`update members set roles = '{member}' where user_id = 'ben'`
    await tell('role-changed', { userId: 'ben', organizationId: 'acme' })
    const later = [member('ann', 'owner'), member('ben', 'admin')]
    expect(await load(later, everyRun[0])).toEqual(['member CHANGED_HERE', 'member CHANGED_HERE'])
    expect(await load(later, everyRun[1])).toEqual(['member CHANGED_HERE'])
    expect(await sql`select user_id, roles from members`).toEqual([{ user_id: 'ben', roles: ['member'] }])
  })

  it('is about itself alone', async () => {
    await load(people)
    await tell('role-changed', { userId: 'ben', organizationId: 'other' })
    expect(await load([member('ben', 'owner')])).toEqual([])
    expect(await sql`select roles from members where user_id = 'ben'`).toEqual([{ roles: ['owner'] }])
  })

  it('keeps its name and its teams', async () => {
    await load(people)
    const changed = [
      { ...acme, name: 'Other' },
      { ...team, name: 'Other' },
    ]
    await tell('organization-updated', { organizationId: 'acme' })
    expect(await load(changed)).toEqual(['organization CHANGED_HERE'])
    await sql`delete from teams`
    await tell('team-deleted', { organizationId: 'acme', target: 'team' })
    for (const run of everyRun) expect(await load([team], run)).toEqual(['team CHANGED_HERE'])
    expect(await sql`select name from organizations`).toEqual([{ name: 'Acme' }])
  })

  it('does not come back once it was deleted', async () => {
    await load(people)
    await sql`delete from organizations`
    await tell('organization-deleted', { organizationId: 'acme' })
    for (const run of everyRun)
      expect(await load([acme, member('ann', 'owner')], run)).toEqual([
        'organization CHANGED_HERE',
        'member ORGANIZATION_UNKNOWN',
      ])
  })
})

describe('a proof of the mailbox', () => {
  const proofs = () => sql`select mailbox_proof, proven_email from accounts`
  const earlier = { mailbox_proof: 'earlier', proven_email: 'ann@example.com' }
  const unproven = { mailbox_proof: null, proven_email: null }
  const told = github('ann', { provenEmail: 'ann@example.com' })

  it('comes once the user is verified, and follows the address', async () => {
    await load([user('ann'), told])
    expect(await proofs()).toEqual([unproven])
    const verified = { emailVerified: true }
    expect([await load([user('ann', verified), told]), await proofs()]).toEqual([[], [earlier]])
    const moved = user('ann', { ...verified, email: 'other@example.com' })
    expect([await load([moved, told]), await proofs()]).toEqual([[], [unproven]])
  })

  it.each([
    ['the record says nothing of it', github('ann', { scope: 'new' })],
    ['the provider told another address', github('ann', { provenEmail: 'other@example.com' })],
    ['the record says so', github('ann', { accessToken: 'token', mailboxProof: null })],
  ])('does not come where %s', async (_, account) => {
    await load([user('ann'), github('ann', { mailboxProof: null })])
    await load([user('ann', { emailVerified: true }), account])
    expect(await proofs()).toEqual([unproven])
  })

  it('from here stays', async () => {
    await load([user('ann', { emailVerified: true }), github('ann')])
    await sql`update accounts set mailbox_proof = 'link', proven_email = 'earlier@example.com'`
    const rows = await proofs()
    expect(await load([user('ann', { name: 'New' }), { ...told, accessToken: 'token' }])).toEqual([])
    expect(await proofs()).toEqual(rows)
  })
})

describe('what this service renewed is not set back', () => {
  it.each([
    ['tokens that were refreshed here', 'tokens_version = 1'],
    ['an account that changed later here', "updated_at = '2030-01-01'"],
  ])('%s', async (_, change) => {
    const given = github('ann', { scope: 'old', updatedAt: '2026-01-01T00:00:00Z' })
    await load([user('ann'), given])
    expect(await load([{ ...given, scope: 'newer', updatedAt: '2026-01-01T00:00:00Z' }])).toEqual([])
    await sql.unsafe(`update accounts set ${change}`)
    expect(await load([given])).toEqual(['account CHANGED_HERE'])
    expect(await sql`select scope from accounts`).toEqual([{ scope: 'newer' }])
  })

  it('a session with a cookie of ours', async () => {
    await load([user('ann'), session('ann')])
    const later = { expiresAt: new Date(Date.now() + 7_200_000).toISOString() }
    expect(await load([session('ann', later)])).toEqual([])
    await sql`update sessions set secret_label = '\\x00'`
    expect(await load([session('ann')])).toEqual(['session CHANGED_HERE'])
    expect(await sql`select expires_at from sessions`).toEqual([{ expires_at: new Date(later.expiresAt) }])
  })
})

describe('what is done here while a run is under way', () => {
  it('is waited for, and stays', async () => {
    await load([user('ann'), user('ben'), session('ben')])
    const other = connectForMigration(service.database)
    let running: Promise<string[]> | undefined
    await other.begin(async (tx) => {
      await tx`update users set banned = true where id = 'ann'`
      await tell('user-banned', { userId: 'ann' }, tx as unknown as Driver)
      await tx`delete from users where id = 'ben'`
      await tell('user-removed', { userId: 'ben' }, tx as unknown as Driver)
      running = load([user('ann', { banned: false }), user('ben', { name: 'B' }), github('ann'), session('ben')])
      await untilWaiting(service)
    })
    const gone = ['user CHANGED_HERE', 'user CHANGED_HERE', 'account CHANGED_HERE', 'session USER_UNKNOWN']
    expect(await running).toEqual(gone)
    expect(await sql`select id, banned from users`).toEqual([{ id: 'ann', banned: true }])
    await other.end()
  })

  it('is waited for in an organization', async () => {
    const acme = { type: 'organization', id: 'acme', name: 'Acme', slug: 'acme' }
    const member = (role: string) => ({ type: 'member', organizationId: 'acme', userId: 'ann', role })
    await load([user('ann'), acme, member('owner')])
    const other = connectForMigration(service.database)
    let running: Promise<string[]> | undefined
    await other.begin(async (tx) => {
      await tx`select from organizations where id = 'acme' for no key update`
      await tx`update members set roles = '{member}'`
      await tell('role-changed', { userId: 'ann', organizationId: 'acme' }, tx as unknown as Driver)
      running = load([member('admin')])
      await untilWaiting(service)
    })
    expect(await running).toEqual(['member CHANGED_HERE'])
    expect(await sql`select roles from members`).toEqual([{ roles: ['member'] }])
    await other.end()
  })

  it('brings nobody back who is deleted before the rows of a run without updates', async () => {
    await load([user('ann')])
    const other = connectForMigration(service.database)
    let running: Promise<string[]> | undefined
    const records = Array.from({ length: 3 }, (_, index) => user(`new-${index}`))
    await other.begin(async (tx) => {
      // Holds the run up within its statement.
      await tx`insert into users (id, email, name) values ('x', 'new-0@example.com', 'X')`
      await tx`delete from users where id = 'ann'`
      await tell('user-removed', { userId: 'ann' }, tx as unknown as Driver)
      running = load([...records, user('ann')], { isUpdating: false })
      await untilWaiting(service)
    })
    expect(await running).toEqual(['user EMAIL_TAKEN', 'user CHANGED_HERE'])
    expect(await sql`select from users where id = 'ann'`).toEqual([])
    await other.end()
  })

  const newPassword = `another ${testPassword}`
  type Act = (owner: Somebody, admin: Somebody) => Promise<Reply>
  const acts: readonly (readonly [string, Act])[] = [
    [
      'another password',
      (owner) =>
        owner.post('/change-password', { currentPassword: testPassword, newPassword, revokeOtherSessions: true }),
    ],
    [
      'a reset',
      async ({ email }) => {
        const { token } = await linkTo(service, email, 'reset-password')
        return service.visitor().post('/reset-password', { token, newPassword })
      },
    ],
    [
      'a reset of somebody without an account',
      async ({ id, email }) => {
        await service.deps.sql`delete from accounts where user_id = ${id}`
        const { token } = await linkTo(service, email, 'reset-password')
        return service.visitor().post('/reset-password', { token, newPassword })
      },
    ],
    ['the end of all sessions', (owner) => owner.post('/revoke-sessions', {})],
    ['the end of the others', (owner) => owner.post('/revoke-other-sessions', {})],
    [
      'the end of all by an administrator',
      ({ id }, admin) => admin.post('/admin/revoke-user-sessions', { userId: id }),
    ],
    ['a ban', ({ id }, admin) => admin.post('/admin/ban-user', { userId: id })],
    [
      'a password of an administrator',
      ({ id }, admin) => admin.post('/admin/set-user-password', { userId: id, newPassword }),
    ],
    ['a deletion', ({ id }, admin) => admin.post('/admin/remove-user', { userId: id })],
  ]
  it.each(acts)('ends what the run stored before: %s', async (_, act) => {
    const [owner, admin] = [await somebody(service), await adminOf(service)]
    await service.visitor().post('/forget-password', { email: owner.email })
    await linkTo(service, owner.email, 'reset-password')
    await forget()
    let acting: Promise<Reply> | undefined
    const onStored = async () => {
      acting = act(owner, admin)
      await untilWaiting(service)
    }
    expect(await load([session(owner.id)], { onStored })).toEqual([])
    expect((await acting)?.status).toBe(200)
    expect(await sql`select from sessions where id = ${`session-${owner.id}`}`).toEqual([])
  })
})
