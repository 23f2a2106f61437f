import { beforeAll, describe, expect, it } from 'vitest'
import { verifiedPerson } from '../../testing/mailed.ts'
import { admit, done, found, type Insider } from '../../testing/organizations.ts'
import { useMade, useTestService } from '../../testing/use-service.ts'
import type { Json, Reply } from '../../testing/visitor.ts'

const service = useTestService()
let owner: Insider
const acme = useMade(() => found(service))
beforeAll(async () => {
  owner = acme.owner
  await fill(owner, acme.id)
})

/** What there may be from before the limits. */
const many = 1500

async function fill({ userId, email }: Insider, id: string): Promise<void> {
  const { sql } = service.deps
  const numbers = sql`generate_series(2, ${many}::integer) n`
  await sql`
    insert into organizations (id, name, slug, metadata)
    select 'o' || n, 'Other', 'other-' || n, json_build_object('text', repeat('x', 15000)) from ${numbers}
  `
  await sql`
    insert into members (id, organization_id, user_id, roles) select 'mine-' || n, 'o' || n, ${userId}, '{owner}' from ${numbers}
  `
  await sql`insert into users (id, name, email, image) select 'u' || n, 'Bob', n || '@example.com', repeat('x', 2000) from ${numbers}`
  await sql`insert into members (id, organization_id, user_id) select 'm' || n, ${id}, 'u' || n from ${numbers}`
  await sql`insert into teams (id, organization_id, name) select 't' || n, ${id}, 'Team ' || n from ${numbers}`
  await sql`update members set team_id = 't2' where id like 'm%' and organization_id = ${id}`
  await sql`
    update members set team_ids = array(select id from teams where organization_id = ${id})
    where user_id = ${userId} and organization_id = ${id}
  `
  await sql`
    insert into invitations (id, organization_id, email, roles, status, inviter_id, expires_at)
    select status || n, ${id}, status || n || '@example.com', '{member}', status, ${userId}, now() + interval '1 d'
    from ${numbers}, unnest(array['pending', 'rejected']) status
  `
  // Invited by everybody.
  await sql`
    insert into invitations (id, organization_id, email, roles, inviter_id, expires_at)
    select 'to-me-' || n, 'o' || n, ${email}, '{member}', ${userId}, now() + interval '1 d' from ${numbers}
  `
}

const call = (path: string) => `/organization/${path}`
/** Half a megabyte: what a page may hold, its last row, and names. */
const maxAnswerSize = 524_288

/** Where the list goes on: what its Link header says, resolved against what was asked. */
function nextOf({ headers }: Reply, path: string): string | undefined {
  const [, target] = /^<([^>]*)>; rel="next"$/.exec(headers.get('link') ?? '') ?? []
  return target === undefined ? undefined : path.replace(/\?.*$/, '') + target
}

/** All pages of a list, by its links. */
async function follow(path: string): Promise<{ pages: Json[][]; sizes: number[] }> {
  const [pages, sizes]: [Json[][], number[]] = [[], []]
  for (let at: string | undefined = path; at !== undefined; ) {
    const reply: Reply = await owner.get(at)
    expect(reply.status).toBe(200)
    pages.push(reply.body)
    sizes.push(reply.text.length)
    at = nextOf(reply, at)
  }
  return { pages, sizes }
}

