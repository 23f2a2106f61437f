import { beforeEach, describe, expect, it } from 'vitest'
import { createApp } from '../../app.ts'
import { untilWaiting } from '../../testing/locks.ts'
import { verifiedPerson } from '../../testing/mailed.ts'
import { done, type Founded, found, type Insider } from '../../testing/organizations.ts'
import { race, steady } from '../../testing/races.ts'
import { makeRole } from '../../testing/role-ways.ts'
import { enough, rounds } from '../../testing/rounds.ts'
import { useTestService } from '../../testing/use-service.ts'
import { createVisitor, type Reply, type Visitor } from '../../testing/visitor.ts'

const service = useTestService()
let acme: Founded
let owner: Insider
let admin: Insider
beforeEach(async () => {
  acme = await found(service)
  owner = steady(acme.owner, service)
  admin = steady(await acme.join('admin'), service)
})

const inAcme = (more: object = {}) => ({ organizationId: acme.id, ...more })
const update = (person: Visitor, roleName: string, data: object) =>
  person.post('/organization/update-role', inAcme({ roleName, data }))
const remove = (person: Visitor, roleName: string) => person.post('/organization/delete-role', inAcme({ roleName }))
const promote = (person: Visitor, { memberId }: Insider, role: string) =>
  person.post('/organization/update-member-role', inAcme({ memberId, role }))
const invite = (person: Visitor, role: string, email = `x-${crypto.randomUUID()}@example.com`) =>
  person.post('/organization/invite-member', inAcme({ email, role }))
const accept = (person: Visitor, invitationId: string) =>
  person.post('/organization/accept-invitation', { invitationId })
/** The roles of all members and open invitations. */
const given = async (): Promise<string[]> =>
  (
    await service.deps.sql`
      select unnest(roles) as role from members where organization_id = ${acme.id}
      union select unnest(roles) from invitations where organization_id = ${acme.id} and status = 'pending'
    `
  ).map(({ role }) => role)
/** Takes roles from everybody and deletes them: an organization has room for so many. */
async function forget(ben: Insider, names: readonly string[]): Promise<void> {
  await done(promote(owner, ben, 'member'))
  await service.deps.sql`delete from invitations where organization_id = ${acme.id}`
  for (const name of names) await remove(owner, name)
}
const rolesHere = async (): Promise<string[]> =>
  (await done(owner.get(`/organization/list-roles?organizationId=${acme.id}`))).map(
    ({ role }: { role: string }) => role,
  )

describe('a role with permissions that no role of the settings has any more', () => {
  /** Somebody at a service whose settings allow nothing about teams. */
  const withoutTeams = (person: Insider) => {
    const { config } = service.deps
    const roles = Object.fromEntries(
      Object.entries(config.roles).map(([name, { team: _team, ...rest }]) => [name, rest]),
    )
    const changed = { ...config, roles }
    const there = createVisitor(createApp({ ...service.deps, config: changed }), changed)
    for (const [name, value] of person.cookies) there.cookies.set(name, value)
    return there
  }

  beforeEach(() => makeRole(owner, 'clerk', { organization: ['update'], team: ['delete'] }))

  it('is given by owners alone, since it may allow them again', async () => {
    const ben = await acme.join('member')
    const adminThere = withoutTeams(admin)
    expect([(await promote(adminThere, ben, 'clerk')).status, (await invite(adminThere, 'clerk')).status]).toEqual([
      403, 403,
    ])
    await done(promote(withoutTeams(owner), ben, 'clerk'))
    await done(invite(withoutTeams(owner), 'clerk'))
    await done(invite(admin, 'clerk'))
  })

  it('is not joined by an invitation of somebody who could not give it now', async () => {
    const eve = await verifiedPerson(service)
    const { id } = await done(invite(admin, 'clerk', eve.email))
    const eveThere = withoutTeams({ ...eve, memberId: '' } as Insider)
    expect((await accept(eveThere, id)).status).toBe(400)
    await done(accept(eve, id))
  })

  it('can be given by others once a change has dropped them', async () => {
    const ben = await acme.join('member')
    await done(update(withoutTeams(owner), 'clerk', { roleName: 'writer' }))
    await done(promote(withoutTeams(admin), ben, 'writer'))
    expect(
      (await done(ben.post('/organization/has-permission', inAcme({ permissions: { team: ['delete'] } })))).success,
    ).toBe(false)
  })
})

