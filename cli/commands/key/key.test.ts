import { describe, expect, it } from 'vitest'
import { createRunner } from '../../testing/run-cli.ts'
import { useAcme } from '../../testing/use-service.ts'

const { service, ann, ben } = useAcme('member')

const aKey = /^pst_\w+$/
const github = 'https://token.actions.githubusercontent.com'
const make = async (name: string, flags = '--role admin') => (await ann(`key create ${name} ${flags} -q`)).stdout.trim()
/** Whom the service takes the key for. */
const actsWith = (token: string): Promise<Response> =>
  fetch(`${service.url}/api/auth/organization/list`, { headers: { authorization: `Bearer ${token}` } })

describe('key create', () => {
  it('says so where another key of the same owner is called the same', async () => {
    const first = await ann('key create twin --mine', { tty: ['stdout', 'stderr'] })
    expect(first.stderr).not.toContain('Another key')
    const second = await ann('key create twin --mine', { tty: ['stdout', 'stderr'], columns: 120 })
    expect(second.stderr).toMatch(/^Another key is called twin too: refer to this one by its id, [\da-f-]{36}$/m)
    expect((await ann('key create twin --role member', { tty: ['stdout', 'stderr'] })).stderr).not.toContain('Another')
    for (const { id } of ((await ann('key list --mine --json=id')).json as { items: { id: string }[] }).items)
      await ann(`key revoke ${id} --yes`)
  })

  it('takes no name that nobody can see, here or at the service', async () => {
    const { code, error } = await ann(['key', 'create', '\u3164', '--mine', '--json'])
    expect([code, error['message']]).toEqual([2, expect.stringContaining('no visible characters')])
    for (const name of ['\u2800', '\u115f '])
      expect((await ann(['api', '/key/create', '-f', `name=${name}`])).code).toBe(12)
  })

  it('shows the key once: to a person below the sentence, in a pipe alone, in the resource of --json', async () => {
    const shown = await ann('key create deploy --role admin --expires 30d', { tty: ['stdout', 'stderr'] })
    const [sentence, key] = shown.stdout.trim().split('\n')
    expect([sentence, key]).toEqual(['Created the key deploy as admin', expect.stringMatching(aKey)])
    expect(shown.stderr).toBe('This is shown once: store it where you keep secrets\n')
    const piped = await ann('key create piped --role member')
    expect(piped.stdout.trim()).toMatch(aKey)
    expect(piped.stderr).toContain('Created the key piped as member\n')
    const { json } = await ann('key create data --role admin --json')
    expect(json).toMatchObject({ status: 'created', resource: { name: 'data', token: expect.stringMatching(aKey) } })
    const later = await ann('key view deploy --json')
    expect(later.json).toMatchObject({ name: 'deploy', roles: ['admin'], status: 'active', lastUsedAt: null })
    expect(`${later.stdout}${(await ann('key list --json')).stdout}`).not.toContain(key)
  })

  it('answers the key alone to --quiet, which works and tells when and from where it was used', async () => {
    const key = await make('quiet')
    expect(key).toMatch(aKey)
    expect((await actsWith(key)).status).toBe(200)
    // It is written down beside the answer.
    await expect
      .poll(async () => (await ann('key view quiet --json')).json)
      .toMatchObject({ lastUsedAt: expect.any(String), lastUsedIp: expect.any(String) })
  })

  it('is kept out of --debug and of the files of the machine', async () => {
    const { stdout, stderr } = await ann('key create hidden --role admin -q --debug')
    expect(stderr).toContain('/key/create')
    expect(stderr).not.toContain(stdout.trim())
    expect(stderr).not.toMatch(/pst_\w{8}/)
  })

  it('makes one of my own without a role, limited by scopes and networks', async () => {
    const asked =
      'key create laptop --mine --scope read invitation:create --from 127.0.0.0/8 ::1/128 --expires 2h --json'
    expect((await ann(asked)).json).toMatchObject({
      resource: {
        organizationId: null,
        roles: [],
        scopes: ['read', 'invitation:create'],
        ipRanges: ['127.0.0.0/8', '::1/128'],
        status: 'expiring',
      },
    })
    expect((await ann('key create phone --scope read --json')).json).toMatchObject({
      resource: { organizationId: null },
    })
    expect((await ann('key list --mine --json=name')).json).toMatchObject({
      items: [{ name: 'phone' }, { name: 'laptop' }],
    })
  })

  it.each([
    ['--mine --role admin', 2],
    ['--org acme', 14],
    ['--role admin --expires soon', 2],
    ['--role king', 6],
    ['--role owner', 5],
    ['--mine --scope anything', 6],
    ['--mine --from nowhere', 12],
    ['--mine --expires 20w --from 1.2.3.4/99', 12],
  ])('refuses what makes no sense: %s', async (flags, code) => {
    expect([flags, (await ann(`key create wrong ${flags}`)).code]).toEqual([flags, code])
  })

  it.each([
    ['--role admn', 'Role not found: admn'],
    ['--role member,admn', 'Role not found: at least one of member, admn'],
    ['--mine --scope anything', 'Scope not found: anything'],
    ['--mine --from nowhere', 'Invalid IP range: nowhere'],
    ['--mine --expires 400d', 'A key may not live for so long: 365 days at most'],
  ])('names what is refused: %s', async (flags, message) => {
    expect((await ann(`key create wrong ${flags} --json`)).error['message']).toBe(message)
    const { json } = await ann(`key create wrong bad ${flags} --json`)
    expect(json).toMatchObject({ results: [{ error: { message } }, { error: { message } }] })
  })

  it('creates nothing where stdin has no names, and says so by its exit code', async () => {
    const { code, stdout, stderr } = await ann('key create - --role member', { stdin: '\n' })
    const told = 'error: stdin (-) has no lines: nothing was created\n  next: Did the command before the pipe fail?\n'
    expect([code, stdout, stderr]).toEqual([2, '', told])
  })

  it('is for who may, and says where nobody chose an organization', async () => {
    expect((await ben('key create theirs --role member')).code).toBe(5)
    expect((await ben('key list')).code).toBe(5)
    const cat = await service.person('Cat')
    expect((await cat('key create lost --role member --json')).error).toMatchObject({ code: 'NO_ACTIVE_ORGANIZATION' })
    expect(await cat('key list')).toMatchObject({ code: 0, stderr: 'No keys\n' })
  })
})

