import { describe, expect, it } from 'vitest'
import type { Extensions } from '../../settings/extensions.ts'
import { dump } from '../../testing/calls.ts'
import { userOf, verifiedPerson, withHooks } from '../../testing/mailed.ts'
import { found, newSlug, type Person, serverHeaders } from '../../testing/organizations.ts'
import { useMade, useTestService } from '../../testing/use-service.ts'
import type { Reply } from '../../testing/visitor.ts'

const service = useTestService()
const ann = useMade(() => verifiedPerson(service))

const create = (person: Person, fields: object = {}, headers = {}) =>
  person.post('/organization/create', { name: 'Acme', slug: newSlug(), ...fields }, headers)
const invalid = { status: 400, body: { code: 'VALIDATION_ERROR' } }
const membersOf = (id: string) => service.deps.sql`select user_id, roles from members where organization_id = ${id}`

describe('a slug', () => {
  it('is stored in lower case, and taken whatever the case', async () => {
    const slug = `A-${newSlug().toUpperCase()}`
    expect((await create(ann, { slug })).body.slug).toBe(slug.toLowerCase())
    const taken = { status: 400, body: { message: 'Organization already exists' } }
    expect(await create(ann, { slug: slug.toLowerCase() })).toMatchObject(taken)
    const { owner } = await found(service)
    expect(await owner.post('/organization/update', { data: { slug } })).toMatchObject(taken)
  })

  it('may stay its own at an update, and be another one', async () => {
    const { owner, slug } = await found(service)
    const update = async (data: object) => (await owner.post('/organization/update', { data })).body.slug
    expect([await update({ slug: slug.toUpperCase() }), await update({ slug: `${slug}-2` })]).toEqual([
      slug,
      `${slug}-2`,
    ])
  })

  it.each(['', ' ', 'a b', 'a_b', 'a/b', 'a.b', 'ä', 'а', 'a\n', '../x', 'x'.repeat(65), 'a\u0000'])(
    '%j is none, when creating, updating or asking',
    async (slug) => {
      expect(await create(ann, { slug })).toMatchObject(invalid)
      expect(await ann.post('/organization/check-slug', { slug })).toMatchObject(invalid)
      expect(await ann.post('/organization/update', { data: { slug } })).toMatchObject(invalid)
    },
  )
})

describe('a userId', () => {
  it('from a browser is ignored: the session wins', async () => {
    const { id } = await userOf(service, (await verifiedPerson(service)).email)
    const [member] = (await create(ann, { userId: id })).body.members
    expect(member.userId).toBe((await userOf(service, ann.email)).id)
  })

  it('is honoured for a trusted server, whatever the settings allow to people', async () => {
    const closed = await service.sibling({ ORGANIZATION_CREATION: 'off' })
    const { id } = await userOf(service, ann.email)
    const { status, body, setCookies } = await create({ ...closed.visitor(), email: '' }, { userId: id }, serverHeaders)
    expect([status, body.members[0].userId, setCookies]).toEqual([200, id, []])
  })

  it('is honoured for a platform admin who may create users, and changes nobody’s active organization', async () => {
    const admin = await verifiedPerson(service)
    await service.deps.sql`update users set roles = '{admin}' where email = ${admin.email}`
    const bob = await found(service)
    const { body } = await create(admin, { userId: bob.owner.userId })
    expect(body.members[0].userId).toBe(bob.owner.userId)
    for (const person of [admin, bob.owner]) {
      const { session } = (await person.get('/get-session')).body
      expect(session.activeOrganizationId).toBe(person === admin ? null : bob.id)
    }
  })

  it('without a session and without the key is 401', async () => {
    const { id } = await userOf(service, ann.email)
    for (const headers of [{}, { authorization: 'Bearer x' }, { authorization: `${serverHeaders.authorization}x` }])
      expect(await create({ ...service.visitor(), email: '' }, { userId: id }, headers)).toMatchObject({
        status: 401,
        text: '',
      })
  })
})

