import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { joinLongAgo } from '../../../server/testing/rows.ts'
import { type AnsweringService, startAnswers, usual } from '../../testing/answers.ts'
import type { TestPerson } from '../../testing/own-service.ts'
import { createRunner } from '../../testing/run-cli.ts'
import { useOwnService, usePerson } from '../../testing/use-service.ts'

const service = useOwnService()
const ann = usePerson(service, 'Ann')

let count = 0
/** An organization of Ann's with these people in it. */
async function organization(...people: readonly (readonly [person: TestPerson, role: string])[]): Promise<string> {
  count += 1
  const slug = `org-${count}`
  await ann(`org create Acme --slug ${slug}`)
  for (const [{ email }, role] of people) await ann(`invitation create ${email} --role ${role} -O ${slug}`)
  for (const [person] of people) await person(`invitation accept ${slug}`)
  return slug
}

it('somebody who is only invited is no member yet, and the refusal leads to the invitations', async () => {
  const slug = await organization()
  const { email } = await service.person('Uma')
  await ann(`invitation create ${email} --role member -O ${slug}`)
  const { code, stderr } = await ann(`member role set ${email} admin -O ${slug}`)
  expect([code, stderr]).toEqual([6, expect.stringContaining(`postern invitation list --org ${slug}`)])
  const { json } = await ann(`invitation list -O ${slug} --json=email,roles`)
  expect(json).toMatchObject({ items: [{ email, roles: ['member'] }] })
})

describe('member list', () => {
  it('shows who is in it, with roles as a list', async () => {
    const ben = await service.person('Ben')
    const slug = await organization([ben, 'admin,member'])
    const { json } = await ben(`member list --org ${slug} --json=email,name,roles,teamId`)
    expect(json).toEqual({
      items: [
        { email: 'ann@example.com', name: 'Ann', roles: ['owner'], teamId: expect.any(String) },
        { email: 'ben@example.com', name: 'Ben', roles: ['admin', 'member'], teamId: null },
      ],
      page: { total: 2, next: null },
    })
    expect((await ann('members ls')).stdout).toMatch(/\nben@example\.com\tBen\tadmin,member\t.*Z\t[\da-f-]{36}\n$/)
  })
})

describe('member list, filtered by the service', () => {
  it('lists those who match, and says when nobody does', async () => {
    const [una, ulf] = [await service.person('Una'), await service.person('Ulf')]
    const org = await organization([una, 'admin'], [ulf, 'member'])
    const found = async (flags: string) => (await ann(`member list -O ${org} --json=name ${flags}`)).json
    const page = (...names: readonly string[]) => ({
      items: names.map((name) => ({ name })),
      page: { total: names.length, next: null },
    })
    expect(await found('--search U')).toEqual(page('Una', 'Ulf'))
    expect(await found('--search u --role admin')).toEqual(page('Una'))
    expect(await found('--role owner')).toEqual(page('Ann'))
    const none = await ann(`member list -O ${org} --role member --search una`, { tty: ['stdout'] })
    expect([none.code, none.stderr]).toEqual([0, 'No such members\n'])
  })

  it('refuses a role that does not exist', async () => {
    const { code, error } = await ann('member list --role admn --json')
    expect([code, error]).toEqual([6, expect.objectContaining({ message: 'No role admn' })])
  })
})

describe('member list --not-seen', () => {
  it('lists who was not seen for so long, for who may remove members', async () => {
    const ivy = await service.person('Ivy')
    const org = await organization([ivy, 'member'])
    const { json } = await ann(`member me -O ${org} --json=organizationId`)
    const { organizationId } = json as { organizationId: string }
    await joinLongAgo(service.service, organizationId, 'walt')
    const found = async (flags: string) => (await ann(`member list -O ${org} --quiet ${flags}`)).stdout
    expect(await found('--not-seen 30d')).toBe('walt\n')
    expect(await found('--not-seen 30d --search walt --role member')).toBe('walt\n')
    expect(await found('--not-seen 100d')).toBe('')
    expect(await found('--not-seen 2999-01-01')).toContain('walt\n')
    const refused = await ivy(`member list -O ${org} --not-seen 30d --json`)
    expect([refused.code, refused.error?.code]).toEqual([5, 'YOU_ARE_NOT_ALLOWED_TO_SEE_WHEN_MEMBERS_WERE_LAST_SEEN'])
  })

  it('refuses what is no time before it asks', async () => {
    const { code, error } = await ann('member list --not-seen soon --json')
    expect([code, error?.message]).toEqual([2, expect.stringContaining('how long ago, like 7d')])
  })
})

