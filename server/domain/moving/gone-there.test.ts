import { expect, it } from 'vitest'
import { importTarget } from '../../testing/exports.ts'
import type { ImportOptions } from './import-records.ts'

const target = importTarget()

async function load(records: readonly object[], options: Partial<ImportOptions> = {}) {
  const { summary, left } = await target.load(records, options)
  expect(summary.different).toEqual([])
  return left.map(({ type, id, reason, detail }) => [type, id, reason, detail].filter(Boolean).join(' '))
}

const live = { expiresAt: new Date(Date.now() + 3_600_000).toISOString() }
const ann = { type: 'user', id: 'ann', email: 'ann@example.com', name: 'Ann' }
const acme = { type: 'organization', id: 'acme', name: 'Acme', slug: 'acme' }
const other = { type: 'organization', id: 'other', name: 'Other', slug: 'other' }
const team = { type: 'team', id: 'team', organizationId: 'acme', name: 'Team' }
const foreign = { type: 'team', id: 'foreign', organizationId: 'other', name: 'Foreign' }
const teams = (...ids: readonly string[]) => ({ teams: ids.map((id) => ({ id })) })
const member = { type: 'member', id: 'm', organizationId: 'acme', userId: 'ann', role: 'owner' }
const invitation = {
  type: 'invitation',
  id: 'i',
  organizationId: 'acme',
  email: 'ben@example.com',
  status: 'pending',
  inviterId: 'ann',
  ...live,
}
const session = { type: 'session', id: 's', userId: 'ann', token: 'a token that is long enough', ...live }
const here = [ann, acme, other, team, foreign]

it('a member and an invitation come without a team that is gone, or is of another organization', async () => {
  const told = await load([
    ...here,
    { ...member, ...teams('gone', 'team', 'foreign') },
    { ...invitation, teamIds: ['gone', 'team'] },
  ])
  expect(told).toEqual(['member m ALTERED teamIds', 'invitation i ALTERED teamIds'])
  const rows = await target.sql`select roles, team_ids from members union all select roles, team_ids from invitations`
  expect(rows).toEqual([
    { roles: ['owner'], team_ids: ['team'] },
    { roles: ['member'], team_ids: ['team'] },
  ])
})

it('a session comes without an active organization that its user left, and a team that is gone', async () => {
  const active = { activeOrganizationId: 'other', activeTeamId: 'gone' }
  const kept = { ...session, id: 'kept', token: 'another token, long enough', activeOrganizationId: 'acme' }
  expect(await load([...here, member, { ...session, ...active }, kept])).toEqual([
    'session s ALTERED activeOrganizationId, activeTeamId',
  ])
  expect(await target.sql`select id, active_organization_id, active_team_id from sessions order by id`).toEqual([
    { id: 'kept', active_organization_id: 'acme', active_team_id: null },
    { id: 's', active_organization_id: null, active_team_id: null },
  ])
})

it('an invitation that was sent again there lives longer here too, though it had expired here', async () => {
  const expired = { ...invitation, expiresAt: new Date(Date.now() - 1000).toISOString() }
  await load([...here, expired])
  expect(await load([invitation], { isUpdating: true })).toEqual([])
  expect(await target.sql`select id, status, expires_at > now() as is_live from invitations`).toEqual([
    { id: 'i', status: 'pending', is_live: true },
  ])
})

it('what is said later of a member of a team that was deleted here comes', async () => {
  await load([...here, { ...member, ...teams('team') }])
  await target.sql`delete from teams where id = 'team'`
  const demoted = { ...member, ...teams('team'), role: 'member' }
  expect(await load([demoted], { isUpdating: true })).toEqual(['member m ALTERED teamIds'])
  expect(await target.sql`select roles, team_ids from members`).toEqual([{ roles: ['member'], team_ids: [] }])
})

it('what cannot replace a record that is there is told', async () => {
  await load([...here, invitation])
  const changed = { ...invitation, inviterId: 'gone', status: 'canceled' }
  for (let run = 0; run < 2; run += 1)
    expect(await load([changed], { isUpdating: true })).toEqual(['invitation i USER_UNKNOWN'])
  expect(await load([{ ...invitation, inviterId: 'ann' }], { isUpdating: true })).toEqual([])
})
