import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { TestPerson } from '../../testing/own-service.ts'
import { useOwnService, usePerson } from '../../testing/use-service.ts'

const service = useOwnService()
const ann = usePerson(service, 'Ann')
const ben = usePerson(service, 'Ben')

const file = (text: string): string => {
  const path = join(ann.folder, 'org.yaml')
  writeFileSync(path, text)
  return path
}
const apply = (text: string, flags = '', who: TestPerson = ann) => who(`org apply -f - ${flags}`, { stdin: text })
const exported = async (slug: string) => (await ann(`org export ${slug}`)).stdout
const document = (slug: string, rest = '') => `organization: { name: The ${slug}, slug: ${slug} }\n${rest}`
const owner = 'members: [{ email: ann@example.com, roles: [owner] }]\n'
interface Row {
  readonly input: string
  readonly action: string
  readonly status: string
  readonly error: { readonly code: string } | null
}
const rows = (json: unknown) => (json as { results: Row[] }).results
const changed = (json: unknown) =>
  rows(json)
    .filter(({ action }) => action !== 'none')
    .map(({ input, action, status }) => `${action} ${input} ${status}`)

describe('org export', () => {
  it('writes the same document every time, which apply takes as nothing to do', async () => {
    await ann(['org', 'create', 'Acme: "the" #1', '--slug', 'acme', '--metadata', '{"plan":"pro","seats":[1,null]}'])
    await ann('invitation create zoe@example.com bo@example.com --role admin,member --org acme')
    expect(await exported('acme')).toBe(`organization:
  name: 'Acme: "the" #1'
  slug: acme
  logo: null
  metadata:
    plan: pro
    seats:
      - 1
      - null
roles: []
teams:
  - name: 'Acme: "the" #1'
members:
  - email: ann@example.com
    roles:
      - owner
    team: 'Acme: "the" #1'
invitations:
  - email: bo@example.com
    roles:
      - admin
      - member
  - email: zoe@example.com
    roles:
      - admin
      - member
`)
    const again = await apply(await exported('acme'), '--prune --confirm acme --json')
    expect(again).toMatchObject({ code: 0, stderr: '' })
    expect(again.json).toMatchObject({ summary: { total: 5, failed: 0 } })
    expect(changed(again.json)).toEqual([])
  })

  it('answers JSON, which apply takes as well', async () => {
    const { stdout, json } = await ann('org export acme --json')
    expect(json).toMatchObject({ organization: { slug: 'acme' }, members: [{ email: 'ann@example.com' }] })
    expect(changed((await apply(stdout, '--json')).json)).toEqual([])
    expect((await ann('org export acme --json=teams')).json).toEqual({ teams: [{ name: 'Acme: "the" #1' }] })
  })

  it('is of the active organization, or exit 6', async () => {
    expect((await ann('org export')).stdout).toContain('slug: acme')
    expect((await ben('org export')).code).toBe(6)
    expect((await ben('org export acme')).code).toBe(6)
    expect((await ann('org export -O acme --json=organization')).json).toMatchObject({ organization: { slug: 'acme' } })
  })

  it('shows nothing that a terminal could obey, and reads it back as it was', async () => {
    const name = 'Evil \u001b]52;c;ZXZpbA==\u0007 \u202Egpj.exe\u200B \u{e0041} 👩‍👩‍👧'
    const metadata = { 'k\u009b2J': 'a\tb\r\n\u2028c', plain: 'a\u202Eb', 'key\u200B': '\u{e0041}', blank: '\u3164' }
    await ann(['org', 'create', name, '--slug', 'evil', '--metadata', JSON.stringify(metadata)])
    const { stdout } = await ann('org export evil')
    expect(stdout.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Zl}\u202e\p{Default_Ignorable_Code_Point}]/u)
    const plan = `org apply -f ${file(document('evil', owner))} --dry-run`
    const forPeople = await ann(plan, { tty: ['stdout'], env: { NO_COLOR: '1' } })
    expect(forPeople.stdout).toMatch(/^~ organization evil: name Evil \\u001b\]52;c;ZXZpbA==\\u0007\s+\\u\{202e\}gpj/)
    const back = await apply(stdout, '--json')
    expect(changed(back.json)).toEqual([])
    expect((await ann('org export evil --json=organization')).json).toMatchObject({
      organization: { name, metadata },
    })
  })
})