describe('a narrow list', () => {
  it('keeps who is in it and their roles; ids go first', async () => {
    const zoe = await service.person('Zoe')
    const slug = await organization([zoe, 'admin,member'])
    const { stdout } = await zoe(`member list --org ${slug} --color never`, { tty: ['stdout'], columns: 40 })
    const [head, ...rows] = stdout.trimEnd().split('\n')
    expect(head?.split(/ +/)).toEqual(['EMAIL', 'NAME', 'ROLES', 'SINCE'])
    expect(rows[1]).toMatch(/^zoe@example\.com +Zoe +admin/)
  })
})

describe('member view', () => {
  it('finds one by member id, user id, address or unique name', async () => {
    const cat = await service.person('Cat')
    await organization([cat, 'member'])
    const { json } = await ann('member view CAT@example.com --json')
    const { id, userId } = json as { id: string; userId: string }
    for (const word of [id, userId, 'Cat']) expect((await ann(['member', 'show', word, '--json'])).json).toEqual(json)
    expect((await ann('member view Dog')).code).toBe(6)
  })
})

describe('member me', () => {
  it('is the signed-in user, here or in a named organization', async () => {
    const dora = await service.person('Dora')
    const slug = await organization([dora, 'member'])
    expect((await dora('member me --json=email,roles')).json).toEqual({ email: dora.email, roles: ['member'] })
    await dora('org use -')
    expect((await dora(`member me -O ${slug} --json=roles`)).json).toEqual({ roles: ['member'] })
  })
})

describe('member role set', () => {
  it('takes the place of all roles, and says when nothing changed', async () => {
    const eve = await service.person('Eve')
    await organization([eve, 'member'])
    const set = async (roles: string) => (await ann(`member role set ${eve.email} ${roles} --json`)).json
    expect(await set('admin member')).toMatchObject({ status: 'updated', resource: { roles: ['admin', 'member'] } })
    expect(await set('member,admin')).toMatchObject({ status: 'unchanged' })
    expect(await set('member')).toMatchObject({ status: 'updated', resource: { email: eve.email, roles: ['member'] } })
    expect((await ann(`member role set ${eve.email} king --json`)).error).toMatchObject({
      exitCode: 6,
      code: 'ROLE_NOT_FOUND',
      hint: 'Roles of organizations: postern role list; of the platform: postern admin user role set --help',
    })
    expect((await eve('member role set Ann member')).code).toBe(5)
    expect((await ann('member role set Ann member')).code).toBe(7)
  })

  it('lets no admin make an owner, however the role is spelt', async () => {
    const flo = await service.person('Flo')
    await organization([flo, 'admin'])
    for (const roles of [['owner'], ['member,owner'], [' owner'], ['admin', 'owner'], ['owner,']]) {
      expect([roles, (await flo(['member', 'role', 'set', 'Flo', ...roles])).code]).toEqual([roles, 5])
    }
    expect((await flo('member me --json=roles')).json).toEqual({ roles: ['admin'] })
  })
})

describe('member remove', () => {
  it('asks first, then removes each and reports each', async () => {
    const [gil, hal, ida] = await Promise.all(['Gil', 'Hal', 'Ida'].map((name) => service.person(name)))
    if (!gil || !hal || !ida) throw new Error('nobody')
    await organization([gil, 'member'], [hal, 'admin'], [ida, 'member'])
    const asked = await ann('member remove Gil Hal')
    expect(asked.code).toBe(14)
    expect(asked.stderr).toContain('postern member remove Gil Hal --yes')
    const named = await ann('member remove Gil Hal --confirm Gil --json')
    expect(named.error).toMatchObject({ exitCode: 2, hint: 'postern member remove Gil Hal --json --yes' })

    const done = await ann('member remove - --yes --json', { stdin: `${gil.email}\nnobody@example.com\nHal\n` })
    expect(done.code).toBe(13)
    expect(done.json).toMatchObject({
      results: [
        { input: gil.email, status: 'deleted', id: expect.any(String), error: null },
        { input: 'nobody@example.com', status: 'failed', error: { code: 'NOT_FOUND' } },
        { input: 'Hal', status: 'deleted' },
      ],
      summary: { total: 3, succeeded: 2, failed: 1, skipped: 0 },
    })
    expect((await ann('member list --json=name')).json).toMatchObject({ items: [{ name: 'Ann' }, { name: 'Ida' }] })
    expect((await gil('member list')).code).toBe(6)
    expect((await ida('member remove Ann --yes --confirm ann@example.com')).code).toBe(7)
    expect((await ann('member remove Ida --confirm Ida')).stdout).toMatch(/^Ida\tdeleted\n$/)
  })

  it('needs the exact address of an owner, whatever --yes says, and takes no owner along with others', async () => {
    const [leo, mia] = await Promise.all(['Leo', 'Mia'].map((name) => service.person(name)))
    if (!leo || !mia) throw new Error('nobody')
    await organization([leo, 'member,owner'], [mia, 'member'])
    const asked = await ann('member remove Leo --yes --json')
    expect(asked.error).toMatchObject({
      exitCode: 14,
      fields: ['--confirm'],
      hint: `postern member remove ${leo.email} --json --confirm ${leo.email}`,
    })
    const wrong = ['Leo --confirm Leo', `Leo --yes --confirm ${mia.email}`, 'Mia --confirm Leo']
    for (const argv of [...wrong, `${mia.email} ${leo.email} --confirm ${leo.email}`])
      expect([argv, (await ann(`member remove ${argv}`)).code]).toEqual([argv, 2])
    const several = await ann(`member remove Mia Leo --confirm ${leo.email} --json`)
    expect(several.error).toMatchObject({
      message: '--confirm answers only a question about a single name',
      hint: `postern member remove Mia Leo --json --yes --confirm ${leo.email}`,
    })
    const both = await ann('member remove Leo Mia --yes --json')
    expect([both.code, both.json]).toMatchObject([
      13,
      { results: [{ status: 'failed', error: { code: 'INPUT_NEEDED' } }, { status: 'deleted' }] },
    ])
    expect((await ann('member list --json=name')).json).toMatchObject({ items: [{ name: 'Ann' }, { name: 'Leo' }] })
    expect((await ann(`member remove Leo --confirm ${leo.email}`)).code).toBe(0)
    expect((await ann('member list --json=name')).json).toMatchObject({ items: [{ name: 'Ann' }] })
  })

  it('is not allowed to a member: exit 5, and still signed in', async () => {
    const [jim, kay, lou] = await Promise.all(['Jim', 'Kay', 'Lou'].map((name) => service.person(name)))
    if (!jim || !kay || !lou) throw new Error('nobody')
    await organization([jim, 'member'], [kay, 'member'], [lou, 'member'])
    expect((await jim('member remove Kay --yes --json')).error).toMatchObject({ exitCode: 5 })
    const both = await jim('member remove Kay Lou --yes --json')
    expect(both.json).toMatchObject({ summary: { failed: 2, skipped: 0 } })
    expect((await jim('whoami')).code).toBe(0)
  })
})

