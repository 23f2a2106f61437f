import { beforeEach, expect, it } from 'vitest'
import type { TestPerson } from '../../testing/own-service.ts'
import { useOwnService } from '../../testing/use-service.ts'

const service = useOwnService()
let ann: TestPerson
beforeEach(async () => {
  await service.empty()
  ann = await service.person('Ann')
})

const apply = (text: string, flags = '', more = {}) => ann(`org apply -f - ${flags}`, { stdin: text, ...more })
/** The plan as people see it. */
const shownPlan = async (text: string) =>
  (await apply(text, '--dry-run', { tty: ['stdout'], env: { NO_COLOR: '1' } })).stdout
const document = (rest: string, slug = 'acme') => `organization: { name: Acme, slug: ${slug} }
members: [{ email: ann@example.com, roles: [owner] }]
${rest}`
const editor = (permissions: string) => `roles: [{ name: Editor, permissions: [${permissions}] }]\n`
const invited = (role: string) => `invitations: [{ email: bo@example.com, roles: [${role}] }]\n`
const steps = (json: unknown) =>
  (json as { results: { kind: string; input: string; action: string; status: string }[] }).results
    .filter(({ action }) => action !== 'none')
    .map(({ kind, input, action, status }) => `${action} ${kind} ${input} ${status}`)
/** The own roles, by name. */
const ownRoles = async () => {
  const { items } = (await ann('role list --org acme --json')).json as {
    items: { role: string; permissions: object; own: boolean }[]
  }
  return Object.fromEntries(items.filter(({ own }) => own).map(({ role, permissions }) => [role, permissions]))
}

it('creates a new organization with its roles before the people who get them, and then has nothing to do', async () => {
  const text = document(editor('team:create, team:update') + invited('Editor'))
  const planned = await shownPlan(text)
  expect(planned).toContain('+ role editor: permissions team:create, team:update')
  expect(planned).toContain('+ invitation bo@example.com: roles editor')
  expect((await ann('org list --json')).json).toMatchObject({ items: [] })
  expect(steps((await apply(text, '--json')).json)).toEqual([
    'create organization acme created',
    'create role editor created',
    'invite invitation bo@example.com created',
  ])
  expect(await ownRoles()).toEqual({ editor: { team: ['create', 'update'] } })
  expect((await apply(text, '--dry-run --exit-code')).code).toBe(0)
})

it('changes what a role allows, says what it was, and exports it', async () => {
  await apply(document(editor('team:create')))
  const changed = document(editor('team:update, team:create'))
  expect(await shownPlan(changed)).toContain('~ role editor: permissions team:create → team:update, team:create')
  expect(steps((await apply(changed, '--json')).json)).toEqual(['update role editor updated'])
  const exported = (await ann('org export acme')).stdout
  expect(exported).toContain(`roles:
  - name: editor
    permissions:
      - team:create
      - team:update
`)
  expect((await apply(exported, '--dry-run --exit-code --prune')).code).toBe(0)
  const { stdout: asJson, json } = await ann('org export acme --json')
  expect(json).toMatchObject({ roles: [{ name: 'editor', permissions: ['team:create', 'team:update'] }] })
  expect((await apply(asJson, '--dry-run --exit-code --prune')).code).toBe(0)
  expect(steps((await apply(document(editor('')), '--json')).json)).toEqual(['update role editor updated'])
  expect(await ownRoles()).toEqual({ editor: {} })
})

it('removes roles last, only with --prune and only if the document lists roles', async () => {
  await apply(document(editor('team:create') + invited('editor')))
  const without = document('roles: []\ninvitations: []\n')
  expect((await apply(without)).stderr).toContain('2 kept though not in the document')
  expect(steps((await apply(document('invitations: []\n'), '--prune --dry-run --json')).json)).toEqual([
    'delete invitation bo@example.com planned',
  ])
  expect(steps((await apply(without, '--prune --confirm acme --json')).json)).toEqual([
    'delete invitation bo@example.com deleted',
    'delete role editor deleted',
  ])
  expect(await ownRoles()).toEqual({})
})

it('removes a role that its applier gives up', async () => {
  await apply(document(editor('team:create')).replace('[owner]', '[owner, editor]'))
  expect(steps((await apply(document('roles: []\n'), '--prune --confirm acme --json')).json)).toEqual([
    'update member ann@example.com updated',
    'delete role editor deleted',
  ])
  expect(await ownRoles()).toEqual({})
})

it.each([
  ['a role of the service', 'roles: [{ name: ADMIN, permissions: [] }]\n', 'defines roles that the service has'],
  ['a role twice', 'roles: [{ name: a, permissions: [] }, { name: A, permissions: [] }]\n', 'role is listed already'],
  ['a permission that is none', 'roles: [{ name: a, permissions: [team] }]\n', 'RESOURCE:ACTION, like team:create'],
  ['a role that nobody defines', invited('editor'), 'uses roles that this service does not have'],
])('refuses %s before anything is done, in a new organization too', async (_, rest, problem) => {
  for (const flags of ['', '--dry-run']) {
    const { code, stderr } = await apply(document(rest), flags)
    expect([code > 0, stderr]).toEqual([true, expect.stringContaining(problem)])
  }
  expect((await ann('org list --json')).json).toMatchObject({ items: [] })
  await apply(document(''))
  expect((await apply(document(rest))).stderr).toContain(problem)
  expect(await ownRoles()).toEqual({})
})

