import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { type AnsweringService, fullUser, session, startAnswers, usual } from '../testing/answers.ts'
import { startFakeServer } from '../testing/fake-server.ts'
import { createRunner, type Runner } from '../testing/run-cli.ts'

const at = '2026-01-02T03:04:05.000Z'
const organization = (id: string, slug: string) => ({ id, name: slug, slug, logo: null, metadata: null, createdAt: at })
const ann = { id: 'u1', name: 'Ann', email: 'ann@example.com', image: null }
const member = { id: 'm1', organizationId: 'o1', userId: 'u1', role: 'owner', createdAt: at, user: ann }
const invitation = { id: 'i1', organizationId: 'o1', email: 'new@example.com', role: 'member', teamId: null }
const asked = { ...invitation, inviterId: 'u1', createdAt: at, expiresAt: at, status: 'pending' }
const team = { id: 't1', name: 'Design', organizationId: 'o1', createdAt: at, updatedAt: null }

const made = { organizationId: null, createdBy: 'u1', createdAt: at, expiresAt: at, lastUsedAt: null, lastUsedIp: null }
const key = (id: string, name: string) => ({
  ...made,
  id,
  name,
  userId: 'u1',
  role: null,
  scopes: null,
  ipRanges: [],
  hint: 'abcd',
  overlapEndsAt: null,
})
const trust = {
  ...made,
  id: 'r1',
  name: 'site',
  userId: 'u9',
  organizationId: 'o1',
  issuer: 'https://gitlab.com',
  audience: 'postern',
  claims: { project_path: 'acme/site' },
  role: 'member',
  expiresIn: 900,
}

let service: AnsweringService
let postern: Runner
beforeAll(async () => {
  service = await startAnswers({
    ...usual(),
    'GET /organization/list': { body: [organization('o1', 'acme'), organization('o2', 'apex')] },
    'GET /organization/list-members': { body: { members: [member], total: 1 } },
    'GET /organization/list-roles': {
      body: [
        { role: 'owner', permissions: { team: ['create', 'delete'] } },
        { role: 'member', permissions: { team: ['create'] } },
      ],
    },
    'GET /organization/list-teams': { body: [team] },
    'GET /key/list': { body: [key('k1', 'deploy'), key('k2', 'twin'), key('k3', 'twin')] },
    'GET /key/trust/list': { body: [trust] },
    'GET /provider/list': { body: ['google', 'gitlab'].map((id) => ({ id, name: id })) },
    'GET /admin/list-users': { body: { users: [fullUser], total: 1, limit: 10, offset: 0 } },
    'POST /admin/list-user-sessions': { body: { sessions: [{ ...session, id: 's7', token: 's7' }] } },
    'GET /organization/list-invitations': { body: [asked, { ...asked, email: 'old@example.com', status: 'accepted' }] },
    'GET /organization/list-user-invitations': {
      body: [{ ...asked, organizationName: 'Globex', organizationSlug: 'globex', inviterEmail: 'x@example.com' }],
    },
  })
})
afterAll(() => service.close())
afterEach(() => void vi.restoreAllMocks())
beforeEach(() => {
  service.forget()
  const env = { POSTERN_URL: service.url, POSTERN_TOKEN: 'token', POSTERN_COMPLETION_TIMEOUT: '60s' }
  postern = createRunner({ env })
})

const found = async (...words: readonly string[]): Promise<readonly string[]> => {
  const { code, stdout, stderr } = await postern(['__complete', '--', ...words])
  expect([code, stderr]).toEqual([0, ''])
  return stdout.split('\n').filter(Boolean)
}