describe('a large organization', () => {
  const total = 230
  const at = '2026-01-02T03:04:05.000Z'
  const memberAt = (n: number) => ({
    id: `m${n}`,
    organizationId: 'o1',
    userId: `u${n}`,
    role: 'member',
    createdAt: at,
    user: { id: `u${n}`, name: n > 227 ? 'Twin' : `Person ${n}`, email: `p${n}@example.com`, image: null },
  })
  let fake: AnsweringService
  beforeAll(async () => {
    fake = await startAnswers({
      ...usual(),
      'GET /organization/list-roles': { body: [{ role: 'owner', permissions: { member: ['delete'] } }] },
      'GET /organization/list-members': ({ query }) => {
        const from = Number(query['offset'])
        // A service may give fewer than it is asked for.
        const length = Math.max(0, Math.min(Number(query['limit']), 100, total - from))
        return { body: { members: Array.from({ length }, (_, index) => memberAt(from + index)), total } }
      },
      'GET /key/list': { body: [] },
      'GET /key/trust/list': { body: [] },
      'POST /organization/remove-member': ({ body }) => ({
        body: { member: memberAt(Number((body as { memberIdOrEmail: string }).memberIdOrEmail.slice(1))), machines: 0 },
      }),
    })
  })
  afterAll(() => fake.close())
  const postern = (argv: string) => createRunner({ env: { POSTERN_URL: fake.url, POSTERN_TOKEN: 'token' } })(argv)

  it('is listed page by page', async () => {
    const { stdout } = await postern('member list -q')
    expect(stdout.trim().split('\n')).toEqual(Array.from({ length: total }, (_, n) => `m${n}`))
    expect(fake.seen.map(({ query }) => query['offset'])).toEqual(['0', '100', '200'])
  })

  it('is filtered by the service on every page', async () => {
    fake.forget()
    await postern('member list --search person --role member -q')
    const asked = { search: 'person', role: 'member', limit: '1000' }
    expect(fake.seen.map(({ query }) => query)).toEqual(['0', '100', '200'].map((offset) => ({ ...asked, offset })))
  })

  it('removes by any name, each by its id; a name of two is a conflict', async () => {
    fake.forget()
    const done = await postern('member remove p225@example.com u226 m227 Twin --yes --json')
    expect(done.json).toMatchObject({
      results: [{ id: 'm225' }, { id: 'm226' }, { id: 'm227' }, { error: { code: 'AMBIGUOUS' } }],
    })
    expect(fake.seen.flatMap(({ body }) => body ?? [])).toEqual(
      ['m225', 'm226', 'm227'].map((memberIdOrEmail) => ({ memberIdOrEmail, organizationId: 'o1' })),
    )
    const twin = await postern('member view Twin')
    expect(twin.code).toBe(7)
    expect(twin.stderr).toContain('m228  p228@example.com  Twin')
  })
})
