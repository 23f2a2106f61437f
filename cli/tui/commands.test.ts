import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { commandLine, equivalentCommand, equivalentCurl } from './commands.ts'
import type { SeenRequest } from './seam.ts'

const seen = (method: 'GET' | 'POST', path: string, body?: unknown): SeenRequest => ({
  method,
  path,
  body,
  status: 200,
  milliseconds: 1,
  requestId: undefined,
})

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
    expect(equivalentCurl(request, 'http://localhost:4100/api/auth')).not.toContain('hunter2')
  }
})

test('curl gets what the service insists on', () => {
  expect(equivalentCurl(seen('POST', '/sign-out', {}), 'http://localhost:4100/api/auth')).toBe(
    "curl -b cookies.txt -H 'Origin: http://localhost:4100' -H 'Content-Type: application/json' -d '{}' http://localhost:4100/api/auth/sign-out",
  )
})