describe('metadata', () => {
  const store = async (metadata: unknown) => (await create(ann, { metadata })).body
  const deep = (levels: number): unknown => (levels === 0 ? 1 : { a: deep(levels - 1) })

  it.each([
    [
      'an object',
      { plan: 'pro', Deep_Key: { 'x-y': [1, null, 'ü'] } },
      { plan: 'pro', Deep_Key: { 'x-y': [1, null, 'ü'] } },
    ],
    ['JSON text', '{"plan":"pro"}', { plan: 'pro' }],
    ['a null as text', 'null', null],
    ['five levels', deep(5), deep(5)],
    ['a backslash before u0000', String.raw`{"a":"\\u0000"}`, { a: String.raw`\u0000` }],
    ['prototype names, which fall off', '{"__proto__":{"x":1},"constructor":{"prototype":{"y":1}},"z":1}', { z: 1 }],
  ])('%s comes back as an object', async (_name, given, kept) => {
    const { id, metadata } = await store(given)
    expect(metadata).toEqual(kept)
    const full = await ann.get(`/organization/get-full-organization?organizationId=${id}`)
    expect(full.body.metadata).toEqual(kept)
  })

  it.each([
    ['a list', '[1]'],
    ['a number', '5'],
    ['a text', '"x"'],
    ['no JSON', '{plan:1}'],
    ['nothing', ''],
    ['six levels', deep(6)],
    ['six levels as text', JSON.stringify(deep(6))],
    ['thousands of levels', `{"a":${'['.repeat(8000)}${']'.repeat(8000)}}`],
    ['many thousands of levels', `{"a":${'['.repeat(30_000)}${']'.repeat(30_000)}}`],
    ['too much', { a: 'x'.repeat(16_400) }],
    ['too much as text', JSON.stringify({ a: 'x'.repeat(16_400) })],
    ['NUL in a value', String.raw`{"a":"\u0000"}`],
    ['NUL in a name', String.raw`{"\u0000":1}`],
    ['half a character', String.raw`{"a":"x\ud800"}`],
    ['half a character in a name', String.raw`{"\udc00":1}`],
  ])('that is %s is refused, at an update too', async (_name, metadata) => {
    expect(await create(ann, { metadata })).toMatchObject(invalid)
    expect(await ann.post('/organization/update', { data: { metadata } })).toMatchObject(invalid)
  })

  it('of a megabyte is refused as a body', async () => {
    expect((await create(ann, { metadata: { a: 'x'.repeat(1_000_000) } })).status).toBe(413)
  })

  it('changes no object of ours', async () => {
    const before = JSON.stringify(Object.getOwnPropertyNames(Object.prototype).toSorted())
    const body = `{"name":"x","slug":"${newSlug()}","metadata":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}}`
    const headers = { 'content-type': 'application/json', 'content-length': String(body.length) }
    const { status } = await ann.send('/organization/create', { method: 'POST', body, headers })
    await store('{"__proto__":{"polluted":1},"a":{"__proto__":{"polluted":1}}}')
    expect([status, JSON.stringify(Object.getOwnPropertyNames(Object.prototype).toSorted())]).toEqual([200, before])
    expect(({} as { polluted?: number }).polluted).toBeUndefined()
  })
})

describe('an update', () => {
  it('changes what is given, and no more; null takes a logo and metadata away', async () => {
    const { owner } = await found(service, { logo: 'https://example.com/a.png', metadata: { a: 1 } })
    const update = async (data: object) => (await owner.post('/organization/update', { data })).body
    const before = await update({})
    expect(before).toMatchObject({ name: 'Acme', logo: 'https://example.com/a.png', metadata: { a: 1 } })
    expect(await update({ name: 'Ltd' })).toEqual({ ...before, name: 'Ltd' })
    expect(await update({ logo: null, metadata: null })).toEqual({ ...before, name: 'Ltd', logo: null, metadata: null })
  })

  it.each([{ name: '' }, { name: '  ' }, { name: 'x'.repeat(201) }, { logo: 'x'.repeat(2049) }, { name: null }])(
    'by %j is refused',
    async (data) => {
      expect(await ann.post('/organization/update', { data })).toMatchObject(invalid)
    },
  )
})

describe('without', () => {
  it('a default team nobody is in one', async () => {
    const plain = await found(await service.sibling({ DEFAULT_TEAM: 'off' }))
    expect(plain.teamId).toBeNull()
    expect(await plain.owner.get('/organization/list-teams')).toMatchObject({ status: 200, body: [] })
  })

  it('teams nothing speaks of them, and their calls are not there', async () => {
    const plain = await service.sibling({ TEAMS: 'off' })
    const { owner, invite } = await found(plain)
    await invite('dave@example.com')
    const answers = [
      await owner.get('/organization/get-full-organization'),
      await owner.get('/organization/list-members'),
      await owner.get('/organization/get-active-member'),
      await owner.get('/organization/list-invitations'),
    ]
    for (const { text } of answers) expect(text).not.toContain('teamId')
    expect(answers[0]?.body.teams).toBeNull()
    for (const call of ['create-team', 'remove-team', 'update-team', 'add-team-member', 'remove-team-member'])
      expect(await owner.post(`/organization/${call}`, { teamId: 'x' })).toMatchObject({ status: 404, text: '' })
    for (const call of ['list-teams', 'list-team-members?teamId=x'])
      expect(await owner.get(`/organization/${call}`)).toMatchObject({ status: 404, text: '' })
  })
})

