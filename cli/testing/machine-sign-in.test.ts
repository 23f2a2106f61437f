import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { ciClaims, jobToken, trustIn } from '../../server/testing/key-answers.ts'
import { organizationKey } from '../../server/testing/machines.ts'
import { type Founded, found } from '../../server/testing/organizations.ts'
import { machineAddress } from '../../shared/email.ts'
import { dialogueWith } from './line-dialogue.ts'
import { type ProviderService, startProviderService } from './provider-service.ts'
import { startPty } from './pty.ts'
import { bin } from './real-service.ts'
import type { RunOptions } from './run-cli.ts'

let own: ProviderService
let acme: Founded
let trust: { readonly id: string; readonly userId: string }
let github: Server
let ask: (request: IncomingMessage) => Promise<readonly [status: number, body: string]>
const asked: IncomingMessage[] = []

beforeAll(async () => {
  own = await startProviderService()
  acme = await found(own.service)
  trust = await trustIn(acme, own.provider)
  github = createServer((request, response) => {
    asked.push(request)
    void ask(request).then(([status, body]) =>
      response.writeHead(status, status === 302 ? { location: body } : {}).end(body),
    )
  })
  await new Promise<void>((resolve) => github.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  github?.close()
  await own?.stop()
})

const token = (claims: object = {}) => jobToken(own.service, own.provider, claims)

/** As GitHub Actions sets it, where a job may have id tokens. */
const githubJob = () => ({
  CI: 'true',
  GITHUB_ACTIONS: 'true',
  ACTIONS_ID_TOKEN_REQUEST_URL: `http://127.0.0.1:${(github.address() as AddressInfo).port}/id-token?api-version=2.0`,
  ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'a-token-to-ask-for-tokens',
})

/** To acme, unless the flags or the environment say something else. */
const signIn = (machine = own.machine(), { env, ...options }: RunOptions = {}, flags = '') =>
  machine(`sign-in --oidc ${flags}`, { ...options, env: { POSTERN_ORG: acme.slug, ...env } })

/** All that a run leaves in its folder. */
const kept = (folder: string): string =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .join('\n')

describe('a job of GitHub Actions', () => {
  test('signs in, and does what its roles allow, without any secret', async () => {
    let made = ''
    ask = async ({ url }) => {
      const audience = new URL(url ?? '', 'http://github').searchParams.get('audience')
      made = await token({ aud: audience })
      return [200, JSON.stringify({ count: made.length, value: made })]
    }
    const job = own.machine()
    const env = githubJob()
    const done = await signIn(job, { env }, '--debug')
    expect(done).toMatchObject({
      code: 0,
      stdout: `Signed in as machine pipeline of ${acme.slug}: the session ends in 15 minutes\n`,
    })
    const request = asked.at(-1)
    expect(request?.headers.authorization).toBe('Bearer a-token-to-ask-for-tokens')
    expect(request?.url).toBe(`/id-token?api-version=2.0&audience=${encodeURIComponent(own.url)}`)
    expect((await job('whoami', { env })).stdout).toBe(`machine pipeline of ${acme.slug}\n`)
    expect((await job('auth status --json=signedIn,account,principal', { env })).json).toEqual({
      signedIn: true,
      account: machineAddress(trust.userId),
      principal: `machine pipeline of ${acme.slug}`,
    })
    expect((await job('role check member:create', { env })).code).toBe(0)
    expect((await job('role check organization:delete', { env })).code).toBe(5)
    expect(
      (await job('invitation create - --role member --json', { env, stdin: 'a@b.co\nc@d.co\n' })).json,
    ).toMatchObject({
      summary: { succeeded: 2 },
    })
    const document = join(job.folder, 'acme.json')
    writeFileSync(
      document,
      JSON.stringify({ organization: { slug: acme.slug, name: 'Acme' }, teams: [{ name: 'Built' }] }),
    )
    const applied = await job(`org apply -f ${document}`, { env })
    expect([applied.code, applied.stderr]).toEqual([0, expect.any(String)])
    const { id } = await organizationKey(acme, { name: 'deploy' })
    const rotated = await job(`key rotate ${id} --overlap 0 -q`, { env })
    expect([rotated.stderr, rotated.stdout]).toEqual([expect.any(String), expect.stringMatching(/^pst_\w{49}\n$/)])
    expect((await own.machine()('whoami', { env: { POSTERN_TOKEN: rotated.stdout.trim() } })).code).toBe(0)
    const refused = await job('org create Own --slug own', { env })
    expect(refused).toMatchObject({ code: 5, stderr: expect.stringMatching(/may not make this call[^]*POSTERN_TOKEN/) })
    // The session is all that is kept, and nothing is told but by name.
    expect(kept(job.folder)).not.toContain(made)
    for (const secret of [made, env.ACTIONS_ID_TOKEN_REQUEST_TOKEN])
      expect(done.stdout + done.stderr + kept(job.folder)).not.toContain(secret)
    const { token: session } = JSON.parse(readFileSync((await job('auth jar path', { env })).stdout.trim(), 'utf8'))
    expect(session).toMatch(/^\w{43}$/)
    expect(done.stdout + done.stderr).not.toContain(session)
  })

  it.each([
    ['an outage', 500, 'down', 'gave no id token (status 500)'],
    ['a page', 200, '<html>', 'gave no id token (status 200)'],
    ['a redirect', 302, 'http://127.0.0.1:9/', 'gave no id token (status 302)'],
  ])('where GitHub answers with %s, asks the service nothing', async (_, status, body, said) => {
    ask = async () => [status, body]
    const before = own.asked.length
    expect(await signIn(undefined, { env: githubJob() })).toMatchObject({
      code: 11,
      stderr: expect.stringContaining(said),
    })
    expect(own.asked.length).toBe(before)
  })

  it('asks nobody in clear text but this machine', async () => {
    const env = { ...githubJob(), ACTIONS_ID_TOKEN_REQUEST_URL: 'http://example.com/token' }
    expect(await signIn(undefined, { env })).toMatchObject({ code: 2, stderr: expect.stringContaining('plain http') })
  })
})

test('a job of GitLab has its token in a variable, others in a file or on stdin', async () => {
  expect((await signIn(undefined, { env: { CI: '1', POSTERN_ID_TOKEN: await token() } })).code).toBe(0)
  expect((await signIn(undefined, { stdin: `${await token()}\n` }, '--id-token-file -')).code).toBe(0)
  const machine = own.machine()
  const file = join(machine.folder, 'token')
  writeFileSync(file, await token())
  expect((await signIn(machine, {}, `--id-token-file ${file} --json=principal,organizationId`)).json).toEqual({
    status: 'created',
    resource: { principal: `machine pipeline of ${acme.slug}`, organizationId: acme.id },
  })
})

test('a job of Buildkite asks the agent beside it', async () => {
  const machine = own.machine()
  const bin = join(machine.folder, 'bin')
  mkdirSync(bin)
  writeFileSync(join(machine.folder, 'made'), await token())
  const agent = (lines: string) => {
    writeFileSync(join(bin, 'buildkite-agent'), `#!/bin/sh\n${lines}\n`)
    chmodSync(join(bin, 'buildkite-agent'), 0o700)
  }
  const env = { BUILDKITE: 'true', PATH: `${bin}:${process.env.PATH}`, HERE: machine.folder }
  agent('echo "$*" > "$HERE/argv"; cat "$HERE/made"')
  expect((await signIn(machine, { env })).code).toBe(0)
  expect(readFileSync(join(machine.folder, 'argv'), 'utf8')).toBe(`oidc request-token --audience ${own.url}\n`)
  agent('echo "no such job" >&2; exit 1')
  expect(await signIn(machine, { env })).toMatchObject({ code: 1, stderr: expect.stringContaining('no such job') })
  expect(await signIn(machine, { env: { BUILDKITE: 'true', PATH: '/nowhere' } })).toMatchObject({ code: 14 })
})

test('where there is no token each way to one is told, and nothing is asked', async () => {
  const before = own.asked.length
  const { code, stderr } = await signIn(undefined, { env: { GITHUB_ACTIONS: 'true' } })
  expect(code).toBe(14)
  for (const way of ['id-token: write', 'POSTERN_ID_TOKEN: aud: http', 'buildkite-agent', '--id-token-file FILE'])
    expect(stderr).toContain(way)
  expect(own.asked.length).toBe(before)
})

/** The refusals that its owner finds in the organization's trail. */
async function refusalsIn({ owner, id }: Founded): Promise<readonly object[]> {
  const { body } = await owner.get(`/organization/list-activity?organizationId=${id}&event=token-exchange-refused`)
  return body.events
}

describe('a token that is not taken', () => {
  it.each([
    ['another repository', { repository: 'eve/site' }, 'repository: eve/site'],
    ['another audience', { aud: 'https://other.example.com' }, 'aud: https://other.example.com'],
    ['another issuer', { iss: 'https://eve.example.com' }, 'iss: https://eve.example.com'],
    ['one that expired', { iat: 1_700_000_000, exp: 1_700_000_300 }, 'exp: 2023-11-14T22:18:20.000Z'],
  ])('of %s: its claims are told, it is not, nor who is behind it', async (_, claims, said) => {
    const made = await token({ ...claims, jti: 'job-77', user_email: 'ann@example.com' })
    const { code, stderr, stdout } = await signIn(undefined, { env: { POSTERN_ID_TOKEN: made } })
    expect([code, stdout]).toEqual([4, ''])
    expect(stderr).toContain(`error: The token was refused\n  Claims of the token:\n`)
    expect(stderr).toContain(said)
    for (const hidden of [made, made.split('.')[2], 'job-77', 'ann@example.com']) expect(stderr).not.toContain(hidden)
  })

  const now = () => Math.floor(Date.now() / 1000)
  const tampered = async () => {
    const [header, , signature] = (await token()).split('.')
    const [, payload] = (await token({ ref: 'refs/heads/other' })).split('.')
    return `${header}.${payload}.${signature}`
  }
  const unsigned = async () => {
    const header = Buffer.from('{"alg":"none"}').toString('base64url')
    return [header, (await token()).split('.')[1], 'AAAA'].join('.')
  }
  const usedBefore = async ({ slug }: Founded) => {
    const made = await token()
    await signIn(undefined, { env: { POSTERN_ID_TOKEN: made, POSTERN_ORG: slug } })
    return made
  }
  const bannedMachine = async (_: Founded, { userId }: { readonly userId: string }) => {
    await own.service.deps.sql`update users set banned = true where id = ${userId}`
    return token()
  }

  it.each<[reason: string, made: (firm: Founded, rule: { readonly userId: string }) => Promise<string>]>([
    ['expired', () => token({ iat: now() - 600, exp: now() - 300 })],
    ['too-old', () => token({ iat: now() - 3700, exp: now() + 600 })],
    ['too-early', () => token({ nbf: now() + 600 })],
    ['signature', tampered],
    ['algorithm', unsigned],
    ['audience', () => token({ aud: 'https://other.example.com' })],
    ['claims', () => token({ repository: 'eve/site' })],
    ['replayed', usedBefore],
    ['ended', bannedMachine],
  ])(
    'for a reason that its organization finds in its trail with the rule and its machine: %s',
    async (reason, made) => {
      const firm = await found(own.service)
      const rule = await trustIn(firm, own.provider)
      const env = { POSTERN_ID_TOKEN: await made(firm, rule), POSTERN_ORG: firm.slug }
      const { code, stderr } = await signIn(undefined, { env, columns: 500 })
      expect([code, stderr]).toEqual([4, expect.stringContaining('has a rule for the issuer: postern org activity\n')])
      expect(await refusalsIn(firm)).toMatchObject([
        { details: { reason }, target: rule.id, targetName: 'pipeline', userId: rule.userId, userName: 'pipeline' },
      ])
    },
  )

  it.each<[what: string, setUp: (firm: Founded) => Promise<object>, told: [code: number, hint: string], facts: object]>(
    [
      [
        'several rules take it',
        async (firm) => [await trustIn(firm, own.provider), await trustIn(firm, own.provider, { name: 'two' })],
        [7, 'postern sign-in --oidc --org SLUG --trust RULE'],
        { details: { reason: 'ambiguous' }, target: null, userId: null },
      ],
      [
        'nobody is responsible for the rule any more',
        async (firm) => {
          const maker = await firm.join('admin')
          await trustIn({ ...firm, owner: maker }, own.provider)
          return own.service.deps.sql`delete from members where id = ${maker.memberId}`
        },
        [4, 'its owners see in the trail: postern org activity'],
        { details: { reason: 'sponsor' }, targetName: 'pipeline', userName: 'pipeline' },
      ],
    ],
  )('and says what else is to be done where %s', async (_, setUp, [code, hint], facts) => {
    const firm = await found(own.service)
    await setUp(firm)
    const env = { POSTERN_ID_TOKEN: await token(), POSTERN_ORG: firm.slug }
    const done = await signIn(undefined, { env, columns: 500 })
    expect([done.code, done.stderr]).toEqual([code, expect.stringContaining(hint.replace('SLUG', firm.slug))])
    expect(done.stderr).not.toContain('Claims of the token')
    expect(await refusalsIn(firm)).toMatchObject([facts])
  })

  it.each([
    ['has no rule at all', false, {}],
    ['has none for the issuer', true, { iss: 'https://eve.example.com' }],
  ])('without a line in the trail of an organization that %s, and the hint says so', async (_, hasRule, claims) => {
    const firm = await found(own.service)
    if (hasRule) await trustIn(firm, own.provider)
    const env = { POSTERN_ID_TOKEN: await token(claims), POSTERN_ORG: firm.slug }
    const { code, stderr } = await signIn(undefined, { env, columns: 500 })
    expect([code, stderr]).toEqual([4, expect.stringContaining('if the organization has a rule for the issuer')])
    expect(await refusalsIn(firm)).toEqual([])
  })

  it('because it is none', async () => {
    const before = own.asked.length
    for (const text of ['hello', 'a.b.c', `${Buffer.from('{}').toString('base64url')}..`])
      expect((await signIn(undefined, { env: { POSTERN_ID_TOKEN: text } })).code).toBe(2)
    expect(own.asked.length).toBe(before)
  })

  it('keeps the session that was there', async () => {
    const machine = own.machine()
    await signIn(machine, { env: { POSTERN_ID_TOKEN: await token() } })
    expect((await signIn(machine, { env: { POSTERN_ID_TOKEN: await token({ repository: 'eve/site' }) } })).code).toBe(4)
    expect((await machine('whoami')).code).toBe(0)
  })
})

describe('for whom a job acts', () => {
  const nobody = { POSTERN_ORG: '' }

  test('has to be said: else nothing is sent, and the token still works', async () => {
    const claims = { ...ciClaims, repository: `acme/${crypto.randomUUID()}` }
    const strangers = await found(own.service)
    const theirs = await trustIn(strangers, own.provider, { claims })
    const env = { POSTERN_ID_TOKEN: await token(claims) }
    const [before, jobsBefore] = [own.asked.length, asked.length]
    for (const [flags, ready] of [
      ['', '--org ORG'],
      ['--trust pipeline', '--org ORG --trust pipeline'],
    ] as const) {
      const { code, stderr } = await signIn(undefined, { env: { ...env, ...nobody } }, flags)
      expect(code).toBe(14)
      for (const said of ['--org is needed', 'POSTERN_ORG', `postern sign-in --oidc ${ready}`])
        expect(stderr).toContain(said)
    }
    expect((await signIn(undefined, { env: { ...githubJob(), ...nobody } })).code).toBe(14)
    expect([own.asked.length, asked.length]).toEqual([before, jobsBefore])
    expect((await signIn(undefined, { env })).code).toBe(4)
    const { stdout } = await signIn(undefined, { env: { ...env, ...nobody } }, `--trust ${theirs.id}`)
    expect(stdout).toContain(`of ${strangers.slug}`)
  })

  test('is the organization, and among its rules the one that is named', async () => {
    const claims = { ...ciClaims, repository: `acme/${crypto.randomUUID()}` }
    const other = await found(own.service)
    for (const [firm, name] of [
      [acme, 'one'],
      [other, 'two'],
      [other, 'three'],
    ] as const)
      await trustIn(firm, own.provider, { claims, name })
    const at = async (flags: string) => signIn(undefined, { env: { POSTERN_ID_TOKEN: await token(claims) } }, flags)
    expect((await at(`--org ${acme.slug}`)).stdout).toContain(`machine one of ${acme.slug}`)
    expect(await at(`--org ${other.slug}`)).toMatchObject({
      code: 7,
      stderr: expect.stringContaining(`--trust RULE --org ${other.slug}`),
    })
    expect((await at(`--org ${other.slug} --trust three`)).stdout).toContain(`machine three of ${other.slug}`)
    expect((await at(`--org ${other.slug} --trust four`)).code).toBe(4)
  })
})

test('what cannot be kept is not asked for: the token still works', async () => {
  const machine = own.machine()
  const state = join(machine.folder, 'state')
  writeFileSync(state, '')
  const made = await token()
  const env = { POSTERN_ID_TOKEN: made }
  const before = own.asked.length
  expect(await signIn(machine, { env })).toMatchObject({
    code: 15,
    stderr: expect.stringContaining('POSTERN_STATE_DIR'),
  })
  expect(own.asked.length).toBe(before)
  expect((await signIn(undefined, { env })).code).toBe(0)
})

test('flags of other ways to sign in are not mixed in', async () => {
  for (const flags of ['--provider google', '--email a@b.co', '--device', '--token-file x'])
    expect((await signIn(undefined, {}, flags)).code).toBe(2)
})

test('without an id token the next command has what was given', async () => {
  const { code, stderr } = await signIn(undefined, { columns: 500 }, '--audience https://a.example --trust pipeline')
  const given = `--org ${acme.slug} --id-token-file FILE --audience https://a.example --trust pipeline`
  expect([code, stderr]).toEqual([14, expect.stringContaining(`next: postern sign-in --oidc ${given}`)])
  const named = await signIn(undefined, { columns: 500, env: { POSTERN_ORG: '' } }, '--org beta')
  expect(named.stderr).toContain('next: postern sign-in --oidc --id-token-file FILE --org beta')
})

test('a session that is over leads to the same way in', async () => {
  const machine = own.machine()
  await signIn(machine, { env: { POSTERN_ID_TOKEN: await token() } })
  await own.service.deps.sql`delete from sessions where user_id = ${trust.userId}`
  expect(await machine('whoami')).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('postern sign-in --oidc --org ORG'),
  })
})

describe('the terminal UI of a machine', () => {
  const open = async (more: Readonly<Record<string, string>>) => {
    const machine = own.machine()
    await signIn(machine, { env: { POSTERN_ID_TOKEN: await token() } })
    return startPty(process.execPath, [bin, 'tui'], { rows: 40, columns: 120, env: { ...machine.env, ...more } })
  }

  it('names it, and its organization', async () => {
    const pty = await open({})
    await pty.shows('machine pipeline')
    await pty.shows('nothing extends it')
    expect(await pty.scrollback()).not.toContain('@machine.invalid')
    pty.close()
  })

  it('names it in words too', async () => {
    const pty = await open({ POSTERN_ACCESSIBLE: '1' })
    await pty.shows('Signed in as the machine pipeline. The session ends')
    const { answer } = dialogueWith(pty)
    await answer('Number:', '0')
    expect((await pty.exit).exitCode).toBe(0)
    pty.close()
  })
})
