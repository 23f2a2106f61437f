import { decodeJwt } from 'jose'
import { describe, expect, it } from 'vitest'
import type { Extensions } from '../../settings/extensions.ts'
import { actingAs, adminOf, type Somebody, somebody } from '../../testing/admins.ts'
import { verifiedPerson } from '../../testing/mailed.ts'
import { newSlug, serverHeaders } from '../../testing/organizations.ts'
import { serviceOn, type TestService, testPassword } from '../../testing/service.ts'
import { useMade, useTestService } from '../../testing/use-service.ts'

const extensions: Extensions = {
  userFields: {
    company: { kind: 'text' },
    plan: { kind: ['free', 'pro'], default: 'free', input: 'admin', inToken: true },
    seats: { kind: 'number' },
    newsletter: { kind: 'flag', default: true },
    born: { kind: 'date' },
    score: { kind: 'number', input: false, default: 7 },
    note: { kind: 'text', input: 'admin', returned: false },
  },
  organizationFields: {
    taxNumber: { kind: 'text' },
    tier: { kind: ['basic', 'gold'], default: 'basic', input: 'admin' },
    country: { kind: 'text', required: true, default: 'CH' },
  },
}

const service = useTestService({ COOKIE_CACHE: 'on' }, { extensions })
const admin = useMade(() => adminOf(service))

const standard = { company: null, plan: 'free', seats: null, newsletter: true, born: null, score: 7 }
const invalid = (...details: object[]) => ({ status: 400, body: { code: 'VALIDATION_ERROR', details } })
const newEmail = () => `${crypto.randomUUID()}@example.com`
const signUp = (fields: object, on = service) =>
  on.visitor().post('/sign-up/email', { email: newEmail(), name: 'Ann', password: testPassword, ...fields })
const rowOf = async (id: string) => (await service.deps.sql`select * from users where id = ${id}`)[0]
const userOf = async (person: Somebody) => (await person.get('/get-session?disableCookieCache=true')).body.user
const trailOf = async (kind: string, userId: string) =>
  (
    await service.deps.sql`select details from audit_events where event = ${kind} and user_id = ${userId} order by id`
  ).map(({ details }) => details)

