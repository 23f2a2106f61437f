import { beforeAll, describe, expect, it } from 'vitest'
import { sweep } from '../../process/sweeper.ts'
import { type Founded, found } from '../../testing/organizations.ts'
import { useTestService } from '../../testing/use-service.ts'

const service = useTestService()
let acme: Founded

const day = 86_400
const ended = ['accepted', 'rejected', 'canceled'] as const

/** Stored invitations of a status that end in so many seconds. */
async function store(count: number, status: string, seconds: number, name = status): Promise<void> {
  await service.deps.sql`
    insert into invitations (id, organization_id, email, roles, status, inviter_id, expires_at, created_at)
    select ${status} || n || '-' || ${crypto.randomUUID()}, ${acme.id}, ${name} || n || '@example.com', '{member}', ${status},
      ${acme.owner.userId}, now() + make_interval(secs => ${seconds}), now() + make_interval(secs => n - 100000)
    from generate_series(1, ${count}::integer) n
  `
}
const stored = async () => {
  const rows = await service.deps.sql<{ email: string }[]>`
    select email from invitations where organization_id = ${acme.id} order by created_at, id
  `
  return rows.map(({ email }) => email)
}

describe('answered invitations', () => {
  beforeAll(async () => {
    acme = await found(service)
    for (const status of ended) await store(2, status, day)
    await store(1, 'pending', -day)
    await acme.invite('live@example.com')
  })

  it.each(['get-full-organization', 'set-active'])('are left out of %s', async (call) => {
    const path = `/organization/${call}`
    const { body } = await (call === 'set-active' ? acme.owner.post(path) : acme.owner.get(path))
    const emails = body.invitations.map(({ email }: { email: string }) => email)
    expect([emails, body.incomplete]).toEqual([['live@example.com', 'pending1@example.com'], undefined])
  })

  it.each<[string, readonly string[]]>([
    ['', ['live', 'pending1']],
    ['status=pending', ['live', 'pending1']],
    ...ended.map((status): [string, string[]] => [`status=${status}`, [`${status}1`, `${status}2`]]),
  ])('are listed by their status only: ?%s', async (query, names) => {
    const { body } = await acme.owner.get(`/organization/list-invitations?${query}`)
    expect(body.map(({ email }: { email: string }) => email)).toEqual(names.map((name) => `${name}@example.com`))
  })

  it('are all listed when all are asked for, those first that can still be accepted', async () => {
    const { body } = await acme.owner.get('/organization/list-invitations?status=all')
    expect([body.length, body[0].email]).toEqual([8, 'live@example.com'])
    const refused = await acme.owner.get('/organization/list-invitations?status=gone')
    expect(refused).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } })
  })
})

it('thirty days after its end an invitation is swept, whatever became of it, and by two at once', async () => {
  acme = await found(service)
  for (const status of [...ended, 'pending']) {
    await store(1100, status, -31 * day)
    await store(1, status, -29 * day, `late-${status}`)
  }
  await Promise.all([sweep(service.deps), sweep(service.deps)])
  expect((await stored()).toSorted()).toEqual(
    [...ended, 'pending'].toSorted().map((name) => `late-${name}1@example.com`),
  )
  await sweep({ ...service.deps, config: { ...service.deps.config, INVITATION_HISTORY: 28 * day } })
  expect(await stored()).toEqual([])
})

it('a refused invitation deletes none that is over', async () => {
  acme = await found(service)
  await store(1100, 'canceled', day)
  const before = await stored()
  const refused = await acme.owner.post('/organization/invite-member', { email: acme.owner.email, role: 'member' })
  expect([refused.status, refused.body.code]).toEqual([400, 'USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION'])
  expect(await stored()).toEqual(before)
})

it('an organization keeps the newest thousand that are over; live ones stay', async () => {
  acme = await found(service)
  await store(600, 'canceled', day)
  await store(450, 'pending', -day)
  await store(1, 'accepted', day)
  await acme.invite('live@example.com')
  await acme.invite('pending1@example.com')
  const left = await stored()
  // Of 1,051 the oldest 51; an invitation in the place of one that had expired is a live one.
  expect(left).toHaveLength(1002)
  expect(left.filter((email) => email.startsWith('canceled'))).toHaveLength(575)
  expect(left).toEqual(expect.arrayContaining(['live@example.com', 'pending1@example.com', 'pending450@example.com']))
})
