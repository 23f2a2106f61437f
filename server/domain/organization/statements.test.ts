import { beforeAll, describe, expect, it } from 'vitest'
import { organizationAnswers } from '../../testing/organization-answers.ts'
import { type Founded, found, newSlug } from '../../testing/organizations.ts'
import { useMade, useTestService } from '../../testing/use-service.ts'
import type { Reply } from '../../testing/visitor.ts'

const service = useTestService()

/** Most statements that a call may cost, its session included; three where nothing is said. */
const allowed: Record<string, number> = {
  acceptInvitation: 4,
  addTeamMember: 4,
  createRole: 4,
  deleteRole: 4,
  updateRole: 4,
}

/** The statements of the last request alone: what an answer is made of is prepared before it. */
async function countLast(act: () => Promise<Reply>): Promise<{ status: number; statements: number }> {
  const { app } = service
  const send = app.request.bind(app)
  let before = 0
  app.request = (...request) => {
    before = service.statements.list.length
    return send(...request)
  }
  const { status } = await act()
  app.request = send
  return { status, statements: service.statements.list.length - before }
}

it.each(Object.entries(organizationAnswers(() => service)))('%s costs few statements', async (name, act) => {
  const { status, statements } = await countLast(act)
  expect([status, statements > 0, statements <= (allowed[name] ?? 3)]).toEqual([200, true, true])
})

describe('an organization of a hundred members, invitations and teams', () => {
  const acme = useMade(() => found(service))
  beforeAll(async () => {
    await fill(acme.id, 100)
  })

  it.each<[string, (path: Founded) => Promise<Reply>]>([
    ['get-full-organization', ({ owner }) => owner.get('/organization/get-full-organization')],
    ['set-active', ({ owner, id: organizationId }) => owner.post('/organization/set-active', { organizationId })],
    ['list-members', ({ owner }) => owner.get('/organization/list-members')],
    ['list-invitations', ({ owner }) => owner.get('/organization/list-invitations')],
    ['list-teams', ({ owner }) => owner.get('/organization/list-teams')],
    ['list', ({ owner }) => owner.get('/organization/list')],
    ['delete', ({ owner, id: organizationId }) => owner.post('/organization/delete', { organizationId })],
  ])('costs as many by %s as a small one', async (_name, ask) => {
    const small = await found(service)
    expect(await countLast(() => ask(acme))).toEqual(await countLast(() => ask(small)))
  })
})

async function fill(id: string, count: number): Promise<void> {
  const { sql } = service.deps
  const prefix = newSlug()
  await sql`
    insert into users (id, name, email)
    select ${prefix} || n, 'Bob', ${prefix} || n || '@example.com' from generate_series(1, ${count}::integer) n
  `
  await sql`insert into teams (id, organization_id, name) select id, ${id}, id from users where id like ${`${prefix}%`}`
  await sql`
    insert into members (id, organization_id, user_id, team_id) select id, ${id}, id, id from users
    where id like ${`${prefix}%`}
  `
  await sql`
    insert into invitations (id, organization_id, email, roles, inviter_id, expires_at)
    select id, ${id}, 'x' || email, '{member}', id, now() + interval '1 d' from users where id like ${`${prefix}%`}
  `
}