describe('a sign-up', () => {
  it('takes own fields beside the others, and answers all of them', async () => {
    const { body } = await signUp({ company: 'Acme', seats: 3, born: '2001-02-03', newsletter: false })
    const given = { company: 'Acme', seats: 3, born: '2001-02-03T00:00:00.000Z', newsletter: false }
    expect(body.user).toMatchObject({ ...standard, ...given })
    expect(body.user).not.toHaveProperty('fields')
    expect(body.user).not.toHaveProperty('note')
    expect(await rowOf(body.user.id)).toMatchObject({ fields: { ...given, plan: 'free', score: 7 } })
  })

  it('reads numbers, flags and dates from texts, as forms send them', async () => {
    const { body } = await signUp({ seats: '2.5', newsletter: 'false', born: '2001-02-03T04:05:06+02:00' })
    expect(body.user).toMatchObject({ seats: 2.5, newsletter: false, born: '2001-02-03T02:05:06.000Z' })
  })

  it.each([true, null, 'on'])('may carry rememberMe: %j, which clients of better-auth know', async (rememberMe) => {
    expect((await signUp({ rememberMe })).status).toBe(200)
  })

  it('without any has their defaults', async () => {
    expect((await signUp({})).body.user).toMatchObject(standard)
  })

  it.each<[field: object, path: string, message: string]>([
    [{ colour: 'red' }, 'colour', 'Expected no such field'],
    [{ role: 'admin' }, 'role', 'Expected no such field'],
    [{ emailVerified: true }, 'emailVerified', 'Expected no such field'],
    [{ banned: false }, 'banned', 'Expected no such field'],
    [{ fields: { plan: 'pro' } }, 'fields', 'Expected no such field'],
    [{ id: 'mine' }, 'id', 'Expected no such field'],
    [{ plan: 'pro' }, 'plan', 'Expected no value: only administrators set it'],
    [{ note: 'x' }, 'note', 'Expected no value: only administrators set it'],
    [{ score: 100 }, 'score', 'Expected no value: only the service sets it'],
    [{ company: 5 }, 'company', 'Expected a text'],
    [{ company: 'x'.repeat(1001) }, 'company', 'Expected at most 1000 characters'],
    [{ seats: 'many' }, 'seats', 'Expected a number'],
    [{ newsletter: 'yes' }, 'newsletter', 'Expected true or false'],
    [{ born: 'yesterday' }, 'born', 'Expected a date, like 2026-01-31 or 2026-01-31T12:00:00Z'],
    [{ company: { deep: [] } }, 'company', 'Expected a text'],
  ])('with %j is refused by name', async (field, path, message) => {
    expect(await signUp(field)).toMatchObject(invalid({ path, message }))
  })

  it('cannot reach a prototype', async () => {
    const json = `{"email":"${newEmail()}","name":"Ann","password":"${testPassword}","__proto__":{"plan":"pro"},"constructor":{"prototype":{"plan":"pro"}}}`
    const { status, body } = await service.visitor().post('/sign-up/email', JSON.parse(json))
    expect([status, body.user.plan]).toEqual([200, 'free'])
    expect(Object.hasOwn(Object.prototype, 'plan')).toBe(false)
  })

  it('for a taken address answers with the same members', async () => {
    const strict = await serviceOn(service.database, { REQUIRE_EMAIL_VERIFICATION: 'on' }, { extensions })
    const email = newEmail()
    const ask = async () => (await signUp({ email, company: 'Acme', seats: null }, strict)).body.user
    const [first, second] = [await ask(), await ask()]
    expect({ ...second, id: first.id, createdAt: first.createdAt, updatedAt: first.updatedAt }).toEqual(first)
    expect(Object.keys(second)).toEqual(Object.keys(first))
    await strict.stop()
  })
})

describe('update-user', () => {
  it('changes what is named, removes what is null, and tells the trail which fields', async () => {
    const ann = await somebody(service)
    await ann.post('/update-user', { company: 'Acme', seats: 3 })
    expect((await ann.post('/update-user', { name: 'Anna', seats: null, newsletter: false })).status).toBe(200)
    expect(await userOf(ann)).toMatchObject({ ...standard, name: 'Anna', company: 'Acme', newsletter: false })
    expect(await trailOf('profile-updated', ann.id)).toEqual([
      { fields: 'company,seats' },
      { fields: 'name,newsletter,seats' },
    ])
  })

  it.each([
    { plan: 'pro' },
    { note: 'x' },
    { score: 1 },
    { role: 'admin' },
    { emailVerified: true },
    { colour: 'red' },
  ])('refuses %j, even to administrators', async (field) => {
    const [path = ''] = Object.keys(field)
    for (const person of [await somebody(service), admin]) {
      const before = await rowOf(person.id)
      expect(await person.post('/update-user', field)).toMatchObject(invalid({ path }))
      expect(await rowOf(person.id)).toEqual(before)
    }
  })

  it('is refused while somebody is impersonated, whatever the fields', async () => {
    const { admin: acting } = await actingAs(service)
    for (const field of [{ company: 'Acme' }, { plan: 'pro' }])
      expect((await acting.post('/update-user', field)).status).toBeGreaterThanOrEqual(400)
  })
})

