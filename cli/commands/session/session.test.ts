import { beforeEach, describe, expect, it } from 'vitest'
import { useAnswers } from '../../testing/use-service.ts'

const { service, postern } = useAnswers({ now: Date.parse('2026-01-02T03:05:05.000Z') })
beforeEach(async () => {
  await postern('sign-in --email alice@example.com --password-file -', { stdin: 'pw' })
  service.forget()
})

const ids = () => service.seen.flatMap(({ body }) => (body as { token?: string } | null)?.token ?? [])
const list = (...names: readonly string[]) => names.map((id) => ({ ...one, id, token: id }))

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
      'laptop',
      'postern/0.1.0 (linux)',
      'true',
      '2026-01-02T03:04:05.000Z',
      '2026-01-09T03:04:05.000Z',
      '127.0.0.1',
      's1',
    ])
  })

  it('prints a table with relative times for people', async () => {
    const { stdout } = await postern('session list', { tty: ['stdout'], env: { NO_COLOR: '1' } })
    expect(stdout).toBe(
      [
        'LABEL   CLIENT                 CURRENT  SINCE  EXPIRES  ADDRESS    ID',
        'laptop  postern/0.1.0 (linux)  yes      1m     in 7d    127.0.0.1  s1',
        '-       Firefox                no       1m     in 7d    127.0.0.1  s2',
        '',
      ].join('\n'),
    )
  })

  it('prints one item per line, ids only, or the fields asked for', async () => {
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
  beforeEach(() => {
    service.answers['GET /list-sessions'] = { body: list('s1', 's2', 's3') }
  })

  it('revokes each id and reports each', async () => {
    const done = await postern('session revoke s2 s3 --json')
    expect(ids()).toEqual(['s2', 's3'])
    expect(done.json).toEqual({
      results: [
        { input: 's2', status: 'deleted', id: 's2', error: null },
        { input: 's3', status: 'deleted', id: 's3', error: null },
      ],
      summary: { total: 2, succeeded: 2, failed: 0, skipped: 0 },
    })
  })

  it('names each to people by device and time, and to programs as given', async () => {
    const labelled = list('s2', 's3').map((session) => ({ ...session, label: `desk-${session.id}` }))
    service.answers['GET /list-sessions'] = { body: labelled }
    const named = await postern('session revoke s2 s3', { tty: ['stdout'] })
    expect(named.stdout).toBe(
      ['s2', 's3'].map((id) => `desk-${id}, since 2026-01-02 03:04 UTC (${id})\tdeleted\n`).join(''),
    )
    expect((await postern('session revoke s2 s3')).stdout).toBe('s2\tdeleted\ns3\tdeleted\n')
    expect((await postern('session revoke s2 s3 --ndjson')).stdout).not.toContain('desk')
  })

  it('reads ids from stdin where - stands', async () => {
    const done = await postern('session revoke s1 -', { stdin: 's2\r\n\n  s3\n' })
    expect(ids()).toEqual(['s1', 's2', 's3'])
    expect(done).toMatchObject({ code: 0, stdout: 's1\tdeleted\ns2\tdeleted\ns3\tdeleted\n' })
  })

  it('says that nothing was done where stdin has no lines', async () => {
    const done = await postern('session revoke -', { stdin: '\n' })
    expect(done).toMatchObject({ code: 0, stdout: '', stderr: 'stdin (-) has no lines: nothing was done\n' })
    expect(ids()).toEqual([])
  })

  it('takes no list that is not UTF-8, which garbles what it names', async () => {
    const { code, stderr } = await postern('session revoke -', { stdin: 's1\n\uFFFD\n' })
    expect([code, stderr, ids()]).toEqual([2, expect.stringContaining('stdin (-) is not UTF-8 text'), []])
  })

  it('says on stderr what failed where only ids are printed', async () => {
    const { code, stdout, stderr } = await postern('session revoke s1 nothing "" -q')
    expect([code, stdout]).toEqual([13, 's1\n'])
    expect(stderr).toContain('nothing\tfailed\tNo session nothing')
    expect(stderr).toContain('failed\tNo session ""')
  })

  it('ends its own session last, so that the others are ended too, and forgets it here', async () => {
    service.answers['GET /list-sessions'] = { body: [one, ...list('s2', 's3')] }
    const done = await postern('session revoke s1 s2 s3')
    expect([ids(), done.stdout]).toEqual([['s2', 's3', 's1'], 's2\tdeleted\ns3\tdeleted\ns1\tdeleted\n'])
    expect((await postern('session list')).code).toBe(4)
  })

  it('forgets its own session here, named by its whole id alone', async () => {
    const id = '0198c5f0-6c1e-7cc2-9f4b-2f6d3c0a1b2c'
    service.answers['GET /list-sessions'] = { body: [{ ...one, id }] }
    expect((await postern(`session revoke ${id}`)).code).toBe(0)
    expect(ids()).toEqual([id])
    expect((await postern('session list')).code).toBe(4)
  })

  it('says what to do next for each that fails', async () => {
    const body = { code: 'SESSION_NOT_FOUND', message: 'Session not found' }
    service.answers['POST /revoke-session'] = { status: 400, body }
    const { code, stdout } = await postern('session revoke s1 s2')
    const failed = (id: string) => `${id}\tfailed\tSession not found\tnext: postern session list\n`
    expect([code, stdout]).toEqual([13, `${failed('s1')}${failed('s2')}`])
    const { json } = await postern(`session revoke s1 s2 --json --url ${service.url}`)
    const error = { code: 'SESSION_NOT_FOUND', hint: `postern session list --url ${service.url}` }
    expect(json).toMatchObject({ results: [{ error }, { error }] })
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

  it('takes any ending of an id that one alone has', async () => {
    const [red, blue] = [`${'0'.repeat(20)}-redbc123`, `${'1'.repeat(20)}-blubc123`]
    service.answers['GET /list-sessions'] = { body: list(red, blue) }
    expect((await postern('session revoke edbc123')).code).toBe(0)
    expect((await postern('session revoke …lubc123 --json')).code).toBe(0)
    expect(ids()).toEqual([red, blue])
    expect((await postern('session view redbc123 --json=id')).json).toEqual({ id: red })
    expect((await postern('session view bc1234')).code).toBe(6)
    for (const [word, why] of [
      ['bc123', 'too short'],
      ['3', 'too short'],
    ] as const) {
      const { code, stderr } = await postern(`session revoke ${word}`)
      expect([code, stderr.includes(why), stderr.includes(red)]).toEqual([7, true, true])
    }
    service.answers['GET /list-sessions'] = { body: list(`a${red}`, `b${red}`) }
    const both = await postern(`session revoke ${red} --json`)
    expect(both.error).toMatchObject({ exitCode: 7, code: 'AMBIGUOUS' })
    expect(String(both.error['message'])).toContain(`b${red}`)
    expect(ids()).toHaveLength(2)
  })

  it('takes a label that one alone has, but never one that is made like an id of another', async () => {
    const red = `${'0'.repeat(20)}-redbc123`
    const labelled = (id: string, label: string) => ({ ...one, id, token: id, label })
    service.answers['GET /list-sessions'] = {
      body: [labelled(red, 'desk'), labelled('s2', 'lost laptop'), labelled('s3', 'redbc123'), labelled('s4', 'desk')],
    }
    expect((await postern(['session', 'revoke', 'lost laptop'])).code).toBe(0)
    expect((await postern('session revoke redbc123')).code).toBe(0)
    expect(ids()).toEqual(['s2', red])
    expect((await postern(['session', 'view', 'lost laptop', '--json=id'])).json).toEqual({ id: 's2' })
    const both = await postern('session revoke desk')
    expect([both.code, both.stderr.includes(red), both.stderr.includes('s4')]).toEqual([7, true, true])
    expect(ids()).toHaveLength(2)
  })

  it("knows somebody else's as little as one that is not there", async () => {
    for (const word of ['0198c5f0-6c1e-7cc2-9f4b-2f6d3c0a1b2c', 'a'.repeat(43)])
      expect((await postern(`session revoke ${word} --json`)).error).toMatchObject({
        exitCode: 6,
        code: 'NOT_FOUND',
        hint: 'postern session list',
      })
    expect(ids()).toEqual([])
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
    service.answers['GET /get-session'] = { body: null }
    expect(await postern('session revoke s1 s2 s3')).toMatchObject({ code: 4, stdout: '' })
    expect(ids()).toEqual(['s1'])
  })

  it('revokes the others in one call', async () => {
    const done = await postern('session revoke --others --json')
    expect(service.calls()).toEqual(['POST /revoke-other-sessions'])
    expect(done.json).toEqual({
      results: [{ input: 'others', status: 'deleted', id: null, error: null }],
      summary: { total: 1, succeeded: 1, failed: 0, skipped: 0 },
    })
    expect((await postern('session revoke --others')).stdout).toBe('Revoked every other session\n')
    expect((await postern('session revoke --others -q')).stdout).toBe('')
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
  label: null,
  activeOrganizationId: null,
  activeTeamId: null,
  impersonatedBy: null,
  addressProven: true,
}

describe('session edit', () => {
  it('changes the label of the current session, and shows it without the token', async () => {
    service.answers['POST /update-session'] = { body: { session: { ...one, label: 'desk' } } }
    const { json, stdout } = await postern('session edit --label desk --json')
    expect(service.seen.find(({ call }) => call === 'POST /update-session')?.body).toEqual({ label: 'desk' })
    expect(json).toMatchObject({ status: 'updated', resource: { id: 's1', label: 'desk', current: true } })
    expect(stdout).not.toContain('raw-token-of-s1')
  })

  it('removes the label with an empty one, and sends none of the session that a sign-in starts', async () => {
    service.answers['POST /update-session'] = { body: { session: { ...one, label: null } } }
    const { code, stdout } = await postern(['session', 'edit', '--label', ''])
    expect([code, stdout]).toEqual([0, 'Removed the label of this session\n'])
    const sent = service.seen.find(({ call }) => call === 'POST /update-session')
    expect([sent?.body, sent?.headers['x-postern-label']]).toEqual([{ label: '' }, undefined])
  })

  it('refuses a label that is too long before it asks, in the words of its field', async () => {
    const { code, stderr } = await postern(`session edit --label ${'x'.repeat(65)}`)
    expect([code, stderr]).toEqual([2, expect.stringContaining('expected at most 64 characters')])
    expect(service.seen).toEqual([])
  })
})

it('a service that speaks the terms of the newer client is understood', async () => {
  service.answers['POST /update-session'] = { status: 401, body: { code: 'UNAUTHORIZED', message: 'Unauthorized' } }
  expect((await postern('session edit --label desk')).code).toBe(4)
  const body = { code: 'ORGANIZATION_SLUG_ALREADY_TAKEN', message: 'Organization slug already taken' }
  service.answers['POST /organization/check-slug'] = { status: 400, body }
  const { code, error } = await postern('org slug check acme --json')
  expect([code, error]).toEqual([7, expect.objectContaining({ code: 'SLUG_IS_TAKEN' })])
})
