import { beforeAll, describe, expect, it } from 'vitest'
import { verifiedPerson } from '../../testing/mailed.ts'
import { createAskers } from '../../testing/organization-askers.ts'
import { done, type Founded, found, type Insider } from '../../testing/organizations.ts'
import { enough, rounds } from '../../testing/rounds.ts'
import { type TestService, testPassword } from '../../testing/service.ts'
import { useMade, useTestService } from '../../testing/use-service.ts'
import type { Visitor } from '../../testing/visitor.ts'

const service = useTestService({ MAXIMUM_TEAMS: '10000', MEMBERSHIP_LIMIT: '10000', ORGANIZATION_LIMIT: '10000' })
let owner: Insider
const acme = useMade(() => found(service))
beforeAll(() => {
  owner = acme.owner
})

const { meanwhile } = createAskers(() => service)
const foundWithTwo = async (at: TestService): Promise<readonly [Founded, Insider, Insider]> => {
  const firm = await found(at)
  return [firm, await firm.join('member'), await firm.join('member')]
}
const path = (call: string) => `/organization/${call}`
const create = async (at: Founded = acme): Promise<string> =>
  (await done(at.owner.post(path('create-team'), { name: crypto.randomUUID() }))).id
const add = (teamId: string, userId: string, person = owner) => person.post(path('add-team-member'), { teamId, userId })
const remove = (teamId: string, userId: string) => owner.post(path('remove-team-member'), { teamId, userId })
const use = (person: Visitor, teamId: string | null | undefined) => person.post(path('set-active-team'), { teamId })
const activeTeam = async (person: Visitor) => (await person.get('/get-session')).body.session.activeTeamId
const ids = (rows: readonly { id: string }[]) => rows.map(({ id }) => id)
const teamsOf = async (person: Visitor, query = '') => ids((await person.get(path(`list-user-teams${query}`))).body)
const membersOf = async (teamId: string) =>
  (await owner.get(path(`list-team-members?teamId=${teamId}`))).body.map((one: { userId: string }) => one.userId)
/** What the tables say, which always is the same. */
const stored = async ({ memberId, userId }: Insider) => {
  const [row] = await service.deps.sql<{ teamId: string | null; teamIds: string[]; rows: string[] }[]>`
    select team_id, team_ids, array(
      select team_id from team_members where user_id = ${userId} and organization_id = m.organization_id
    ) as rows
    from members m where id = ${memberId}
  `
  expect([row?.teamId ?? undefined, row?.rows.toSorted()]).toEqual([row?.teamIds[0], row?.teamIds.toSorted()])
  return row?.teamIds
}

describe('somebody in several teams', () => {
  /** An organization whose owner and another member are in two teams each, and an invitation that names both. */
  const foundTeams = async () => {
    const firm = await found(service)
    const member = await firm.join('member')
    const teams = [await create(firm), await create(firm)]
    for (const team of teams) for (const { userId } of [firm.owner, member]) await done(add(team, userId, firm.owner))
    await done(use(firm.owner, teams[1]))
    const email = `eve-${crypto.randomUUID()}@example.com`
    await done(firm.owner.post(path('invite-member'), { email, role: 'member', teamId: teams }))
    return { firm, member }
  }
  const left = async (organizationId: string) => {
    const { sql } = service.deps
    return [
      ...(await sql`select id from organizations where id = ${organizationId}`),
      ...(await sql`select team_id from team_members where organization_id = ${organizationId}`),
      ...(await sql`select id from invitations where organization_id = ${organizationId}`),
    ]
  }

  it('does not keep the organization from being deleted', async () => {
    const { firm } = await foundTeams()
    expect((await firm.owner.post(path('delete'), { organizationId: firm.id })).status).toBe(200)
    expect(await left(firm.id)).toEqual([])
  })

  it('is taken out of one of them alone, and nobody else of it', async () => {
    const [bob, carol] = [await acme.join('member'), await acme.join('member')]
    const [red, blue] = [await create(), await create()]
    for (const team of [red, blue]) for (const { userId } of [bob, carol]) await done(add(team, userId))
    await done(remove(red, bob.userId))
    expect([await stored(bob), await stored(carol)]).toEqual([[blue], [red, blue]])
  })

  it('leaves it, and deletes the account', async () => {
    const { firm, member } = await foundTeams()
    expect((await member.post('/delete-user', { password: testPassword })).status).toBe(200)
    expect((await firm.owner.post(path('list-teams'))).status).not.toBe(500)
    expect(await service.deps.sql`select from team_members where user_id = ${member.userId}`).toEqual([])
  })

  it('who is alone in it deletes the account, and the organization with it', async () => {
    const { firm, member } = await foundTeams()
    await done(firm.owner.post(path('remove-member'), { memberIdOrEmail: member.memberId }))
    expect((await firm.owner.post('/delete-user', { password: testPassword })).status).toBe(200)
    expect(await left(firm.id)).toEqual([])
  })
})

