import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type AnsweringService, startAnswers, usual } from '../../testing/answers.ts'
import { createRunner, type Runner } from '../../testing/run-cli.ts'

let service: AnsweringService
let postern: Runner

beforeAll(async () => {
  service = await startAnswers(usual())
})
afterAll(() => service.close())
beforeEach(async () => {
  Object.assign(service.answers, usual())
  postern = createRunner({ env: { POSTERN_URL: service.url }, now: Date.parse('2026-01-02T03:05:05.000Z') })
  await postern('sign-in --email alice@example.com --password-file -', { stdin: 'pw' })
  service.forget()
})

const ids = () => service.seen.map(({ body }) => (body as { token?: string }).token)

describe('session list', () => {
  it('answers both sessions without the token that opens the account', async () => {
    const { json, stdout } = await postern('session list --json')
    expect(json).toMatchObject({
      items: [
        { id: 's1', current: true },
        { id: 's2', current: false, userAgent: 'Firefox' },
      ],
      page: { total: 2, next: null },
    })
    expect(stdout).not.toContain('raw-token-of-s1')
    expect(Object.keys((json as { items: object[] }).items[0] ?? {})).not.toContain('token')
  })

  it('prints tabs, full values and ISO times into a pipe', async () => {
    const { stdout } = await postern('sessions ls')
    expect(stdout.split('\n')[0]?.split('\t')).toEqual([
      's1',
      'true',
      '2026-01-02T03:04:05.000Z',
      '2026-01-09T03:04:05.000Z',
      '127.0.0.1',
      'postern/0.1.0 (linux)',
    ])
  })

  it('prints a table with relative times for people', async () => {
    const { stdout } = await postern('session list', { tty: ['stdout'], env: { NO_COLOR: '1' } })
    expect(stdout).toBe(
      [
        'ID  HERE  SINCE   EXPIRES  ADDRESS    CLIENT',
        's1  yes   1m ago  in 6d    127.0.0.1  postern/0.1.0 (linux)',
        's2  no    1m ago  in 6d    127.0.0.1  Firefox',
        '',
      ].join('\n'),
    )
  })

  it('prints one item a line, ids only, or the fields asked for', async () => {
    expect((await postern('session list --ndjson --json=id')).stdout).toBe('{"id":"s1"}\n{"id":"s2"}\n')
    expect((await postern('session list --quiet')).stdout).toBe('s1\ns2\n')
    expect((await postern('session list --json=id')).json).toEqual({
      items: [{ id: 's1' }, { id: 's2' }],
      page: { total: 2, next: null },
    })
  })

  it('is done with an empty list, and says so to people only', async () => {
    service.answers['GET /list-sessions'] = { body: [] }
    expect(await postern('session list')).toMatchObject({ code: 0, stdout: '', stderr: 'No sessions\n' })
    expect(await postern('session list --json')).toMatchObject({ code: 0, stderr: '' })
  })
})

describe('session view', () => {
  it('shows one session, found by id', async () => {
    expect((await postern('session show s2 --json=id,userAgent')).json).toEqual({ id: 's2', userAgent: 'Firefox' })
    expect((await postern('session view s2')).stdout).toContain('Client\tFirefox\n')
  })

  it('is not found with exit 6', async () => {
    expect((await postern('session view s3 --json')).error).toMatchObject({ exitCode: 6, hint: 'postern session list' })
  })
})