describe('administrators', () => {
  const create = (data: object) =>
    admin.post('/admin/create-user', { email: newEmail(), name: 'Bob', password: testPassword, data })

  it('create users with fields that only they set', async () => {
    const { body } = await create({ plan: 'pro', company: 'Acme', note: 'late payer' })
    expect(body.user).toMatchObject({ ...standard, plan: 'pro', company: 'Acme' })
    expect(body.user).not.toHaveProperty('note')
    expect(await rowOf(body.user.id)).toMatchObject({ fields: { note: 'late payer' } })
    expect(await create({ score: 1 })).toMatchObject(invalid({ path: 'data.score' }))
    expect(await create({ colour: 'red' })).toMatchObject(invalid({ path: 'data.colour' }))
  })

  it('change them, and the trail names the fields', async () => {
    const bob = await somebody(service)
    const data = { plan: 'pro', note: 'x' }
    const { body } = await admin.post('/admin/update-user', { userId: bob.id, data })
    expect([body.plan, body.note, await userOf(bob)]).toMatchObject(['pro', undefined, { plan: 'pro' }])
    expect(await trailOf('user-updated', bob.id)).toEqual([{ fields: 'note,plan' }])
    const wrong = await admin.post('/admin/update-user', { userId: bob.id, data: { role: 'admin' } })
    expect(wrong).toMatchObject(invalid({ path: 'data.role', message: 'Expected no such field' }))
  })

  it('find users by what answers have, and by nothing else', async () => {
    const company = crypto.randomUUID()
    const ids = []
    for (const seats of [1, 2, 10]) ids.push((await create({ company, seats, plan: 'pro' })).body.user.id)
    const find = (query: string) => admin.get(`/admin/list-users?${query}`)
    const found = async (query: string) => (await find(query)).body.users.map(({ id }: Somebody) => id)
    expect(await found(`filterField=company&filterValue=${company}`)).toEqual(ids)
    const withSeats = (operator: string) =>
      found(`filterField=seats&filterOperator=${operator}&filterValue=2&searchField=name&searchValue=Bob`)
    expect(await withSeats('gt')).toContain(ids[2])
    expect(await withSeats('gt')).not.toContain(ids[1])
    expect(await withSeats('lte')).toEqual(expect.arrayContaining(ids.slice(0, 2)))
    expect(await withSeats('ne')).not.toContain(ids[1])
    expect(await find('filterField=note&filterValue=x')).toMatchObject(invalid({ path: 'filterField' }))
    expect(await find('filterField=colour&filterValue=x')).toMatchObject(invalid({ path: 'filterField' }))
    expect(await find('filterField=seats&filterValue=many')).toMatchObject(invalid({ path: 'filterValue' }))
    const ordered = await find('filterField=plan&filterOperator=gt&filterValue=free')
    expect(ordered).toMatchObject(invalid({ path: 'filterOperator' }))
  })
})