describe('a member in several teams', () => {
  it('is in each of them until they leave it', async () => {
    const [red, blue, bob] = [await create(), await create(), await acme.join('member')]
    expect((await add(red, bob.userId)).body).toMatchObject({ teamId: red, teamIds: [red] })
    expect((await add(blue, bob.userId)).body).toMatchObject({ teamId: blue, teamIds: [red, blue] })
    expect((await add(red, bob.userId)).body).toMatchObject({ teamId: red, teamIds: [red, blue] })
    expect([await membersOf(red), await membersOf(blue), await stored(bob)]).toEqual([
      [bob.userId],
      [bob.userId],
      [red, blue],
    ])
    expect((await bob.get(path('get-active-member'))).body).toMatchObject({ teamId: red, teamIds: [red, blue] })
    expect((await remove(red, bob.userId)).body).toMatchObject({
      teamId: blue,
      teamIds: [blue],
      message: 'Team member removed successfully.',
    })
    expect((await remove(red, bob.userId)).body.message).toBe('Member not found')
    expect([await teamsOf(bob), await stored(bob)]).toEqual([[blue], [blue]])
  })

  it('is counted, and loses a team with it', async () => {
    const [red, blue, bob] = [await create(), await create(), await acme.join('member')]
    for (const team of [red, blue]) await done(add(team, bob.userId))
    const { teams } = (await owner.get(path('get-full-organization'))).body
    expect(teams.find(({ id }: { id: string }) => id === red)).toMatchObject({ memberCount: 1 })
    await done(owner.post(path('remove-team'), { teamId: red }))
    expect([await teamsOf(bob), await stored(bob)]).toEqual([[blue], [blue]])
  })

  it('cannot be put into a team of another organization, nor a stranger into one of this', async () => {
    const other = await found(service)
    const [theirs, ours, bob] = [await create(other), await create(), await acme.join('member')]
    expect((await add(theirs, bob.userId)).body.message).toBe('Team not found')
    expect((await add(ours, other.owner.userId)).body.message).toBe('Member not found')
    await expect(
      service.deps.sql`update members set team_ids = ${[theirs]} where id = ${bob.memberId}`,
    ).rejects.toMatchObject({ constraint_name: 'team_members_team_id_fkey' })
  })

  it('loses all of them by leaving the organization', async () => {
    const [red, bob] = [await create(), await acme.join('member')]
    await done(add(red, bob.userId))
    await done(bob.post(path('leave'), { organizationId: acme.id }))
    expect([await teamsOf(bob), await membersOf(red)]).toEqual([[], []])
  })

  it('is moved by a version that knows of one team only', async () => {
    const [red, blue, green, bob] = [await create(), await create(), await create(), await acme.join('member')]
    for (const team of [red, blue]) await done(add(team, bob.userId))
    const { sql } = service.deps
    await sql`update members set team_id = ${green} where id = ${bob.memberId}`
    expect(await stored(bob)).toEqual([green, blue])
    await sql`update members set team_id = null where id = ${bob.memberId}`
    expect(await stored(bob)).toEqual([blue])
  })

  it(`gets both of two at once, ${rounds} times`, enough, async () => {
    for (let round = 0; round < rounds; round += 1) {
      const [red, blue, bob] = [await create(), await create(), await acme.join('member')]
      await Promise.all([add(red, bob.userId), add(blue, bob.userId)])
      expect((await stored(bob))?.toSorted()).toEqual([red, blue].toSorted())
      await Promise.all([remove(red, bob.userId), owner.post(path('remove-team'), { teamId: blue })])
      expect(await stored(bob)).toEqual([])
    }
  })

  it('is not put into a team that another one fills meanwhile', async () => {
    const small = await service.sibling({ MAXIMUM_MEMBERS_PER_TEAM: '1' })
    const [firm, bob, carol] = await foundWithTwo(small)
    const team = await create(firm)
    const late = await meanwhile(
      (tx) => tx`select from organizations where id = ${firm.id} for update`,
      () => add(team, bob.userId, firm.owner),
      (tx) => tx`update members set team_ids = ${[team]} where id = ${carol.memberId}`,
    )
    expect([late.status, late.body.code, await stored(bob)]).toEqual([403, 'TEAM_MEMBER_LIMIT_REACHED', []])
  })

  it('is not joined by an invitation once another one has filled the team', async () => {
    const small = await service.sibling({ MAXIMUM_MEMBERS_PER_TEAM: '1' })
    const [firm, bob] = await foundWithTwo(small)
    const [team, carol] = [await create(firm), await verifiedPerson(small)]
    const invitationId = await firm.invite(carol.email, 'member', { teamId: team })
    await done(add(team, bob.userId, firm.owner))
    const late = await carol.post(path('accept-invitation'), { invitationId })
    expect([late.status, late.body.code]).toEqual([403, 'TEAM_MEMBER_LIMIT_REACHED'])
    expect((await carol.get(path('list'))).body).toEqual([])
  })

  it(`is never one too many, ${rounds} times`, enough, async () => {
    const strict = await service.sibling({ MAXIMUM_MEMBERS_PER_TEAM: '2' })
    for (let round = 0; round < rounds; round += 1) {
      const small = await found(strict)
      const team = await create(small)
      const people = [await small.join('member'), await small.join('member'), await small.join('member')]
      const answers = await Promise.all(people.map(({ userId }) => add(team, userId, small.owner)))
      expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(['200', '200', '403'])
      const [first] = people.filter((_, n) => answers[n]?.status === 200)
      expect((await add(team, first?.userId ?? '', small.owner)).status).toBe(200)
    }
  })
})