describe('of two who act at once', () => {
  it('who accepts an invitation waits for a change of the role, and does not get more than its inviter had', async () => {
    await makeRole(owner, 'editor')
    const eve = await verifiedPerson(service)
    const { id } = await done(invite(admin, 'editor', eve.email))
    let asked: Promise<Reply> | undefined
    await service.deps.sql.begin(async (tx) => {
      await tx`select from organizations where id = ${acme.id} for no key update`
      asked = accept(eve, id)
      await untilWaiting(service)
      await tx`
        update organizations set own_roles = jsonb_set(own_roles, '{editor,permission}', '{"organization": ["delete"]}')
        where id = ${acme.id}
      `
    })
    expect((await asked)?.status).toBe(400)
    expect(await given()).toContain('editor')
    const [joined] = await service.deps.sql`
      select from members m join users u on u.id = m.user_id where u.email = ${eve.email} and m.organization_id = ${acme.id}
    `
    expect(joined).toBeUndefined()
  })

  it(
    `one strengthens a role and one accepts it: who is not in before the change does not get in, ${rounds} times`,
    enough,
    async () => {
      for (let round = 0; round < rounds; round += 1) {
        const name = `editor${round}`
        await makeRole(owner, name)
        const eve = await verifiedPerson(service)
        const { id } = await done(invite(admin, name, eve.email))
        const [, accepted] = await race(
          () => update(owner, name, { permission: { organization: ['delete'] } }),
          () => accept(eve, id),
        )
        const events = await service.deps.sql`
        select event from audit_events where organization_id = ${acme.id}
          and (details ->> 'to' = ${name} or details ->> 'role' = ${name})
          and event in ('organization-role-updated', 'invitation-accepted')
      `
        const told = new Set(events.map(({ event }) => event))
        const isIn = accepted?.status === 200
        expect(told).toEqual(new Set(['organization-role-updated', ...(isIn ? ['invitation-accepted'] : [])]))
        // Accepted or broken, the promise counts no more.
        expect((await accept(eve, id)).status).toBe(400)
      }
    },
  )

  it.each([
    ['a member is given', (role: string, ben: Insider) => promote(owner, ben, role)],
    ['somebody is invited to', (role: string) => invite(owner, role)],
  ])(
    `%s a role that one renames or deletes: nobody has a role that is none, ${rounds} times`,
    enough,
    async (_, give) => {
      const ben = await acme.join('member')
      const changes = [
        (role: string) => update(admin, role, { roleName: `${role}-new` }),
        (role: string) => remove(admin, role),
      ]
      for (const [at, change] of changes.entries())
        for (let round = 0; round < rounds; round += 1) {
          const role = `editor-${at}-${round}`
          await makeRole(owner, role)
          await race(
            () => give(role, ben),
            () => change(role),
          )
          const known = await rolesHere()
          expect((await given()).filter((name) => !known.includes(name))).toEqual([])
          await forget(ben, [role, `${role}-new`])
        }
    },
  )

  it(`one accepts a role that one renames: it has the new name, ${rounds} times`, enough, async () => {
    for (let round = 0; round < rounds; round += 1) {
      const role = `editor${round}`
      await makeRole(owner, role)
      const eve = await verifiedPerson(service)
      const { id } = await done(invite(owner, role, eve.email))
      await race(
        () => accept(eve, id),
        () => update(admin, role, { roleName: `writer${round}` }),
      )
      const known = await rolesHere()
      expect((await given()).filter((name) => !known.includes(name))).toEqual([])
    }
  })
})