describe('organizations', () => {
  const create = (person: Somebody, fields: object, headers = {}) =>
    person.post('/organization/create', { name: 'Acme', slug: newSlug(), ...fields }, headers)
  const update = (person: Somebody, organizationId: string, data: object) =>
    person.post('/organization/update', { organizationId, data })

  it('have fields of their own in every answer', async () => {
    const ann = await somebody(service)
    const { body: made } = await create(ann, { taxNumber: 'CHE-1', metadata: { taxNumber: 'other' } })
    const fields = { taxNumber: 'CHE-1', tier: 'basic', country: 'CH', metadata: { taxNumber: 'other' } }
    expect(made).toMatchObject(fields)
    const { body: changed } = await update(ann, made.id, { taxNumber: 'CHE-2', name: 'Acme 2' })
    expect(changed).toMatchObject({ ...fields, taxNumber: 'CHE-2', name: 'Acme 2' })
    const answers = [
      (await ann.get('/organization/list')).body[0],
      (await ann.get('/organization/get-organization')).body,
      (await ann.get('/organization/get-full-organization')).body,
      (await ann.post('/organization/delete', { organizationId: made.id })).body,
    ]
    for (const answer of answers) {
      expect(answer).toMatchObject({ ...fields, taxNumber: 'CHE-2' })
      expect(answer).not.toHaveProperty('fields')
    }
    expect(await trailOf('organization-updated', ann.id)).toEqual([{ fields: 'name,taxNumber' }])
  })

  it('refuse unknown fields, and to members those of administrators', async () => {
    const ann = await somebody(service)
    expect(await create(ann, { colour: 'red' })).toMatchObject(invalid({ path: 'colour' }))
    expect(await create(ann, { tier: 'gold' })).toMatchObject(
      invalid({ path: 'tier', message: 'Expected no value: only administrators set it' }),
    )
    expect(await create(ann, { country: null })).toMatchObject(invalid({ path: 'country' }))
    const { body: made } = await create(ann, { country: 'DE' })
    expect(await update(ann, made.id, { tier: 'gold' })).toMatchObject(invalid({ path: 'data.tier' }))
    expect(await update(ann, made.id, { tier: 'basic' })).toMatchObject(invalid({ path: 'data.tier' }))
    expect(await update(ann, made.id, { country: null })).toMatchObject(invalid({ path: 'data.country' }))
    expect(await update(ann, made.id, { members: [] })).toMatchObject(invalid({ path: 'data.members' }))
  })

  it('get them from administrators who are members, and from trusted servers', async () => {
    expect((await create(admin, { tier: 'gold' })).body.tier).toBe('gold')
    const { id } = await somebody(service)
    expect((await create(admin, { tier: 'gold', userId: id }, serverHeaders)).body.tier).toBe('gold')
  })

  it('get them from the function of the config file, which is checked too', async () => {
    const withDraft = (fields: Record<string, unknown>) =>
      serviceOn(service.database, {}, { extensions: { ...extensions, beforeCreateOrganization: () => ({ fields }) } })
    const [good, bad] = [await withDraft({ tier: 'gold' }), await withDraft({ colour: 'red' })]
    const made = await (await verifiedPerson(good)).post('/organization/create', { name: 'A', slug: newSlug() })
    expect(made.body).toMatchObject({ tier: 'gold', country: 'CH' })
    const refused = await (await verifiedPerson(bad)).post('/organization/create', { name: 'A', slug: newSlug() })
    expect(refused.status).toBe(400)
    await good.stop()
    await bad.stop()
  })
})

describe('tokens and the cookie cache', () => {
  const claimsOf = async (person: Somebody) => decodeJwt((await person.get('/token')).body.token)

  it('have only the fields that say so', async () => {
    const ann = await somebody(service)
    await ann.post('/update-user', { company: 'Acme' })
    const claims = await claimsOf(ann)
    expect(claims).toMatchObject({ plan: 'free', sub: ann.id })
    for (const name of ['company', 'score', 'note', 'fields']) expect(claims).not.toHaveProperty(name)
  })

  it('are left out where a value may be answered but not kept', async () => {
    const plain = await serviceOn(
      service.database,
      { COOKIE_CACHE: 'on' },
      { extensions: { userFields: { plan: { kind: 'text', input: true, inToken: true }, company: { kind: 'text' } } } },
    )
    const ann = await somebody(plain)
    const cached = (cookies: readonly string[]) => cookies.some((line) => /session_data=[^;]+\./.test(line))
    const first = await ann.get('/get-session?disableCookieCache=true')
    expect([cached(first.setCookies), first.body.user]).toMatchObject([true, { plan: null, company: null }])
    plain.statements.forget()
    expect((await ann.get('/get-session')).body).toEqual(first.body)
    expect(plain.statements.list).toEqual([])
    await ann.post('/update-user', { company: 'Acme' })
    const second = await ann.get('/get-session?disableCookieCache=true')
    expect([cached(second.setCookies), second.body.user.company]).toEqual([false, 'Acme'])
    await plain.stop()
  })
})