describe('completion of what the service knows', () => {
  it.each([
    ['organizations', ['org', 'use', 'ap'], ['apex']],
    ['organizations, of a flag', ['member', 'list', '--org', ''], ['acme', 'apex']],
    ['organizations, behind a sign', ['member', 'list', '-q', '--org=ac'], ['--org=acme']],
    ['organizations, before the command', ['-O', 'ac'], ['acme']],
    ['organizations to export', ['org', 'export', ''], ['acme', 'apex']],
    ['members', ['member', 'view', ''], ['ann@example.com']],
    ['members, each of several', ['member', 'remove', 'ann@example.com', 'a'], ['ann@example.com']],
    ['roles', ['invite', 'create', 'a@b.co', '--role', ''], ['member', 'owner']],
    ['roles behind a comma', ['invite', 'create', 'a@b.co', '--role', 'owner,m'], ['owner,member']],
    ['roles of a member', ['member', 'role', 'set', 'ann@example.com', 'o'], ['owner']],
    ['roles to decide for', ['role', 'check', 'member:create', '--as', 'm'], ['member']],
    ['roles of a key, which no owner can be', ['key', 'create', 'ci', '--role', ''], ['member']],
    ['roles of a trust rule', ['key', 'trust', 'create', 'site', '--role', ''], ['member']],
    ['permissions', ['role', 'check', 'team:create', 'team:'], ['team:create', 'team:delete']],
    ['teams', ['team', 'delete', ''], ['Design']],
    ['teams of a flag', ['team', 'member', 'list', '--team', 'D'], ['Design']],
    ['sessions', ['session', 'revoke', 's'], ['s1', 's2']],
    ['sessions by their labels', ['session', 'revoke', 'la'], ['laptop']],
    ['roles to look at', ['role', 'view', 'm'], ['member']],
    ['invitations that wait', ['invitation', 'cancel', ''], ['new@example.com']],
    ['organizations that invite', ['invitation', 'accept', ''], ['globex']],
    ['invitations of both kinds', ['invitation', 'view', ''], ['globex', 'new@example.com']],
    ['keys, by their ids where two are called the same', ['key', 'view', ''], ['deploy', 'k2', 'k3']],
    ['keys to rotate', ['key', 'rotate', 'd'], ['deploy']],
    ['keys to revoke, each of several', ['key', 'revoke', 'k2', 'de'], ['deploy']],
    ['trust rules', ['key', 'trust', 'delete', '-O', 'acme', ''], ['site']],
    ['sessions of a user', ['admin', 'session', 'revoke', 'ann@example.com', 's'], ['s7']],
    ['providers', ['sign-in', '--provider', 'g'], ['gitlab', 'google']],
    ['providers to link', ['account', 'link', 'add', 'gi'], ['gitlab']],
  ])('finds %s', async (_, words, expected) => {
    expect(await found(...words)).toEqual(expected)
  })

  it.each([
    ['sign-up', '--password-file', ''],
    ['sign-up', '--password-file=pa'],
    ['backup', ''],
    ['restore', '--passphrase-file', 'passphrase', 'po'],
    ['import', 'us'],
    ['import', 'auth0', 'users.json', 'pa'],
  ])('leaves a file to the shell: %s %s', async (...words) => {
    expect(await postern(['__complete', '--', ...words])).toMatchObject({ code: 14, stdout: '', stderr: '' })
  })

  it('offers flags, not files, behind a dash', async () => {
    expect(await found('restore', '--pass')).toEqual(['--passphrase-file'])
  })

  const id = '0198c5f0-6c1e-7cc2-9f4b-2f6d3c0a1b2c'

  it.each(['two\n--url=http://127.0.0.1:9', 'bell\u0007', 'right\u202eleft'])(
    'offers no name that acts or hides: %j',
    async (name) => {
      const other = await startAnswers({
        ...usual(),
        'GET /organization/list-teams': {
          body: [
            { ...team, organizationId: id, name },
            { ...team, organizationId: id, id: 't9', name: 'Plain' },
          ],
        },
      })
      expect(await found('--url', other.url, '-O', id, 'team', 'delete', '')).toEqual(['Plain'])
      await other.close()
    },
  )

  it('asks where and in what the line says', async () => {
    const other = await startAnswers({
      ...usual(),
      'GET /organization/list-teams': { body: [{ ...team, organizationId: id, name: 'Far' }] },
    })
    expect(await found('--url', other.url, '-O', id, 'team', 'delete', '')).toEqual(['Far'])
    expect(other.seen.map(({ query }) => query['organizationId'])).toEqual([id])
    expect(service.seen).toEqual([])
    await other.close()
  })

  it('is silent where nobody is signed in, or the service is away or says no', async () => {
    const patient = { POSTERN_COMPLETION_TIMEOUT: '60s' }
    postern = createRunner({ env: { ...patient, POSTERN_URL: service.url } })
    expect(await found('org', 'use', '')).toEqual([])
    expect(service.seen).toEqual([])
    postern = createRunner({ env: { ...patient, POSTERN_URL: 'http://127.0.0.1:1', POSTERN_TOKEN: 't' } })
    expect(await found('org', 'use', '')).toEqual([])
    postern = createRunner({ env: { ...patient, POSTERN_URL: service.url, POSTERN_TOKEN: 't' } })
    expect(await found('account', 'link', 'remove', '')).toEqual([])
    expect(service.seen).toMatchObject([{ call: 'GET /list-accounts' }])
  })

  it('gives up a service that does not answer, and leaves it', async () => {
    let left = false
    // The time limit passes once the service was asked, however long that takes.
    const tired = new AbortController()
    const times = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(tired.signal)
    const slow = await startFakeServer((request) => {
      request.on('close', () => (left = true))
      tired.abort()
    })
    postern = createRunner({ env: { POSTERN_URL: slow.url, POSTERN_TOKEN: 't', POSTERN_COMPLETION_TIMEOUT: '1500ms' } })
    expect(await found('org', 'use', '')).toEqual([])
    expect(times).toHaveBeenCalledWith(1500)
    await expect.poll(() => left).toBe(true)
    await slow.close()
  })
})

