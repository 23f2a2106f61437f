import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ObservedRequest } from '../../client/connection.ts'
import { commandLine } from '../../output/shell-line.ts'
import { equivalentCommand, equivalentCurl } from './request-text.ts'

const seen = (method: 'GET' | 'POST', path: string, body?: unknown): ObservedRequest => ({
  method,
  path,
  body,
  status: 200,
  milliseconds: 1,
  requestId: undefined,
})

const asked = (path: string, query: Record<string, string>): ObservedRequest => ({ ...seen('GET', path), query })

test('a shell reads the words of a command line back as they were', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: 'grapheme-ascii', minLength: 1 }), { minLength: 1, maxLength: 5 }),
      (words) => {
        const line = commandLine('printf', '%s\\0', ...words)
        expect(execFileSync('/bin/sh', ['-c', line], { encoding: 'utf8' })).toBe(
          words.map((word) => `${word}\0`).join(''),
        )
      },
    ),
    { numRuns: 20 },
  )
})

test.each([
  [seen('GET', '/get-session'), 'postern whoami'],
  [seen('POST', '/revoke-other-sessions', {}), 'postern session revoke --others'],
  [seen('POST', '/sign-in/email', { email: 'a@b.ch', password: 'hunter2' }), 'postern sign-in --email a@b.ch'],
  [seen('POST', '/update-user', { name: "O'Hara" }), "postern account edit --name 'O'\\''Hara'"],
  [seen('POST', '/send-verification-email', { email: 'a@b.ch' }), 'postern account email verify --send --email a@b.ch'],
  [seen('GET', '/verify-email'), 'postern account email verify LINK'],
  [seen('POST', '/change-email', { newEmail: 'a@b.ch' }), 'postern account email set a@b.ch'],
  [seen('POST', '/forget-password', { email: 'a@b.ch' }), 'postern account password forgot --email a@b.ch'],
  [seen('GET', '/organization/list'), 'postern org list'],
  [asked('/organization/get-full-organization', { organizationId: 'o1' }), 'postern org view o1'],
  [asked('/organization/get-full-organization', {}), 'postern org view'],
  [
    asked('/organization/list-invitations', { organizationId: 'o1', status: 'all' }),
    'postern invitation list --org o1',
  ],
  [asked('/organization/get-invitation', { id: 'i1' }), 'postern invitation view i1'],
  [asked('/verify-email', { token: 'secret' }), 'postern account email verify LINK'],
  [
    seen('POST', '/organization/has-permission', { permissions: { team: ['create'] } }),
    'postern role check team:create',
  ],
  [seen('POST', '/organization/set-active', { organizationId: null }), 'postern org use -'],
  [asked('/key/list', {}), 'postern key list --mine'],
  [asked('/key/list', { organizationId: 'o1' }), 'postern key list --org o1'],
  [asked('/key/view', { keyId: 'k1' }), 'postern key view k1'],
  [
    seen('POST', '/key/create', {
      name: 'deploy',
      organizationId: 'o1',
      role: ['admin'],
      scopes: ['read', 'invitation:create'],
      expiresIn: 3600,
      ipRanges: ['10.0.0.0/8'],
    }),
    'postern key create deploy --role admin --scope read,invitation:create --expires 3600s --from 10.0.0.0/8 --org o1',
  ],
  [seen('POST', '/key/create', { name: 'laptop', scopes: ['read'] }), 'postern key create --mine laptop --scope read'],
  [seen('POST', '/key/rotate', { keyId: 'k1', overlap: 0 }), 'postern key rotate k1 --overlap 0'],
  [seen('POST', '/key/revoke', { keyId: 'k1' }), 'postern key revoke k1'],
  [
    seen('POST', '/key/trust/create', {
      name: 'site',
      organizationId: 'o1',
      issuer: 'https://gitlab.com',
      claims: { project_path: 'acme/site', ref: 'main' },
      role: ['admin'],
    }),
    'postern key trust create site --issuer https://gitlab.com --claim project_path=acme/site,ref=main --role admin --org o1',
  ],
  [seen('POST', '/organization/create', { name: 'Acme', slug: 'acme' }), 'postern org create Acme --slug acme'],
  [
    seen('POST', '/organization/update', { organizationId: 'o1', data: { metadata: { plan: 'pro' } } }),
    `postern org edit o1 --metadata '{"plan":"pro"}'`,
  ],
  [
    seen('POST', '/organization/update-member-role', { memberId: 'm1', role: 'admin,member', organizationId: 'o1' }),
    'postern member role set m1 admin member --org o1',
  ],
  [
    seen('POST', '/organization/invite-member', {
      email: 'a@b.ch',
      role: 'member',
      organizationId: 'o1',
      teamId: 't1',
    }),
    'postern invitation create a@b.ch --role member --team t1 --org o1',
  ],
  [
    seen('POST', '/organization/invite-member', {
      email: 'a@b.ch',
      role: 'member',
      organizationId: 'o1',
      resend: true,
    }),
    'postern invitation resend a@b.ch --org o1',
  ],
  [seen('POST', '/organization/accept-invitation', { invitationId: 'i1' }), 'postern invitation accept i1'],
  [
    seen('POST', '/organization/add-team-member', { teamId: 't1', userId: 'u1' }),
    'postern team member add u1 --team t1',
  ],
  [seen('POST', '/reset-password', { token: 'hunter2' }), 'postern account password reset LINK'],
  [seen('POST', '/change-password', { newPassword: 'hunter2' }), 'postern account password set'],
  [seen('POST', '/change-password', { revokeOtherSessions: true }), 'postern account password set --revoke-others'],
  [seen('POST', '/delete-user', { password: 'hunter2' }), 'postern account delete'],
  [seen('GET', '/ok'), 'postern api /ok -X GET'],
])('%j is %s', (request, command) => expect(equivalentCommand(request)).toBe(command))

test('no secret is in a command or a curl line, whatever key holds it', () => {
  const body = {
    email: 'a@b.ch',
    password: 'hunter2',
    token: 'hunter2',
    newPassword: 'hunter2',
    constructor: 'hunter2',
  }
  for (const path of [
    '/sign-in/email',
    '/change-password',
    '/reset-password',
    '/delete-user',
    '/revoke-session',
    '/unknown',
    '/__proto__',
  ]) {
    const request = seen('POST', path, body)
    expect(equivalentCommand(request)).not.toContain('hunter2')
    const curl = equivalentCurl({ ...request, server: 'http://localhost:4100/api/auth' })
    expect([curl, curl.includes('hunter2')]).toEqual([expect.stringContaining(path), false])
  }
})

test('curl gets what the service insists on', () => {
  const server = 'http://localhost:4100/api/auth'
  expect(equivalentCurl({ ...seen('POST', '/sign-out', {}), server, account: 'a@b.ch' })).toBe(
    `(token=$(postern auth token --url ${server} --account a@b.ch) && printf 'header="authorization: Bearer %s"\\n' "$token" | curl -sS -K - -X POST -H 'content-type: application/json' --data-raw '{}' ${server}/sign-out)`,
  )
  const query = { organizationId: 'o 1', token: 'hunter2' }
  expect(equivalentCurl({ ...asked('/organization/get-full-organization', query), server })).toBe(
    `curl -sS '${server}/organization/get-full-organization?organizationId=o+1&token=***'`,
  )
})