describe('another configuration', () => {
  it('no longer answers a field, keeps its value, and asks for a new one only at new writes', async () => {
    const ann = await somebody(service)
    await ann.post('/update-user', { company: 'Acme' })
    const userFields = { seats: { kind: 'number', required: true } } as const
    const later = await serviceOn(service.database, {}, { extensions: { userFields } })
    const again = later.visitor()
    const { body } = await again.post('/sign-in/email', { email: ann.email, password: testPassword })
    expect([body.user.seats, 'company' in body.user]).toEqual([null, false])
    expect((await again.post('/update-user', { name: 'Anna' })).status).toBe(200)
    expect(await again.post('/update-user', { seats: null })).toMatchObject(invalid({ path: 'seats' }))
    expect((await again.post('/update-user', { seats: 4 })).status).toBe(200)
    expect(await rowOf(ann.id)).toMatchObject({ fields: { company: 'Acme', seats: 4 } })
    const missing = invalid({ path: 'seats', message: 'Missing, expected a number' })
    expect(await signUp({}, later)).toMatchObject(missing)
    await later.stop()
  })

  it('without own fields ignores other members, as the client expects', async () => {
    const plain = await serviceOn(service.database, {})
    const { status, body } = await signUp({ company: 'Acme', role: 'admin' }, plain)
    expect([status, body.user.role, 'company' in body.user]).toEqual([200, 'user', false])
    await plain.stop()
  })
})

it('costs no statement and no round trip', async () => {
  const ann = await somebody(service)
  await ann.get('/get-session?disableCookieCache=true')
  service.statements.forget()
  const before = service.trips.count
  await ann.get('/get-session?disableCookieCache=true')
  expect([service.statements.list.length, service.trips.count - before]).toEqual([1, 1])
})

describe('OpenAPI', () => {
  it('describes them where they may be given and where they are answered', async () => {
    const { body: document } = await service.visitor().get('/openapi.json')
    const { User, Organization } = document.components.schemas
    expect(User.properties.plan).toMatchObject({ anyOf: [{ enum: ['free', 'pro'] }, { type: 'null' }] })
    expect(User.required).toEqual(expect.arrayContaining(['company', 'plan', 'score']))
    expect([User.properties.note, User.properties.fields]).toEqual([undefined, undefined])
    expect(Organization.properties).toHaveProperty('taxNumber')
    const bodyOf = (path: string) => document.paths[path].post.requestBody.content['application/json'].schema
    expect(Object.keys(bodyOf('/sign-up/email').properties)).toEqual(
      expect.arrayContaining(['company', 'seats', 'born', 'newsletter']),
    )
    for (const name of ['plan', 'score', 'note', 'fields'])
      expect(bodyOf('/sign-up/email').properties).not.toHaveProperty(name)
    expect(bodyOf('/admin/update-user').properties.data.properties).toHaveProperty('note')
    expect(JSON.stringify(document)).not.toContain('x-own-fields')
  })
})

describe('the list of fields', () => {
  const list = async (on: TestService) => (await on.visitor().get('/field/list')).body
  const user = { of: 'user', required: false, setBy: 'person' }
  const organization = { ...user, of: 'organization' }

  it('tells everybody what can be set and by whom, and leaves out what nobody sets', async () => {
    expect(await list(service)).toEqual([
      { ...user, name: 'company', type: 'text' },
      { ...user, name: 'plan', type: 'choice', choices: ['free', 'pro'], default: 'free', setBy: 'admin' },
      { ...user, name: 'seats', type: 'number' },
      { ...user, name: 'newsletter', type: 'flag', default: true },
      { ...user, name: 'born', type: 'date' },
      { ...user, name: 'note', type: 'text', setBy: 'admin' },
      { ...organization, name: 'taxNumber', type: 'text' },
      { ...organization, name: 'tier', type: 'choice', choices: ['basic', 'gold'], default: 'basic', setBy: 'admin' },
      { ...organization, name: 'country', type: 'text', required: true, default: 'CH' },
    ])
  })

  it('is empty where none are declared', async () => {
    const plain = await serviceOn(service.database, {})
    expect(await list(plain)).toEqual([])
    await plain.stop()
  })
})