describe('completion of what this machine knows', () => {
  it('finds accounts', async () => {
    postern = createRunner({ env: { POSTERN_URL: service.url, POSTERN_COMPLETION_TIMEOUT: '60s' } })
    await postern('sign-in --email alice@example.com --password-file -', { stdin: 'password\n' })
    expect(await found('whoami', '-A', '')).toEqual(['alice@example.com'])
    expect(await found('auth', 'switch', 'al')).toEqual(['alice@example.com'])
  })

  it('finds profiles', async () => {
    await postern('profile create work --url http://localhost:4100')
    expect(await found('-P', '')).toEqual(['work'])
    expect(await found('profile', 'use', 'w')).toEqual(['work'])
  })
})

describe('completion of what the program itself knows', () => {
  it.each([
    [['account', 'activity', '--event', 'webhook-c'], ['webhook-created']],
    [['account', 'activity', '--event', 'user,webhook-c'], ['user,webhook-created']],
    [['webhook', 'create', 'https://example.com', '--event', 'webhook-c'], ['webhook-created']],
    [
      ['config', 'set', 't'],
      ['theme', 'timeout'],
    ],
    [
      ['config', 'unset', 'u'],
      ['update-notice', 'url'],
    ],
  ])('of %j', async (words, expected) => {
    expect(await found(...words)).toEqual(expected)
    expect(service.seen).toEqual([])
  })
})

describe('completion of what the tree tells', () => {
  it.each([
    [
      ['whoami', '--json=ema'],
      ['--json=email', '--json=emailVerified'],
    ],
    [['whoami', '--json=id,email,na'], ['--json=id,email,name']],
    [
      ['session', 'list', '--json=id,i'],
      ['--json=id,impersonatedBy', '--json=id,ipAddress'],
    ],
    [['tui', '--screen', 'se'], ['sessions']],
    [['help', 'flag'], ['flags']],
    [['help', 'session', 'l'], ['list']],
    [['sign-up', '--name', ''], []],
  ])('of %j', async (words, expected) => {
    expect(await found(...words)).toEqual(expected)
    expect(service.seen).toEqual([])
  })
})