describe('key rotate', () => {
  it('rotates a key once that is named twice: the second secret would end the one that is in use', async () => {
    const before = await make('named')
    const { id } = (await ann('key view named --json=id')).json as { id: string }
    const { json, stderr } = await ann(`key rotate named ${id} --json`)
    expect(json).toMatchObject({ results: [{ status: 'updated' }, { status: 'skipped' }] })
    expect((await ann(`key rotate - named`, { stdin: `${id}\n` })).stderr).toContain('Given more than once, done once')
    expect(stderr).toBe('')
    await ann(`key revoke ${id} --yes`)
    expect((await actsWith(before)).status).toBe(401)
  })

  it('gives a new secret; the old one works until its time is over', async () => {
    const before = await make('turning')
    const { stdout, stderr } = await ann('key rotate turning')
    const after = stdout.trim()
    expect(after).toMatch(aKey)
    expect(stderr).toMatch(/Rotated the key turning; the previous one ends in 1 day/)
    expect([(await actsWith(before)).status, (await actsWith(after)).status]).toEqual([200, 200])
    const last = (await ann('key rotate turning --overlap 0 -q')).stdout.trim()
    const statuses = await Promise.all([before, after, last].map(async (key) => (await actsWith(key)).status))
    expect(statuses).toEqual([401, 401, 200])
    for (const [flags, said] of [
      ['--overlap now', '--overlap must be a duration with its unit, like'],
      ['--overlap 24', '--overlap must be a duration with its unit, like'],
      ['--overlap 999d', '--overlap is 30d at most'],
      ['--expires 5s', '--expires is 60s at least'],
    ] as const) {
      const { code, stderr } = await ann(`key rotate turning ${flags}`)
      expect([code, stderr.includes(said)]).toEqual([2, true])
    }
    expect((await ann('key rotate nothing')).code).toBe(6)
  })

  it('refuses one that has expired, unless it gets a new life', async () => {
    await make('over')
    await service.service.deps.sql`update machine_keys set expires_at = now() where name = 'over'`
    expect((await ann('key rotate over --json')).error).toMatchObject({
      exitCode: 7,
      hint: expect.stringContaining('--expires'),
    })
    const key = (await ann('key rotate over --expires 1h -q')).stdout.trim()
    expect((await actsWith(key)).status).toBe(200)
  })
})

