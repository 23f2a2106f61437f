import { describe, expect, it } from 'vitest'
import { dump } from '../../testing/calls.ts'
import { untilWaiting } from '../../testing/locks.ts'
import { machine, organizationKey } from '../../testing/machines.ts'
import { verifiedPerson, withHooks } from '../../testing/mailed.ts'
import { done, found } from '../../testing/organizations.ts'
import { dumpTables, trail } from '../../testing/rows.ts'
import { testPassword } from '../../testing/service.ts'
import { useTestService } from '../../testing/use-service.ts'
import type { Reply } from '../../testing/visitor.ts'

const service = useTestService()

const remove = ({ id: organizationId, owner }: Awaited<ReturnType<typeof found>>) =>
  owner.post('/organization/delete', { organizationId })

/** Columns of any table that name organizations, by the foreign keys there are, and how many rows hold this one. */
async function rowsOf(id: string): Promise<Record<string, number>> {
  const { sql } = service.deps
  const columns = await sql<{ table: string; column: string }[]>`
    select c.conrelid::regclass::text as table, a.attname as column
    from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = any(c.conkey)
    where c.contype = 'f' and c.confrelid = 'organizations'::regclass
  `
  const counts = columns.map(async ({ table, column }) => {
    const rows = await sql`select from ${sql(table)} where ${sql(column)} = ${id}`
    return [`${table}.${column}`, rows.length] as const
  })
  return Object.fromEntries(await Promise.all(counts))
}

const nothing = {
  'members.organization_id': 0,
  'teams.organization_id': 0,
  'invitations.organization_id': 0,
  'sessions.active_organization_id': 0,
  'users.organization_id': 0,
  'webhooks.organization_id': 0,
}

it('a deletion leaves no row of an organization, and clears it from every session of everybody', async () => {
  const acme = await found(service)
  const other = await found(service)
  const bob = await acme.join('member', acme.teamId ?? undefined)
  const phone = service.visitor()
  await done(phone.post('/sign-in/email', { email: bob.email, password: testPassword }))
  await done(phone.post('/organization/set-active', { organizationId: acme.id }))
  const dave = await verifiedPerson(service)
  const invitationId = await acme.invite(dave.email, 'member', { teamId: acme.teamId })
  await acme.owner.post('/organization/create-team', { name: 'Red' })
  const key = await organizationKey(acme)
  await done(acme.owner.post('/webhook/create', { url: 'https://receiver.example.com/', organizationId: acme.id }))
  expect(await rowsOf(acme.id)).toEqual({
    'members.organization_id': 3,
    'teams.organization_id': 2,
    'invitations.organization_id': 1,
    'sessions.active_organization_id': 3,
    'users.organization_id': 1,
    'webhooks.organization_id': 1,
  })
  expect((await remove(acme)).body).toMatchObject({ id: acme.id, slug: acme.slug })
  expect([await rowsOf(acme.id), (await rowsOf(other.id))['members.organization_id']]).toEqual([nothing, 1])
  expect((await dumpTables(service, trail)).includes(acme.id)).toBe(false)
  expect((await machine(service, key.token).get('/get-session')).body).toBeNull()
  for (const session of [acme.owner, bob, phone])
    expect((await session.get('/get-session')).body.session.activeOrganizationId).toBeNull()
  expect((await dave.post('/organization/accept-invitation', { invitationId })).body.message).toBe(
    'Invitation not found',
  )
  expect((await remove(acme)).body.message).toBe('User is not a member of the organization')
})

it('a deletion that is turned off or not allowed changes nothing, and the config file is not told', async () => {
  const told: unknown[] = []
  const hooks = { beforeDeleteOrganization: async ({ id }: { id: string }) => void told.push(id) }
  const acme = await found(await withHooks(service, hooks, { ORGANIZATION_DELETION: 'off' }))
  const admin = await acme.join('admin')
  const before = await dump(service)
  expect(await remove(acme)).toMatchObject({ status: 403, text: '', setCookies: [] })
  expect((await admin.post('/organization/delete', { organizationId: acme.id })).body.message).toBe(
    'You are not allowed to delete this organization',
  )
  expect([await dump(service), told]).toEqual([before, []])
})

it('a deletion that waits for who takes the right away finds it gone', async () => {
  const acme = await found(service)
  let removing: Promise<Reply> | undefined
  await service.deps.sql.begin(async (tx) => {
    await tx`select from organizations where id = ${acme.id} for no key update`
    removing = remove(acme)
    await untilWaiting(service)
    await tx`update members set roles = '{admin}' where id = ${acme.owner.memberId}`
  })
  expect([(await removing)?.status, (await rowsOf(acme.id))['members.organization_id']]).toEqual([403, 1])
})

describe('the functions of the config file', () => {
  const fail = () => {
    throw new Error('on purpose')
  }

  it('are told of the organization before and after', async () => {
    const told: unknown[] = []
    const tell = (when: string) => async (organization: { id: string }, user: { email: string }) => {
      told.push([when, organization.id, user.email, (await rowsOf(organization.id))['members.organization_id']])
    }
    const hooks = { beforeDeleteOrganization: tell('before'), afterDeleteOrganization: tell('after') }
    const acme = await found(await withHooks(service, hooks))
    await done(remove(acme))
    expect(told).toEqual([
      ['before', acme.id, acme.owner.email, 1],
      ['after', acme.id, acme.owner.email, 0],
    ])
  })

  it('keep it by throwing before, and not by throwing after', async () => {
    const kept = await found(await withHooks(service, { beforeDeleteOrganization: fail }))
    expect([(await remove(kept)).status, (await rowsOf(kept.id))['members.organization_id']]).toEqual([500, 1])
    const hooked = await withHooks(service, { afterDeleteOrganization: fail })
    const gone = await found(hooked)
    expect([(await remove(gone)).status, await rowsOf(gone.id)]).toEqual([200, nothing])
    expect(hooked.logged.filter(({ msg }) => msg === 'a hook failed')).toHaveLength(1)
  })

  it('may take their time: it stays when the right is gone meanwhile', async () => {
    const hooked = await withHooks(service, {
      beforeDeleteOrganization: ({ id }) =>
        service.deps.sql`update members set roles = '{admin}' where organization_id = ${id}`,
    })
    const acme = await found(hooked)
    expect([(await remove(acme)).status, (await rowsOf(acme.id))['members.organization_id']]).toEqual([403, 1])
  })
})