describe('session revoke', () => {
  it('revokes each id and reports each', async () => {
    const done = await postern('session revoke s2 s3 --json')
    expect(ids()).toEqual(['s2', 's3'])
    expect(done.json).toEqual({
      results: [
        { input: 's2', status: 'deleted', error: null },
        { input: 's3', status: 'deleted', error: null },
      ],
      summary: { total: 2, succeeded: 2, failed: 0, skipped: 0 },
    })
  })

  it('reads ids from stdin where - stands', async () => {
    const done = await postern('session revoke s1 -', { stdin: 's2\r\n\n  s3\n' })
    expect(ids()).toEqual(['s1', 's2', 's3'])
    expect(done).toMatchObject({ code: 0, stdout: 's1\tdeleted\ns2\tdeleted\ns3\tdeleted\n' })
  })

  it('says what to do next where all fail for one reason', async () => {
    const body = { code: 'SESSION_NOT_FOUND', message: 'Session not found' }
    service.answers['POST /revoke-session'] = { status: 400, body }
    const { code, stderr } = await postern('session revoke x y')
    expect([code, stderr]).toEqual([13, 'next: postern session list\n'])
  })

  it('ends with 13 and every result when some fail', async () => {
    service.answers['POST /revoke-session'] = ({ body }) =>
      (body as { token: string }).token === 's2'
        ? { status: 400, body: { code: 'SESSION_NOT_FOUND', message: 'Session not found' } }
        : { body: { status: true } }
    const done = await postern('session revoke s1 s2 s3 --json')
    expect(done.code).toBe(13)
    expect(done.json).toMatchObject({
      results: [
        { status: 'deleted' },
        { status: 'failed', error: { code: 'SESSION_NOT_FOUND' } },
        { status: 'deleted' },
      ],
      summary: { succeeded: 2, failed: 1 },
    })
    expect((await postern('session revoke s1 s2 -q')).stdout).toBe('s1\n')
  })

  it('fails as its only id fails, with nothing on stdout', async () => {
    service.answers['POST /revoke-session'] = {
      status: 400,
      body: { code: 'SESSION_NOT_FOUND', message: 'Session not found' },
    }
    expect(await postern('session revoke s2 --json')).toMatchObject({ code: 6, stdout: '' })
  })

  it('stops where the rest would fare no better', async () => {
    service.answers['POST /revoke-session'] = { status: 401 }
    expect(await postern('session revoke s1 s2 s3')).toMatchObject({ code: 4, stdout: '' })
    expect(ids()).toEqual(['s1'])
  })

  it('revokes the others in one call', async () => {
    const done = await postern('session revoke --others --json')
    expect(service.calls()).toEqual(['POST /revoke-other-sessions'])
    expect(done.json).toEqual({ status: 'deleted', resource: { sessions: 'others' } })
  })

  it('revokes all only with consent, and forgets the session here', async () => {
    const asked = await postern('session revoke --all')
    expect(asked.code).toBe(14)
    expect(asked.stderr).toContain('postern session revoke --all --yes')
    expect(service.seen).toEqual([])
    expect((await postern('session revoke --all --yes')).code).toBe(0)
    expect(service.calls()).toEqual(['POST /revoke-sessions'])
    expect((await postern('whoami')).code).toBe(4)
  })

  it.each([[''], ['--all --others'], ['s1 --others']])('asks which sessions are meant: %s', async (argv) => {
    expect((await postern(`session revoke ${argv}`)).code).toBe(2)
    expect(service.seen).toEqual([])
  })
})

describe('what a service says of itself', () => {
  it('is only text to a terminal, a pipe and a JSON reader', async () => {
    const hostile = '\u001b]52;c;ZXZpbA==\u0007\u202Eevil\u200B\r\n\t\u009b2J'
    service.answers['GET /list-sessions'] = { body: [{ ...one, userAgent: hostile }] }
    for (const argv of ['session list', 'session list --json', 'session view s1', 'session list --ndjson']) {
      for (const tty of [[], ['stdout'] as const]) {
        const { code, stdout } = await postern(argv, { tty, env: { NO_COLOR: '1' } })
        expect(code).toBe(0)
        expect(stdout.replaceAll(/[\n\t]/g, '')).not.toMatch(/[\p{Cc}\u202e\u200b]/u)
      }
    }
    service.answers['GET /list-sessions'] = { status: 400, body: { code: 'EVIL', message: hostile } }
    const failed = await postern('session list')
    expect(failed.stderr).not.toContain('\u001b')
    expect(failed.stderr).toContain('\\u001b]52;c;')
  })
})

const one = {
  id: 's1',
  userId: 'u1',
  token: 'raw',
  expiresAt: '2026-01-09T03:04:05.000Z',
  createdAt: '2026-01-02T03:04:05.000Z',
  updatedAt: '2026-01-02T03:04:05.000Z',
  ipAddress: null,
  userAgent: null,
  activeOrganizationId: null,
  impersonatedBy: null,
}
