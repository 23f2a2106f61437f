import { afterEach, describe, expect, it } from 'vitest'
import type { Extensions } from '../../../server/settings/extensions.ts'
import { session, startAnswers, user, usual } from '../../testing/answers.ts'
import { startOwnService } from '../../testing/own-service.ts'
import { createRunner } from '../../testing/run-cli.ts'

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

async function start(settings: Readonly<Record<string, string>>, extensions: Extensions = {}) {
  const service = await startOwnService(settings, { extensions })
  closing.push(service.stop)
  const ann = await service.person('Ann')
  return (argv: string, stdin = '') => ann(argv, { stdin })
}

const organization = 'organization: { name: Acme, slug: acme }\n'
const owner = (role = 'owner') => `members: [{ email: ann@example.com, roles: [${role}] }]\n`

describe('a service', () => {
  it('without teams has documents without teams, and refuses the others whole', async () => {
    const postern = await start({ TEAMS: 'off' })
    expect((await postern('org apply -f - --json', organization + owner())).code).toBe(0)
    const { stdout } = await postern('org export acme')
    expect(stdout).not.toContain('team')
    for (const exported of [stdout, (await postern('org export acme --json')).stdout])
      expect((await postern('org apply -f - --json', exported)).json).toMatchObject({
        summary: { total: 2, changed: 0, failed: 0 },
      })
    expect((await postern('org apply -f -', `${organization}teams: []\n`)).code).toBe(0)
    const refused = await postern('org apply -f - --json', `${organization}teams: [{ name: Ops }]\n`)
    expect(refused.error).toMatchObject({ code: 'TEAMS_OFF', exitCode: 12 })
  })

  it('without a default team makes only those that are listed', async () => {
    const postern = await start({ DEFAULT_TEAM: 'off' })
    await postern('org apply -f -', `${organization}teams: [{ name: Ops }]\n${owner()}`)
    expect((await postern('org export acme --json=teams,members')).json).toEqual({
      teams: [{ name: 'Ops' }],
      members: [{ email: 'ann@example.com', roles: ['owner'] }],
    })
  })

  it('whose owners are called otherwise keeps its last one by itself', async () => {
    const postern = await start({ CREATOR_ROLE: 'admin' })
    await postern('org create Acme --slug acme')
    const kept = await postern('org apply -f - --json', organization + owner('admin'))
    expect(kept.json).toMatchObject({ results: [{}, { action: 'none', status: 'unchanged' }] })
    const { code, error } = await postern('org apply -f - --json', organization + owner('member'))
    expect([code, error['code']]).toEqual([7, 'YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER'])
  })

  it('that chooses another slug says which, and then nothing else is done', async () => {
    const postern = await start({}, { beforeCreateOrganization: () => ({ slug: 'eu-acme' }) })
    const made = await postern('org apply -f - --json', `${organization}teams: [{ name: Ops }]\n`)
    const message = expect.stringMatching(/eu-acme instead of acme\. Already done: Create an organization/)
    expect([made.code, made.json]).toMatchObject([
      13,
      { results: [{ status: 'failed', error: { code: 'OTHER_SLUG', message } }, { status: 'skipped' }] },
    ])
    const again = await postern('org apply -f - --json', organization.replace('acme', 'eu-acme'))
    expect(again.json).toMatchObject({ results: [{ status: 'unchanged' }] })
  })

  it('with more members than a page shows is exported whole', async () => {
    const service = await startOwnService({ MEMBERSHIP_LIMIT: '2' })
    closing.push(service.stop)
    const [ann] = await Promise.all(['Ann', 'Bo', 'Cy', 'Dan', 'Eve'].map((name) => service.person(name)))
    await ann?.('org create Acme --slug acme')
    // As if the limit had been larger once.
    await service.service.deps.sql`
      insert into members (id, organization_id, user_id, roles)
      select u.id, o.id, u.id, '{member}' from users u, organizations o where u.email <> 'ann@example.com'
    `
    expect((await ann?.('org export acme'))?.stdout.match(/email: /g)).toHaveLength(5)
    const pruned = await ann?.('org apply -f - --prune --confirm acme --json', { stdin: organization + owner() })
    expect(pruned?.json).toMatchObject({ summary: { total: 6, failed: 0 } })
  })

  it('that allows few invitations gets as many, and says which not', async () => {
    const postern = await start({ INVITATION_LIMIT: '2' })
    const people = ['a', 'b', 'c'].map((name) => ` - { email: ${name}@example.com, roles: [member] }\n`).join('')
    const { code, json } = await postern('org apply -f - --json', `${organization}invitations:\n${people}`)
    expect(code).toBe(13)
    expect(json).toMatchObject({ summary: { total: 4, succeeded: 3, failed: 1, skipped: 0 } })
  })

  it('with two teams of one name cannot be told apart by a document', async () => {
    const postern = await start({})
    await postern('org create Acme --slug acme')
    await postern('api /organization/create-team -f name=Acme')
    expect((await postern('org export acme --json')).error).toMatchObject({ code: 'AMBIGUOUS', exitCode: 7 })
    expect((await postern('org apply -f -', `${organization}teams: []\n`)).code).toBe(7)
  })
})

describe('a service that goes away half-way', () => {
  it('leaves the rest undone, and what was done is told', async () => {
    const full = {
      id: 'o1',
      name: 'Acme',
      slug: 'acme',
      logo: null,
      metadata: null,
      createdAt: session.createdAt,
    }
    const member = {
      id: 'm1',
      organizationId: 'o1',
      userId: 'u1',
      role: 'owner',
      teamId: null,
      createdAt: user.createdAt,
    }
    const { id, name, email, image } = user
    const members = [{ ...member, user: { id, name, email, image } }]
    let invited = 0
    const service = await startAnswers({
      ...usual(),
      'GET /organization/list': { body: [full] },
      'GET /organization/get-full-organization': { body: { ...full, members, invitations: [], teams: [] } },
      'GET /organization/list-members': { body: { members, total: 1 } },
      'GET /organization/list-roles': {
        body: [
          { role: 'owner', permissions: { member: ['update'] } },
          { role: 'member', permissions: {} },
        ],
      },
      'POST /organization/invite-member': ({ body }) => {
        invited += 1
        const { email: to } = body as { email: string }
        const made = { id: to, organizationId: 'o1', email: to, role: 'member', status: 'pending', teamId: null }
        return invited > 1 ? { status: 500 } : { body: { ...made, inviterId: 'u1', expiresAt: session.expiresAt } }
      },
    })
    closing.push(() => service.close())
    const postern = createRunner({ env: { POSTERN_URL: service.url } })
    await postern('sign-in --email alice@example.com --password-file -', { stdin: 'pw' })
    const people = ['a', 'b', 'c'].map((one) => ` - { email: ${one}@example.com, roles: [member] }\n`).join('')
    const half = await postern('org apply -f - --json', { stdin: `${organization}invitations:\n${people}` })
    expect(half.code).toBe(13)
    expect(half.json).toMatchObject({
      results: [{ status: 'unchanged' }, { status: 'created' }, { status: 'failed' }, { status: 'skipped' }],
      summary: { total: 4, succeeded: 2, failed: 1, skipped: 1 },
    })
    const none = await postern('org apply -f - --json', { stdin: `${organization}invitations:\n${people}` })
    expect(none).toMatchObject({ code: 11, stdout: '' })
    expect(invited).toBe(3)
  })
})