describe('the functions of the config file', () => {
  async function creating(hooks: Extensions, settings = {}): Promise<Reply & { logged: number }> {
    const hooked = await withHooks(service, hooks, settings)
    const reply = await create(await hooked.person())
    return { ...reply, logged: hooked.logged.filter(({ msg }) => msg === 'a hook failed').length }
  }
  const fail = () => {
    throw new Error('on purpose')
  }

  it('may change what is created', async () => {
    const { body } = await creating({ beforeCreateOrganization: () => ({ name: 'Changed', metadata: { by: 'hook' } }) })
    expect(body).toMatchObject({ name: 'Changed', metadata: { by: 'hook' }, slug: expect.stringMatching(/-/) })
  })

  it('may change the slug as people may: in any case, and not to one that is taken or none', async () => {
    const hooked = await withHooks(service, {})
    const person = await hooked.person()
    const changing = (draft: object) => {
      Object.assign(hooked.deps.config, { extensions: { beforeCreateOrganization: () => draft } })
      return create(person)
    }
    const slug = newSlug()
    expect((await changing({ slug: slug.toUpperCase(), metadata: '{"a":1}' })).body).toMatchObject({
      slug,
      metadata: { a: 1 },
    })
    expect((await changing({ slug })).body.message).toBe('Organization already exists')
    const unusable = [{ slug: 'a b' }, { slug: '' }, { name: '' }, { name: null }, { logo: 1 }, { metadata: '[]' }]
    for (const draft of unusable) expect([draft, await changing(draft)]).toMatchObject([draft, invalid])
  })

  it('may prevent it by throwing, and then nothing was written', async () => {
    const hooked = await withHooks(service, { beforeCreateOrganization: fail })
    const person = await hooked.person()
    const before = await dump(service)
    expect((await create(person)).status).toBe(500)
    expect(await dump(service)).toBe(before)
  })

  it('undo nothing afterwards: the log is told', async () => {
    const { status, body, logged } = await creating({ afterCreateOrganization: fail })
    expect([status, logged, (await membersOf(body.id)).length]).toEqual([200, 1, 1])
  })

  it('decide who may create', async () => {
    expect((await creating({ mayCreateOrganization: () => false })).body.message).toBe(
      'You are not allowed to create a new organization',
    )
    expect((await creating({ mayCreateOrganization: ({ email }) => email.includes('@') })).status).toBe(200)
  })

  it.each<[string, NonNullable<Extensions['organizationLimit']>, number]>([
    ['a number that is not reached', () => 1, 200],
    ['a number that is', () => 0, 403],
    ['true: there are enough', () => true, 403],
    ['false: there are not', () => false, 200],
    ['a number later on', () => Promise.resolve(0), 403],
  ])('limit organizations by %s', async (_name, organizationLimit, status) => {
    expect((await creating({ organizationLimit })).status).toBe(status)
  })

  it('limit organizations also where somebody is invited to one or made a member', async () => {
    const acme = await found(service)
    const hooked = await withHooks(service, { organizationLimit: ({ email }) => email.startsWith('busy-') })
    for (const [email, status] of [
      [`busy-${newSlug()}@example.com`, 403],
      [`idle-${newSlug()}@example.com`, 200],
    ] as const) {
      const person = await verifiedPerson(hooked, { email })
      const invitationId = await acme.invite(email)
      expect((await person.post('/organization/accept-invitation', { invitationId })).status).toBe(status)
      const { id: userId } = await userOf(service, email)
      const fields = { userId, role: 'member', organizationId: (await found(service)).id }
      expect((await hooked.visitor().post('/organization/add-member', fields, serverHeaders)).status).toBe(status)
    }
  })

  it('open nothing by an answer that is none of theirs', async () => {
    const hooked = await withHooks(service, {})
    const person = await hooked.person()
    const answers: readonly (readonly [keyof Extensions, unknown])[] = [
      ['mayCreateOrganization', undefined],
      ['mayCreateOrganization', new Error('no')],
      ['mayCreateOrganization', Promise.resolve('no')],
      ['organizationLimit', undefined],
      ['organizationLimit', '0'],
      ['organizationLimit', Number.NaN],
      ['beforeCreateOrganization', false],
      ['beforeCreateOrganization', new Error('no')],
    ]
    for (const [name, answer] of answers) {
      Object.assign(hooked.deps.config, { extensions: { [name]: () => answer } })
      expect([name, answer, (await create(person)).status]).toEqual([name, answer, 500])
    }
  })

  it('come before the number of the settings', async () => {
    expect((await creating({ organizationLimit: (): number => 1 }, { ORGANIZATION_LIMIT: '0' })).status).toBe(200)
    expect((await creating({}, { ORGANIZATION_LIMIT: '0' })).status).toBe(403)
  })
})