describe('org apply', () => {
  it('tells a job by its exit code whether something would change', async () => {
    const text = document('gate', owner)
    const gate = async () => {
      const { code, json } = await apply(text, '--dry-run --exit-code --json')
      return [code, json]
    }
    expect(await gate()).toMatchObject([13, { summary: { changed: 1, failed: 0 } }])
    const { json: schema } = await ann('schema org apply')
    expect(schema).toMatchObject({ properties: { summary: { required: expect.arrayContaining(['changed']) } } })
    expect((await apply(text, '--dry-run')).code).toBe(0)
    expect((await apply(text, '--json')).json).toMatchObject({ summary: { changed: 1 } })
    expect(await gate()).toMatchObject([0, { summary: { changed: 0 } }])
    expect((await apply(text, '--exit-code --json')).error).toMatchObject({
      exitCode: 2,
      hint: 'postern org apply -f - --dry-run --exit-code',
    })
  })

  it('says what it would do, and does nothing', async () => {
    const text = document(
      'dry',
      `${owner}teams: [{ name: Ops }]\ninvitations: [{ email: cy@example.com, roles: [member], team: Ops }]\n`,
    )
    const { json, code } = await apply(text, '--dry-run --json')
    expect(code).toBe(0)
    expect(json).toEqual({
      results: [
        {
          input: 'dry',
          organization: 'dry',
          kind: 'organization',
          action: 'create',
          changes: ['name The dry'],
          differences: [{ field: 'name', from: null, to: 'The dry' }],
          status: 'planned',
          id: null,
          error: null,
        },
        {
          input: 'Ops',
          organization: 'dry',
          kind: 'team',
          action: 'create',
          changes: [],
          differences: [],
          status: 'planned',
          id: null,
          error: null,
        },
        {
          input: 'ann@example.com',
          organization: 'dry',
          kind: 'member',
          action: 'update',
          changes: ['no team'],
          differences: [],
          status: 'planned',
          id: null,
          error: null,
        },
        {
          input: 'cy@example.com',
          organization: 'dry',
          kind: 'invitation',
          action: 'invite',
          changes: ['roles member', 'team Ops'],
          differences: [
            { field: 'roles', from: null, to: ['member'] },
            { field: 'team', from: null, to: 'Ops' },
          ],
          status: 'planned',
          id: null,
          error: null,
        },
      ],
      summary: { total: 4, succeeded: 4, failed: 0, skipped: 0, changed: 4 },
    })
    expect((await ann('org slug check dry')).code).toBe(0)
    const forPeople = await ann(`org apply -f ${file(text)} --dry-run`, { tty: ['stdout'], env: { NO_COLOR: '1' } })
    expect(forPeople.stdout).toBe(
      [
        '+ organization dry: name The dry',
        '+ team Ops',
        '~ member ann@example.com: no team',
        '+ invitation cy@example.com: roles member; team Ops',
        '3 to add, 1 to change',
        '',
      ].join('\n'),
    )
  })

  it('makes the organization, once, and tells people how far it is', async () => {
    const text = document(
      'made',
      `${owner}teams: [{ name: Ops }, { name: Art }]\ninvitations: [{ email: cy@example.com, roles: [member], team: Ops }]\n`,
    )
    const first = await apply(text)
    expect(first.code).toBe(0)
    expect(first.stderr.split('\n')).toEqual([
      '1/5 create organization made (name The made)',
      '2/5 create team Art',
      '3/5 create team Ops',
      '4/5 update ann@example.com (no team)',
      '5/5 invite cy@example.com (roles member, team Ops)',
      '',
    ])
    expect(first.stdout).toContain('invitation\tcy@example.com\tinvite\tcreated\troles member, team Ops\n')
    expect((await ann('org export made --json=teams,members')).json).toEqual({
      teams: [{ name: 'Art' }, { name: 'Ops' }],
      members: [{ email: 'ann@example.com', roles: ['owner'] }],
    })
    const second = await ann(`org apply -f ${file(text)}`, { tty: ['stdout'] })
    expect(second).toMatchObject({ code: 0, stdout: '', stderr: 'Nothing to do\n5 unchanged\n' })
    expect((await ann('org export')).stdout).toContain('slug: evil')
  })

  it('changes name, logo and metadata, keeps what is not said and clears what is null', async () => {
    await apply('organization: { name: A, slug: facts, logo: https://a.example/l.png, metadata: { a: 1 } }')
    expect(changed((await apply('organization: { name: B, slug: FACTS, logo: null }', '--json')).json)).toEqual([
      'update facts updated',
    ])
    expect((await ann('org export facts --json=organization')).json).toEqual({
      organization: { name: 'B', slug: 'facts', logo: null, metadata: { a: 1 } },
    })
  })

  it('invites, gives other roles to those invited, and needs nothing once it is accepted', async () => {
    const invitation = (roles: string) =>
      document('grow', `${owner}invitations: [{ email: ben@example.com, roles: ${roles} }]`)
    expect(changed((await apply(invitation('[member]'), '--json')).json)).toContain('invite ben@example.com created')
    const before = (await ann('invitation list --org grow --json=id')).json
    expect(changed((await apply(invitation('[member]'), '--json')).json)).toEqual([])
    expect(changed((await apply(invitation('[admin, member]'), '--json')).json)).toEqual([
      'resend ben@example.com updated',
    ])
    const invited = (await ann('invitation list --org grow --json=id')).json as { items: { id: string }[] }
    expect(invited).toEqual(before)
    expect((await ben(`invitation accept ${invited.items[0]?.id}`)).code).toBe(0)
    expect(changed((await apply(invitation('[member, admin]'), '--prune --confirm grow --json')).json)).toEqual([])
    const asMember = document(
      'grow',
      'members:\n - { email: ann@example.com, roles: [owner] }\n - { email: Ben@example.com, roles: [member] }\n',
    )
    expect(changed((await apply(asMember, '--json')).json)).toEqual(['update ben@example.com updated'])
    expect(changed((await apply(asMember, '--json')).json)).toEqual([])
  })

  it('hands the organization over, and leaves it, in one go', async () => {
    const both = 'members: [{ email: ann@example.com, roles: [owner] }, { email: ben@example.com, roles: [member] }]'
    await apply(document('heir', both))
    const { json } = await ben('invitation list --mine --json')
    const { id } =
      (json as { items: { id: string; organizationSlug: string }[] }).items.find(
        ({ organizationSlug }) => organizationSlug === 'heir',
      ) ?? {}
    await ben(`invitation accept ${id}`)
    const handed = document(
      'heir',
      'teams: [{ name: Only }]\nmembers: [{ email: ben@example.com, roles: [owner], team: Only }]\n',
    )
    const given = await apply(handed, '--prune --confirm heir --json')
    expect(given.code).toBe(0)
    expect(changed(given.json)).toEqual([
      'create Only created',
      'update ben@example.com updated',
      'delete The heir deleted',
      'delete ann@example.com deleted',
    ])
    expect((await apply(handed)).code).toBe(7)
    expect(changed((await apply(handed, '--json', ben)).json)).toEqual([])
  })

  it('removes only with --prune, and only for the exact slug', async () => {
    await apply(
      document(
        'trim',
        `${owner}teams: [{ name: Ops }, { name: Art }]\ninvitations: [{ email: cy@example.com, roles: [member] }]`,
      ),
    )
    const less = document('trim', `${owner}teams: [{ name: Ops }]\ninvitations: []\n`)
    const kept = await apply(less)
    expect(kept.stderr).toBe('2 kept though not in the document: --prune removes them\n')
    expect(changed((await apply(less, '--json --prune --dry-run')).json)).toEqual([
      'delete cy@example.com planned',
      'delete Art planned',
    ])
    const unasked = await apply(less, '--prune --yes')
    expect(unasked).toMatchObject({ code: 14, stdout: '' })
    expect(unasked.stderr).toContain('postern org apply -f - --prune --confirm trim')
    expect((await apply(less, '--prune --confirm Trim')).code).toBe(2)
    expect(await exported('trim')).toContain('cy@example.com')
    expect(changed((await apply(less, '--json --prune --confirm trim')).json)).toEqual([
      'delete cy@example.com deleted',
      'delete Art deleted',
    ])
    expect(await exported('trim')).not.toContain('cy@example.com')
  })

  it('refuses what leaves no owner, before anything is done', async () => {
    await apply(document('mine', owner))
    const text = document('mine', 'teams: [{ name: New }]\nmembers: [{ email: ann@example.com, roles: [admin] }]\n')
    expect((await apply(text, '--json')).error).toMatchObject({ code: 'ONLY_OWNER', exitCode: 7 })
    expect((await apply(document('mine', 'members: []\n'), '--prune --confirm mine')).code).toBe(7)
    expect(await exported('mine')).not.toContain('New')
    expect((await apply(document('nobody', 'members: [{ email: ann@example.com, roles: [member] }]'))).code).toBe(7)
    expect((await ann('org slug check nobody')).code).toBe(0)
  })

  it('refuses roles that the service does not know, and the slug of somebody else', async () => {
    const odd = await apply(document('odd', 'members: [{ email: cy@example.com, roles: [king] }]'), '--json')
    expect(odd.error).toMatchObject({ code: 'ROLE_NOT_FOUND', exitCode: 12 })
    expect(odd.error['message']).toContain('cy@example.com: king')
    expect((await apply(document('acme'), '--json', ben)).error).toMatchObject({ code: 'SLUG_IS_TAKEN', exitCode: 7 })
  })

  it('goes on after a step that fails, says which did, and can be run again', async () => {
    await apply(document('half', `${owner}teams: [{ name: Ops }]`))
    await ann('org use half')
    await ann('invitation create ben@example.com --role admin')
    const { json } = await ben('invitation list --mine --json')
    const { id } =
      (json as { items: { id: string; organizationSlug: string }[] }).items.find(
        ({ organizationSlug }) => organizationSlug === 'half',
      ) ?? {}
    await ben(`invitation accept ${id}`)
    const text = document(
      'half',
      'members: [{ email: ann@example.com, roles: [owner, member] }]\ninvitations:\n - { email: cy@example.com, roles: [owner] }\n - { email: dan@example.com, roles: [member] }\n',
    )
    const half = await apply(text, '--json', ben)
    expect(half.code).toBe(13)
    expect(rows(half.json).map(({ input, status, error }) => [input, status, error?.code])).toEqual([
      ['half', 'unchanged', undefined],
      ['ann@example.com', 'failed', 'YOU_ARE_NOT_ALLOWED_TO_UPDATE_THIS_MEMBER'],
      ['cy@example.com', 'failed', 'YOU_ARE_NOT_ALLOWED_TO_INVITE_USER_WITH_THIS_ROLE'],
      ['dan@example.com', 'created', undefined],
    ])
    expect(half.json).toMatchObject({ summary: { total: 4, succeeded: 2, failed: 2, skipped: 0 } })
    const told = await apply(text, '', ben)
    expect(told.stderr).toContain('apply the document again')
    const owned = await apply(text, '--json')
    expect([owned.code, changed(owned.json)]).toEqual([
      0,
      ['invite cy@example.com created', 'update ann@example.com updated'],
    ])
  })

  it('says what a failed step has done nevertheless', async () => {
    const moving = (team: string) =>
      document(
        'half',
        `teams: [{ name: Ops }, { name: Art }]\nmembers: [{ email: ann@example.com, roles: [owner, admin], team: ${team} }]`,
      )
    const done = 'Already done: Put a member of the organization into a team (POST /organization/add-team-member)'
    const some = await apply(moving('Ops'), '', ben)
    expect([some.code, some.stdout]).toEqual([13, expect.stringContaining(done)])
    expect(some.stderr).not.toContain('changed nothing')
    const only = await apply(moving('Art'), '--json', ben)
    const message = expect.stringContaining(done)
    expect([only.code, rows(only.json)]).toMatchObject([13, [{}, {}, {}, { status: 'failed', error: { message } }]])
    const again = await apply(moving('Art'), '--json', ben)
    expect([again.code, again.error['message']]).toEqual([5, 'You are not allowed to update this member'])
  })

  it('is the failure itself where nothing was done', async () => {
    const one = document('half', 'invitations: [{ email: eve@example.com, roles: [owner] }]')
    expect(await apply(one, '--json', ben)).toMatchObject({ code: 5, stdout: '' })
    expect((await apply(document('x'.repeat(64)), '', ben)).code).toBe(0)
  })

  it('sends nothing for a document that is none, and says where', async () => {
    const refused = await ann(`org apply -f ${file('organization:\n  name: A\n  slug: a\n  color: red\n')}`)
    expect(refused.code).toBe(2)
    expect(refused.stderr).toContain('line 4, organization.color: no such key')
    expect(refused.stderr).toContain('postern schema org')
    expect(await ann('org apply -f /nowhere.yaml')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('there is no such file'),
    })
    expect(await ann('org apply -f /')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/it is a folder.*\n +next: Give the path of a file/),
    })
    expect((await ann('org apply')).code).toBe(2)
    const stranger = await ann('org apply -f -', {
      stdin: document('a'),
      env: { POSTERN_STATE_DIR: join(ann.folder, 'none') },
    })
    expect(stranger.code).toBe(4)
    expect((await apply(`# ${'x'.repeat(4 * 1024 * 1024)}`)).stderr).toContain('stdin is larger than 4 MiB')
    expect((await ann(`org apply -f ${file('\u00ff')}`)).code).toBe(2)
    writeFileSync(join(ann.folder, 'latin'), Buffer.from([0x61, 0xff]))
    expect((await ann(`org apply -f ${join(ann.folder, 'latin')}`)).stderr).toContain('is not UTF-8')
  })

  it('only looks under --read-only', async () => {
    expect(await apply(document('acme', owner), '--read-only')).toMatchObject({ code: 2, stdout: '' })
    expect((await apply(document('acme', owner), '--read-only --dry-run --json')).code).toBe(0)
    expect((await apply(document('looks', owner), '--read-only --dry-run --json')).code).toBe(0)
  })
})

describe('schema org', () => {
  it('is the schema that apply reads by', async () => {
    const { json } = await ann('schema org')
    expect(json).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      required: ['organization'],
      additionalProperties: false,
      properties: { members: { items: { required: ['email', 'roles'], additionalProperties: false } } },
    })
    expect((await ann('schema orgs')).json).toEqual(json)
    expect((await ann('schema org apply')).json).toMatchObject({ properties: { results: { type: 'array' } } })
  })
})