describe('the active team', () => {
  it('is that of the organization that was made, and of an invitation to one team', async () => {
    expect(await activeTeam(owner)).toBe(acme.teamId)
    const [bob, carol] = [(await found(service)).owner, (await found(service)).owner]
    const [red, blue] = [await create(), await create()]
    const accept = async (person: Insider, teamId: readonly string[]) =>
      done(
        person.post(path('accept-invitation'), {
          invitationId: await acme.invite(person.email, 'member', { teamId }),
        }),
      )
    expect((await accept(bob, [red])).member).toMatchObject({ teamId: red, teamIds: [red] })
    expect(await activeTeam(bob)).toBe(red)
    const { member, invitation } = await accept(carol, [blue, red, blue])
    expect([member.teamIds, invitation.teamIds]).toEqual([
      [blue, red],
      [blue, red],
    ])
    expect([await activeTeam(carol), await stored({ ...carol, memberId: member.id })]).toEqual([null, [blue, red]])
  })

  it('is chosen among the own ones of the active organization, and left', async () => {
    const [red, blue, bob] = [await create(), await create(), await acme.join('member')]
    await done(add(red, bob.userId))
    await done(add(blue, owner.userId))
    expect((await use(bob, red)).body).toMatchObject({ id: red, organizationId: acme.id })
    expect([await activeTeam(bob), (await use(bob, undefined)).body.id]).toEqual([red, red])
    expect((await use(bob, blue)).body.message).toBe('User is not a member of the team')
    expect((await bob.get(path('list-team-members'))).body).toMatchObject([{ userId: bob.userId, teamId: red }])
    expect([(await use(bob, null)).text, await activeTeam(bob), (await use(bob, undefined)).text]).toEqual([
      'null',
      null,
      'null',
    ])
    const other = await found(service)
    expect((await use(bob, other.teamId)).body.message).toBe('Team not found')
  })

  it('ends with the membership, the team, and the choice of another organization', async () => {
    const [red, bob] = [await create(), await acme.join('member')]
    const chosen = async () => {
      await done(bob.post(path('set-active'), { organizationId: acme.id }))
      await done(add(red, bob.userId))
      await done(use(bob, red))
    }
    await chosen()
    await done(remove(red, bob.userId))
    expect(await activeTeam(bob)).toBeNull()
    await chosen()
    await done(bob.post(path('set-active'), { organizationId: null }))
    expect(await activeTeam(bob)).toBeNull()
    await chosen()
    await done(bob.post(path('set-active'), { organizationId: acme.id }))
    expect(await activeTeam(bob)).toBe(red)
    await done(owner.post(path('remove-team'), { teamId: red }))
    expect(await activeTeam(bob)).toBeNull()
  })

  it('is none that ends while it is chosen', async () => {
    const [red, bob] = [await create(), await acme.join('member')]
    await done(add(red, bob.userId))
    const late = await meanwhile(
      (tx) => tx`update members set team_ids = '{}' where id = ${bob.memberId}`,
      () => use(bob, red),
      async () => undefined,
    )
    expect([late.status, await activeTeam(bob)]).toEqual([403, null])
  })

  it(`is never one that was left, ${rounds} times`, enough, async () => {
    for (let round = 0; round < rounds; round += 1) {
      const [red, bob] = [await create(), await acme.join('member')]
      await done(add(red, bob.userId))
      const [chosen] = await Promise.all([use(bob, red), remove(red, bob.userId)])
      expect([200, 403]).toContain(chosen.status)
      expect(await activeTeam(bob)).toBeNull()
    }
  })
})