it.each([
  ['defines no roles', ''],
  ['defines another', 'roles: [{ name: other, permissions: [] }]\n'],
])('knows a role that is there already in any spelling, where the document %s', async (_, roles) => {
  await apply(document(`roles: [{ name: editor, permissions: [] }, { name: other, permissions: [] }]\n`))
  await apply(document(invited('editor')))
  const spelled = document(roles + invited('EDITOR')).replace('[owner]', '[owner, Editor]')
  expect(steps((await apply(spelled, '--json')).json)).toEqual(['update member ann@example.com updated'])
  expect((await apply(spelled, '--dry-run --exit-code')).code).toBe(0)
})

it('refuses to remove a role that the document gives', async () => {
  await apply(document(editor('team:create') + invited('editor')))
  const { code, stderr } = await apply(document(`roles: []\n${invited('editor')}`), '--prune --confirm acme')
  expect([code, stderr]).toEqual([7, expect.stringContaining('bo@example.com: editor')])
  expect(await ownRoles()).toEqual({ editor: { team: ['create'] } })
})

it.each([
  ['a member', document(editor('team:create')).replace('[owner]', '[owner, editor]'), 'ann@example.com: editor'],
  ['an invitation', document(editor('team:create') + invited('editor')), 'bo@example.com: editor'],
])('refuses to remove a role that %s outside of the document has, before anything is done', async (_, first, line) => {
  await apply(first)
  const rest = document('roles: []\n')
    .replace(/^members.*\n/m, '')
    .replace('name: Acme', 'name: Other')
  const { code, stderr } = await apply(rest, '--prune --confirm acme')
  expect([code, stderr]).toEqual([7, expect.stringContaining(line)])
  expect((await ann('org list --json')).json).toMatchObject({ items: [{ name: 'Acme' }] })
})

it('refuses to remove a role that a key keeps, before anything is done', async () => {
  await apply(document(editor('team:create')))
  expect((await ann('key create nightly --org acme --role editor --json')).code).toBe(0)
  const rest = document('roles: []\n').replace('name: Acme', 'name: Other')
  const { code, stderr } = await apply(rest, '--prune --confirm acme')
  expect([code, stderr]).toEqual([7, expect.stringContaining('nightly: editor')])
  expect((await ann('org list --json')).json).toMatchObject({ items: [{ name: 'Acme' }] })
})

it('takes a role that the settings have by now as theirs in a new organization, and as its own where it was made', async () => {
  await apply(document(editor('team:create')))
  await ann('org use acme')
  const { config } = service.service.deps
  const { roles } = config
  Object.assign(config, { roles: { ...roles, editor: { team: ['update'] } } })
  try {
    expect(steps((await apply(document(editor('team:create, team:delete')), '--json')).json)).toEqual([
      'update role editor updated',
    ])
    const fresh = await apply(document(invited('editor'), 'globex'), '--json')
    expect(steps(fresh.json)).toEqual([
      'create organization globex created',
      'invite invitation bo@example.com created',
    ])
    const taken = await apply(document(editor('team:create'), 'initech'))
    expect([taken.code, taken.stderr]).toEqual([12, expect.stringContaining('defines roles that the service has')])
  } finally {
    Object.assign(config, { roles })
  }
})

it('finds a role of its own by any spelling, as the service does', async () => {
  await apply(document(editor('team:create')))
  await ann('org use acme')
  expect((await ann('role view EDITOR --json=role,members')).json).toEqual({ role: 'editor', members: [] })
  expect((await ann('role edit Editor --permission team:update --json')).code).toBe(0)
  expect((await ann('role view OWNER')).code).toBe(6)
  expect((await ann('role create Editor --json')).error).toMatchObject({ code: 'ROLE_NAME_IS_ALREADY_TAKEN' })
  expect((await ann('role delete Editor --yes --json')).code).toBe(0)
  expect(await ownRoles()).toEqual({})
})

const lead = (permissions: string) =>
  `roles: [{ name: lead, permissions: [${permissions}] }, { name: writer, permissions: [team:create] }]\n`
const everyRight = 'ac:create, ac:update, ac:delete, member:update, team:create'
/** An organization of Bo's, in which Ann leads. */
async function annLeads(roles: string): Promise<void> {
  const bo = await service.person('Bo')
  await apply(document(`${lead(everyRight)}invitations: [{ email: bo@example.com, roles: [owner] }]\n`))
  expect((await bo('invitation accept acme')).code).toBe(0)
  expect((await ann(`member role set ann@example.com ${roles} --org acme --json`)).code).toBe(0)
}
const ledBy = (roles: string, rest: string) =>
  document(rest).replace('[owner]', `[${roles}]`).replace('}]', '}, { email: bo@example.com, roles: [owner] }]')

it('refuses to take rights away from its applier that its later steps need, before anything is done', async () => {
  await annLeads('lead writer')
  const stepsDown = ledBy('member', lead(everyRight).replace(/, \{ name: writer.*\}/, ''))
  const { code, stderr } = await apply(stepsDown, '--prune --confirm acme')
  expect([code, stderr]).toEqual([5, expect.stringContaining('role writer: delete needs ac:delete, team:create')])
  expect(stderr).toContain('Leave these as they are in the document')
  expect(Object.keys(await ownRoles())).toEqual(['lead', 'writer'])
  const stays = ledBy('lead', lead(everyRight).replace(/, \{ name: writer.*\}/, ''))
  expect(steps((await apply(stays, '--prune --confirm acme --json')).json)).toEqual([
    'update member ann@example.com updated',
    'delete role writer deleted',
  ])
})

it('narrows the role by which its applier acts after the other steps', async () => {
  await annLeads('lead')
  const roles = lead('team:create').replace(']\n', ', { name: new, permissions: [team:create] }]\n')
  expect(steps((await apply(ledBy('lead, new', roles), '--json')).json)).toEqual([
    'create role new created',
    'update member ann@example.com updated',
    'update role lead updated',
  ])
})
