import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { done, found } from '../../testing/organizations.ts'
import { useTestService } from '../../testing/use-service.ts'

const service = useTestService()

/** The tables as they were while a member had one team. */
const before = `
  drop function team_ids_follow_team_id, team_members_follow_members, take_out_of_team, leave_active_team cascade;
  alter table sessions drop column active_team_id;
  drop table team_members;
  alter table teams drop constraint teams_id_organization_id_key;
  alter table members drop column team_ids;
  alter table invitations drop column team_ids;
`
const names = ['0051_member_teams', '0052_invitation_teams', '0053_team_members', '0054_active_team']

it('whoever was in a team, or invited to one, still is after the migration', async () => {
  const [acme, other] = [await found(service), await found(service)]
  const alone = await acme.join('member')
  const guest = await service.person()
  const invitationId = await acme.invite(guest.email, 'member', { teamId: acme.teamId })
  const { sql } = service.deps
  await sql.unsafe(before)
  // A team of another organization, which no call allowed to store.
  await sql`update members set team_id = ${other.teamId} where id = ${alone.memberId}`
  for (const name of names)
    await sql.unsafe(readFileSync(new URL(`../../../migrations/${name}.sql`, import.meta.url), 'utf8'))
  const owner = { teamId: acme.teamId, teamIds: [acme.teamId] }
  expect(await done(acme.owner.get('/organization/get-active-member'))).toMatchObject(owner)
  expect(await done(acme.owner.get(`/organization/list-team-members?teamId=${acme.teamId}`))).toHaveLength(1)
  expect(await done(alone.get('/organization/list-user-teams'))).toEqual([])
  const [invitation] = await done(acme.owner.get('/organization/list-invitations'))
  expect(invitation).toMatchObject({ id: invitationId, ...owner })
  expect((await done(acme.owner.get('/get-session'))).session.activeTeamId).toBeNull()
})