describe('the teams of a user', () => {
  it('are their own everywhere, or in one organization', async () => {
    const other = await found(service)
    const [red, bob] = [await create(), other.owner]
    await done(
      bob.post(path('accept-invitation'), { invitationId: await acme.invite(bob.email, 'member', { teamId: red }) }),
    )
    expect((await teamsOf(bob)).toSorted()).toEqual([red, other.teamId ?? ''].toSorted())
    expect(await teamsOf(bob, `?organizationId=${other.id}`)).toEqual([other.teamId])
    expect(await teamsOf(owner, `?userId=${bob.userId}`)).toEqual([red])
  })

  it('of another are for members who may change them', async () => {
    const [bob, carol] = [await acme.join('member'), await acme.join('admin')]
    expect((await bob.get(path(`list-user-teams?userId=${carol.userId}`))).status).toBe(403)
    expect(await teamsOf(carol, `?userId=${bob.userId}`)).toEqual([])
    const stranger = (await found(service)).owner
    expect((await carol.get(path(`list-user-teams?userId=${stranger.userId}`))).status).toBe(400)
  })
})

it('an invitation names several teams of the organization, and loses those that are deleted', async () => {
  const other = await found(service)
  const [red, blue] = [await create(), await create()]
  const email = `bob-${crypto.randomUUID()}@example.com`
  const asked = (teamId: unknown) => owner.post(path('invite-member'), { email, role: 'member', teamId })
  expect((await asked([red, other.teamId])).body.message).toBe('Team not found')
  expect((await asked(['x'.repeat(9), red])).body.message).toBe('Team not found')
  expect((await asked([])).body).toMatchObject({ teamId: null, teamIds: [] })
  const again = { email, role: 'member', teamId: [red, blue], resend: true }
  expect((await owner.post(path('invite-member'), again)).body).toMatchObject({ teamId: red, teamIds: [red, blue] })
  await done(owner.post(path('remove-team'), { teamId: red }))
  const pending = (await owner.get(path('list-invitations'))).body
  expect(pending.find((one: { email: string }) => one.email === email)).toMatchObject({ teamId: blue, teamIds: [blue] })
})