describe('key revoke', () => {
  it('ends many at once, by name and by id, of the organization and my own', async () => {
    const [one, two] = [await make('one'), await make('two', '--mine')]
    const id = ((await ann('key view two --json=id')).json as { id: string }).id
    const done = await ann('key revoke one - nothing --json', { stdin: `${id}\n` })
    expect(done.code).toBe(13)
    expect(done.json).toMatchObject({
      results: [
        { input: 'one', status: 'deleted' },
        { input: id, status: 'deleted', id },
        { input: 'nothing', status: 'failed', error: { code: 'NOT_FOUND' } },
      ],
    })
    const statuses = await Promise.all([one, two].map(async (key) => (await actsWith(key)).status))
    expect(statuses).toEqual([401, 401])
    expect((await ann(`key revoke ${id}`)).code).toBe(6)
  })

  it('asks which one where a name means several', async () => {
    await make('same')
    await make('same', '--mine')
    const { code, stderr } = await ann('key revoke same')
    expect(code).toBe(7)
    expect(stderr).toMatch(/your own/)
    expect((await ann('key revoke same --org acme')).code).toBe(0)
    expect((await ann('key revoke same')).code).toBe(0)
  })
})

describe('key trust', () => {
  it('is created, listed and deleted', async () => {
    const created = await ann(
      `key trust create site --issuer ${github} --claim repository=acme/site ref=refs/heads/main --claim sub=a,b --role admin --expires 10m --json`,
    )
    expect(created.json).toMatchObject({
      status: 'created',
      resource: {
        issuer: github,
        claims: { repository: 'acme/site', ref: 'refs/heads/main', sub: 'a,b' },
        roles: ['admin'],
        expiresIn: 600,
      },
    })
    expect((await ann('key trust list')).stdout).toContain(
      'site\tref=refs/heads/main,repository=acme/site,sub=a,b\tadmin',
    )
    expect((await ann('key trust delete site')).code).toBe(14)
    expect((await ann('key trust delete site --yes')).stdout).toBe('Deleted the trust rule site\n')
    expect(await ann('key trusts ls')).toMatchObject({ code: 0, stdout: '', stderr: 'No trust rules\n' })
    expect((await ann('key trust delete site --yes')).code).toBe(6)
  })

  it('stands once under a name: a conflict, or left as it is with --if-exists skip where it says the same', async () => {
    const line = `key trust create once --issuer ${github} --claim repository=acme/once --role admin`
    const id = (await ann(`${line} -q`)).stdout.trim()
    const hint = expect.stringContaining('--if-exists skip')
    expect((await ann(`${line} --json`)).error).toMatchObject({ exitCode: 7, hint })
    expect((await ann(`${line} --if-exists skip --json`)).json).toMatchObject({ status: 'unchanged', resource: { id } })
    const other = await ann(`${line.replace('acme/once', 'acme/other')} --if-exists skip`)
    expect([other.code, other.stderr]).toEqual([7, expect.stringContaining('with different content')])
    await ann('key trust delete once --yes')
  })

  it.each([
    [`--issuer ${github} --claim repository --role admin`, 2, 'A claim looks like repository=acme/site'],
    [`--issuer ${github} --claim a=1 a=2 --role admin`, 2, 'The claim a is given twice'],
    ['--issuer https://issuer.example.com --claim repository=a --role admin', 6, 'Issuer not accepted'],
    [`--issuer ${github} --claim ref=main --role admin`, 12, 'yours alone'],
    [`--issuer ${github} --claim repository=acme/site`, 14, '--role'],
  ])('refuses %s', async (flags, code, words) => {
    const refused = await ann(`key trust create wrong ${flags}`)
    expect([refused.code, refused.stderr]).toEqual([code, expect.stringContaining(words)])
  })

  it('is for who may', async () => {
    expect((await ben('key trust list')).code).toBe(5)
    expect((await ben(`key trust create x --issuer ${github} --claim repository=a/b --role member`)).code).toBe(5)
  })
})

describe('a key that rotates itself', () => {
  it('does so by its id, and is refused with a replaced secret or the id of another', async () => {
    const other = ((await ann('key create other --role member --json')).json as { resource: { id: string } }).resource
    const made = await ann('key create nightly --role member --scope read --rotates-itself --json')
    const { id, token, rotatesItself } = (
      made.json as { resource: { id: string; token: string; rotatesItself: boolean } }
    ).resource
    expect(rotatesItself).toBe(true)
    const asKey = createRunner({ env: { POSTERN_URL: service.url, POSTERN_TOKEN: token } })
    expect((await asKey(`key rotate ${id} --overlap 1h -q`)).stdout.trim()).toMatch(aKey)
    const again = await asKey(`key rotate ${id} --json`)
    expect([again.code, again.error['code']]).toEqual([5, 'KEY_SECRET_REPLACED'])
    expect((await asKey(`key rotate ${other.id}`)).code).not.toBe(0)
    expect((await ann('key create nightly --role member --scope read --if-exists skip --json')).json).toMatchObject({
      status: 'unchanged',
    })
    expect((await ann('key create other --role member --rotates-itself --if-exists skip')).code).toBe(7)
  })
})
