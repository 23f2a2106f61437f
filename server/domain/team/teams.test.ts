import { beforeAll, expect, it } from 'vitest'
import { done, found, type Insider } from '../../testing/organizations.ts'
import { useMade, useTestService } from '../../testing/use-service.ts'

const service = useTestService()
let owner: Insider
const acme = useMade(() => found(service))
beforeAll(() => {
  owner = acme.owner
})

const create = async (name: string) => done(owner.post('/organization/create-team', { name }))
const remove = (teamId: string, person = owner) => person.post('/organization/remove-team', { teamId })
const teamOf = async ({ userId }: Insider) =>
  (
    await service.deps.sql<{ teamId: string | null }[]>`
    select team_id from members where user_id = ${userId} and organization_id = ${acme.id}
  `
  )[0]?.teamId

it('a new organization has a team of its name, with its creator in it', async () => {
  const [team, ...others] = (await owner.get('/organization/list-teams')).body
  const named = { id: acme.teamId, name: 'Acme', organizationId: acme.id, updatedAt: null }
  expect([team, others, await teamOf(owner)]).toMatchObject([named, [], acme.teamId])
  const later = await create('Later')
  expect(later.updatedAt).toBe(later.createdAt)
})

it('a rename changes the name alone, whatever else is sent', async () => {
  const other = await found(service)
  const team = await create('Red')
  const data = { name: 'Blue', organizationId: acme.id, id: 'x', createdAt: '2020-01-01T00:00:00Z', updatedAt: 'x' }
  const { body } = await owner.post('/organization/update-team', { teamId: team.id, data })
  expect(body).toEqual({ ...team, name: 'Blue', updatedAt: expect.any(String) })
  const moved = { ...data, organizationId: other.id }
  expect((await owner.post('/organization/update-team', { teamId: team.id, data: moved })).status).toBe(403)
  expect((await other.owner.get('/organization/list-teams')).body).toHaveLength(1)
  expect((await owner.post('/organization/update-team', { teamId: team.id, data: {} })).body).toEqual(body)
})

it('nobody removes the team that they are in, nor the last one', async () => {
  const firm = await found(service)
  const admin = await firm.join('admin')
  expect((await remove(firm.teamId ?? '', firm.owner)).body.message).toBe('You are not allowed to delete this team')
  expect((await remove(firm.teamId ?? '', admin)).body.message).toBe('Unable to remove last team')
  const lenient = await found(await service.sibling({ ALLOW_REMOVING_ALL_TEAMS: 'on' }))
  await done(
    lenient.owner.post('/organization/remove-team-member', { teamId: lenient.teamId, userId: lenient.owner.userId }),
  )
  expect((await remove(lenient.teamId ?? '', lenient.owner)).body).toEqual({ message: 'Team removed successfully.' })
})

it('who was in a removed team, or invited to it, stays in the organization', async () => {
  const { id } = await create('Green')
  const bob = await acme.join('member', id)
  const invitation = await acme.invite(`dave-${crypto.randomUUID()}@example.com`, 'member', { teamId: id })
  await done(remove(id))
  expect([await teamOf(bob), (await bob.get('/organization/get-active-member')).body.teamId]).toEqual([null, null])
  const [row] = await service.deps.sql`select team_id, status from invitations where id = ${invitation}`
  expect({ ...row }).toEqual({ teamId: null, status: 'pending' })
})

it.each(['', ' ', 'x'.repeat(201)])('%j is no name of a team', async (name) => {
  expect((await owner.post('/organization/create-team', { name })).status).toBe(400)
  expect((await owner.post('/organization/update-team', { teamId: acme.teamId, data: { name } })).status).toBe(400)
})

it('the organization that is named comes before the active one', async () => {
  const other = await found(service)
  await done(other.owner.post('/organization/set-active', { organizationId: null }))
  expect((await other.owner.get('/organization/list-teams')).body.message).toBe('No active organization')
  expect((await other.owner.get(`/organization/list-teams?organizationId=${other.id}`)).body).toHaveLength(1)
  expect(await owner.get(`/organization/list-teams?organizationId=${other.id}`)).toMatchObject({
    status: 403,
    text: '',
  })
})