describe('a list of fifteen hundred', () => {
  it.each([
    ['list', many],
    ['list-invitations', many - 1],
    ['list-invitations?status=rejected', many - 1],
    ['list-invitations?limit=70&status=all', 2 * (many - 1)],
    ['list-user-invitations', many - 1],
    ['list-teams', many],
    ['list-team-members?teamId=t2', many],
    ['list-user-teams', many],
  ])('%s is answered in pages of a bounded size, each row once', async (path, total) => {
    const { pages, sizes } = await follow(call(path))
    expect(Math.max(...sizes)).toBeLessThan(maxAnswerSize)
    expect(Math.max(...pages.map(({ length }) => length))).toBeLessThanOrEqual(100)
    const ids = pages.flat().map(({ id }) => id)
    expect([ids.length, new Set(ids).size]).toEqual([total, total])
  })

  it.each([
    ['limit=3', 3],
    ['limit=3&offset=4', 3],
    ['limit=100000', 100],
    ['limit=-1', 100],
    ['limit=0&offset=x', 100],
    ['offset=1499', 1],
    ['offset=1500', 0],
    ['offset=999999999', 0],
  ])('has the page that is asked for, and counts nonsense as absent: %s', async (query, length) => {
    const { status, body } = await owner.get(call(`list-teams?${query}`))
    expect([status, body.length]).toEqual([200, length])
  })

  it('says nothing of a next page where there is none', async () => {
    for (const query of ['limit=1&offset=1499', 'offset=1490', 'offset=1500'])
      expect((await owner.get(call(`list-teams?${query}`))).headers.has('link')).toBe(false)
    const reply = await owner.get(call(`list-teams?organizationId=${acme.id}&limit=2`))
    expect(nextOf(reply, 'x')).toBe(`x?organizationId=${acme.id}&limit=2&offset=2`)
  })
})

describe('a full organization', () => {
  it('holds the start of what is too long, and says so', async () => {
    const { text, body } = await owner.get(call('get-full-organization'))
    expect(text.length).toBeLessThan(maxAnswerSize)
    expect([body.members.length, body.invitations.length, body.teams.length]).toEqual([100, 100, 100])
    expect(body.incomplete).toEqual(['members', 'invitations', 'teams'])
  })

  it('is as bounded where it is made the active one, which never tells of teams', async () => {
    const { text, body } = await owner.post(call('set-active'), { organizationId: acme.id })
    expect(text.length).toBeLessThan(maxAnswerSize)
    expect([body.members.length, body.invitations.length, body.teams]).toEqual([100, 100, null])
    expect(body.incomplete).toEqual(['members', 'invitations'])
  })

  it('says nothing of it when it is whole, and nothing of teams where there are none', async () => {
    const small = await found(service)
    expect((await small.owner.get(call('get-full-organization'))).body).not.toHaveProperty('incomplete')
    const plain = await service.sibling({ TEAMS: 'off' })
    const cookie = [...owner.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const { body } = await plain.visitor().get(call('get-full-organization'), { cookie })
    expect([body.teams, body.incomplete]).toEqual([null, ['members', 'invitations']])
  })
})

describe('the member number 101 and any after', () => {
  it('are members: each may do what the role allows', async () => {
    const late = await joinLate()
    const listed = (await owner.get(call('list-members'))).body
    expect([listed.members.length, listed.total]).toEqual([100, many + 1])
    expect(listed.members.map(({ userId }: Json) => userId)).not.toContain(late.userId)
    expect((await late.get(call('get-active-member'))).body).toMatchObject({ userId: late.userId, role: 'admin' })
    const asked = { permissions: { invitation: ['create'] } }
    expect((await late.post(call('has-permission'), asked)).body).toEqual({ error: null, success: true })
    expect((await late.post(call('create-team'), { name: 'Late' })).body.code).toBe(
      'YOU_HAVE_REACHED_THE_MAXIMUM_NUMBER_OF_TEAMS',
    )
    expect((await late.get(call('list-members?offset=1500'))).body.members).toMatchObject([{ userId: late.userId }])
  })
})

/** A new admin, by a service that has room. */
async function joinLate(): Promise<Insider> {
  const roomy = await service.sibling({ MEMBERSHIP_LIMIT: '2000' })
  const person = await verifiedPerson(service)
  const { id: memberId, userId } = await admit(roomy, person.email, { organizationId: acme.id, role: 'admin' })
  await done(person.post(call('set-active'), { organizationId: acme.id }))
  return { ...person, memberId, userId }
}
