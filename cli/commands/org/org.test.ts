import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { interruptedError } from '../../output/cli-error.ts'
import { startOwnService } from '../../testing/own-service.ts'
import { useOwnService, usePerson } from '../../testing/use-service.ts'

const service = useOwnService()
const ann = usePerson(service, 'Ann')
const ben = usePerson(service, 'Ben')

const create = (slug: string, ...more: string[]) => ann(['org', 'create', `The ${slug}`, '--slug', slug, ...more])
const idOf = async (slug: string) => (await create(slug, '--json')).json as { resource: { id: string } }

describe('in no organization', () => {
  it('one is told how to make one', async () => {
    const zoe = await service.person('Zoe')
    for (const argv of ['invitation create a@example.com --role member', 'member list'])
      expect((await zoe(argv)).stderr).toContain('postern org create NAME')
  })
})

describe('org create', () => {
  it('makes it, with its creator as owner, and the active one', async () => {
    const made = await create('acme', '--metadata', '{"plan":"pro"}', '--logo', 'https://a.example/l.png', '--json')
    expect(made.json).toEqual({
      status: 'created',
      resource: {
        id: expect.any(String),
        name: 'The acme',
        slug: 'acme',
        logo: 'https://a.example/l.png',
        metadata: { plan: 'pro' },
        createdAt: expect.stringMatching(/Z$/),
        fields: {},
      },
    })
    expect((await ann('member me --json=email,roles')).json).toEqual({ email: 'ann@example.com', roles: ['owner'] })
    expect((await create('acme-2')).stdout).toBe('Created The acme-2 (acme-2), the active organization now\n')
    expect((await create('acme-3', '-q')).stdout).toMatch(/^[\da-f-]{36}\n$/)
  })

  it('is made where the service changes the slug: to lower case, or by a function of its configuration', async () => {
    expect((await create('ACME-4', '--json')).json).toMatchObject({ resource: { slug: 'acme-4' } })
    const { config } = service.service.deps
    const { extensions } = config
    Object.assign(config, { extensions: { ...extensions, beforeCreateOrganization: () => ({ slug: 'theirs' }) } })
    try {
      expect((await create('acme-5', '--json')).json).toMatchObject({ resource: { slug: 'theirs' } })
    } finally {
      Object.assign(config, { extensions })
    }
  })

  it('reads metadata from a file, and takes nothing else for it', async () => {
    const file = join(ann.folder, 'metadata.json')
    // The first character is what editors on Windows put before UTF-8.
    writeFileSync(file, '\uFEFF{"seats": 3}\n')
    expect((await create('seats', '--metadata', `@${file}`, '--json')).json).toMatchObject({
      resource: { metadata: { seats: 3 } },
    })
    for (const word of ['[1]', 'null', '"text"', '{', `@${file}.not`]) {
      expect(await create('never', '--metadata', word)).toMatchObject({ code: 2, stdout: '' })
    }
    expect((await ann('org slug check never')).code).toBe(0)
    writeFileSync(file, '\n')
    expect(await ann(`org edit seats --metadata @${file}`)).toMatchObject({
      code: 2,
      stderr: `error: --metadata @${file} is empty\n  next: To give no value: --metadata ''\n`,
    })
    expect((await ann('org view seats --json=metadata')).json).toEqual({ metadata: { seats: 3 } })
  })

  it('takes no script for a logo, nor does an edit', async () => {
    const refused = {
      code: 2,
      stderr: expect.stringMatching(/^error: --logo has to be an http or https address, or data:image/),
    }
    expect(await create('never', '--logo', 'javascript:alert(1)')).toMatchObject(refused)
    expect(await ann(['org', 'edit', 'acme', '--logo', 'data:text/html,x'])).toMatchObject(refused)
    expect((await ann('org slug check never')).code).toBe(0)
  })

  it('is a conflict where the slug is taken', async () => {
    await create('taken')
    expect((await create('TAKEN', '--json')).error).toMatchObject({ code: 'ORGANIZATION_ALREADY_EXISTS', exitCode: 7 })
  })

  it('skips one of mine, unchanged, and not one of somebody else', async () => {
    const { resource } = await idOf('mine')
    expect((await create('Mine', '--if-exists', 'skip', '--json')).json).toMatchObject({
      status: 'unchanged',
      resource: { id: resource.id, name: 'The mine' },
    })
    expect((await ben('org create Mine --slug mine --if-exists skip')).code).toBe(7)
    expect((await create('mine', '--if-exists', 'maybe')).code).toBe(2)
  })

  it('skips what a twin made meanwhile', async () => {
    const twins = await Promise.all(Array.from({ length: 6 }, () => create('twin', '--if-exists', 'skip', '--json')))
    expect(twins.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0, 0])
    const made = twins.map(({ json }) => json as { status: string; resource: { id: string } })
    expect(made.filter(({ status }) => status === 'created')).toHaveLength(1)
    expect(new Set(made.map(({ resource }) => resource.id)).size).toBe(1)
  })

  it('asks for the slug, and says how to give it where nobody can be asked', async () => {
    expect((await ann('org create Acme --json')).error).toMatchObject({ exitCode: 14, fields: ['--slug'] })
  })
})

describe('org list', () => {
  it('marks the active one', async () => {
    const cat = await service.person('Cat')
    expect(await cat('org list')).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining('org create') })
    await cat('org create One --slug cat-1')
    await cat('org create Two --slug cat-2')
    const { json } = await cat('orgs ls --json=slug,active')
    expect(json).toEqual({
      items: expect.arrayContaining([
        { slug: 'cat-1', active: false },
        { slug: 'cat-2', active: true },
      ]),
      page: { total: 2, next: null },
    })
    expect((await cat('org list')).stdout).toMatch(/^cat-\d\t(One|Two)\t(true|false)\t.*Z\t[\da-f-]{36}\n/)
  })
})

describe('an organization', () => {
  it('is named by id, slug in any case, or unique name', async () => {
    const { resource } = await idOf('named')
    for (const word of [resource.id, 'named', 'NAMED', 'The named']) {
      expect((await ann(['org', 'view', word, '--json=slug'])).json).toEqual({ slug: 'named' })
      expect((await ann(['member', 'list', '-O', word, '--json=organizationId'])).json).toMatchObject({
        items: [{ organizationId: resource.id }],
      })
    }
  })

  it('is exit 7 with the candidates where a name means several; a slug goes before a name', async () => {
    await ann(['org', 'create', 'Same', '--slug', 'same-1'])
    await ann(['org', 'create', 'Same', '--slug', 'same-2'])
    await ann(['org', 'create', 'same-1', '--slug', 'other'])
    const { code, stderr } = await ann('org view Same')
    expect(code).toBe(7)
    expect(stderr).toMatch(/2 organizations are called Same\n {2}\S+ {2}same-1 {2}Same\n {2}\S+ {2}same-2 {2}Same\n/)
    expect((await ann('org view same-1 --json=name')).json).toEqual({ name: 'Same' })
  })

  it('is exit 6 where it is not one of mine, by whatever name', async () => {
    const { resource } = await idOf('hidden')
    for (const word of ['hidden', 'The hidden', 'nothing', resource.id, '../../admin', '?x', '#']) {
      for (const verb of ['view', 'use', 'leave --yes', 'edit --name X', 'delete --confirm hidden']) {
        const argv = ['org', ...verb.split(' '), word]
        expect([argv, (await ben(argv)).code]).toEqual([argv, 6])
      }
      for (const command of ['member list', 'team list', 'invitation list', 'role check team:create', 'member me']) {
        const argv = [...command.split(' '), '--org', word]
        expect([argv, (await ben(argv)).code]).toEqual([argv, 6])
      }
    }
    expect((await ann('org view hidden')).code).toBe(0)
  })

  it('comes from --org, the environment or a profile, in this order, else it is the active one', async () => {
    for (const slug of ['by-active', 'by-flag', 'by-env', 'by-profile']) await create(slug)
    await ann('org use by-active')
    await ann(`profile create work --url ${service.url} --org by-profile`)
    const shown = async (argv: string, env: Record<string, string> = {}) =>
      ((await ann(`org view --json=slug ${argv}`, { env: { ...ann.env, ...env } })).json as { slug: string }).slug
    expect(await shown('')).toBe('by-active')
    expect(await shown('-P work')).toBe('by-profile')
    expect(await shown('-P work', { POSTERN_ORG: 'by-env' })).toBe('by-env')
    expect(await shown('-P work -O by-flag', { POSTERN_ORG: 'by-env' })).toBe('by-flag')
    expect((await ann('auth status --explain --org by-flag')).stdout).toContain('org\tby-flag\t--org\n')
  })
})

describe('org use', () => {
  it('makes one active, or none', async () => {
    await create('used')
    expect((await ann('org use - --json')).json).toEqual({
      status: 'updated',
      resource: { id: null, name: null, slug: null, logo: null, metadata: null, createdAt: null, fields: null },
    })
    const none = await ann('org view --json')
    expect(none).toMatchObject({ code: 6, stdout: '' })
    expect(none.error).toMatchObject({ code: 'NO_ACTIVE_ORGANIZATION', hint: expect.stringContaining('org use') })
    for (const argv of ['member list', 'member me', 'team list', 'team create X', 'role check team:create']) {
      expect([argv, (await ann(argv)).code]).toEqual([argv, 6])
    }
    expect((await ann('org use used')).stdout).toBe('Using The used (used)\n')
    expect((await ann('org view --json=slug')).json).toEqual({ slug: 'used' })
  })

  it('none: who is in one alone means that one, by every command', async () => {
    const dora = await service.person('Dora')
    await dora('org create Sole --slug sole')
    expect((await dora('org use -')).code).toBe(0)
    for (const argv of [
      'org view --json',
      'org edit --name Only',
      'org export',
      'org activity',
      'member list',
      'member me',
      'member view dora@example.com',
      'team list',
      'team create X',
      'team delete X --yes',
      'team member list --team Sole',
      'role check team:create',
      'invitation create guest@example.com --role member',
      'invitation list',
      'invitation cancel guest@example.com',
      'key create deploy --role member',
      'key trust list',
    ])
      expect([argv, await dora(argv)]).toMatchObject([argv, { code: 0 }])
    expect((await dora('session list --json=activeOrganizationId')).json).toMatchObject({
      items: [{ activeOrganizationId: null }],
    })
    await dora('org create Second --slug second')
    await dora('org use -')
    expect((await dora('member list --json')).error).toMatchObject({ code: 'NO_ACTIVE_ORGANIZATION', exitCode: 6 })
  })

  it('says when something else comes before it', async () => {
    const { stderr } = await ann('org use used', { env: { ...ann.env, POSTERN_ORG: 'acme' } })
    expect(stderr).toContain('POSTERN_ORG names acme')
  })
})

describe('org use in another process', () => {
  const cy = usePerson(service, 'Cy')
  beforeAll(async () => {
    for (const slug of ['one', 'two']) {
      await cy(['org', 'create', slug, '--slug', slug])
      await cy('role create editor')
    }
  })

  /** The command, and after the first answer to that call the other process. */
  async function switched(call: string, argv: string) {
    await cy('org use one')
    service.relayBy(async (asked, _request, ask) => {
      const answer = await ask()
      if (asked !== call) return answer
      service.relayBy((_call, _request, next) => next())
      await cy('org use two')
      return answer
    })
    return cy(argv)
  }
  const itemsOf = async (argv: string) => (await cy(`${argv} --quiet`)).stdout.trim().split('\n').length

  it('leaves what is done to several where it began', async () => {
    const invite = 'invitation create a@example.com b@example.com --role member'
    expect((await switched('POST /organization/invite-member', invite)).code).toBe(0)
    expect(await itemsOf('invitation list --org one')).toBe(2)
  })

  it('counts at once for what begins after it, also where a cookie caches the session', async () => {
    const asked: string[] = []
    service.relayBy((call, { url }, ask) => {
      if (call === 'GET /get-session') asked.push(new URL(url).search)
      return ask()
    })
    await cy('invitation create c@example.com d@example.com --role member')
    service.relayBy((_call, _request, next) => next())
    expect(asked).toEqual(['?disableCookieCache=true'])
  })

  it('leaves what a person agreed to where it was looked up', async () => {
    expect((await switched('GET /organization/list-roles', 'role delete editor --yes')).code).toBe(0)
    expect((await cy('role view editor --org two')).code).toBe(0)
    expect((await cy('role view editor --org one')).code).toBe(6)
  })

  it('leaves a list that is watched as it is', async () => {
    await cy('org use one')
    const stop = new AbortController()
    const told: string[] = []
    const watch = { signal: stop.signal, tell: (text: string) => told.push(...text.trim().split('\n')) }
    const ended = cy('team list --watch=500ms --ndjson --json=change,name', watch)
    await expect.poll(() => told).toHaveLength(1)
    await cy('org use two')
    await cy('team create Late --org one')
    await expect.poll(() => told).toHaveLength(2)
    stop.abort(interruptedError())
    expect((await ended).code).toBe(130)
    expect(told.map((line) => JSON.parse(line))).toEqual([
      { change: 'added', name: 'one' },
      { change: 'added', name: 'Late' },
    ])
  })
})

describe('org view', () => {
  it('shows members, invitations and teams', async () => {
    await create('viewed')
    await ann('invitation create guest@example.com --role admin,member')
    const { json } = await ann('org view --json')
    expect(json).toMatchObject({
      slug: 'viewed',
      members: [{ email: 'ann@example.com', roles: ['owner'] }],
      invitations: [{ email: 'guest@example.com', roles: ['admin', 'member'], status: 'pending', expired: false }],
      teams: [{ name: 'The viewed' }],
    })
    const { stdout } = await ann('org view')
    expect(stdout).toContain('Members\t1\nInvited\t1\nTeams\tThe viewed\n')
  })
})

describe('org edit', () => {
  it('changes what is given and leaves the rest', async () => {
    await create('edited', '--logo', 'https://a.example/l.png', '--metadata', '{"a":1}')
    expect((await ann(['org', 'edit', 'edited', '--name', 'New', '--json'])).json).toMatchObject({
      status: 'updated',
      resource: { name: 'New', slug: 'edited', logo: 'https://a.example/l.png', metadata: { a: 1 } },
    })
    const cleared = await ann(['org', 'edit', '--slug', 'edited-2', '--logo', '', '--metadata', '', '--json'])
    expect(cleared.json).toMatchObject({ resource: { slug: 'edited-2', logo: null, metadata: null } })
    expect((await ann('org edit')).code).toBe(2)
    // Which one is active is asked where none is named.
    expect((await ann('org edit acme --name Acme --debug')).stderr).not.toContain('get-session')
    expect((await ann('org edit --name Acme --debug')).stderr).toContain('get-session')
    for (const name of ['', ' ']) {
      const { code, stderr } = await ann(['org', 'edit', 'acme', '--name', name])
      expect([code, stderr]).toEqual([2, 'error: Name is needed\n  next: postern org edit --help\n'])
    }
    for (const argv of [
      'org create NAME --slug long',
      'org edit --name NAME',
      'team create NAME',
      'account edit --name NAME',
    ]) {
      const { code, stderr } = await ann(argv.replace('NAME', 'n'.repeat(201)))
      expect([code, stderr]).toEqual([2, expect.stringMatching(/^error: (NAME|--name) has at most 200 characters\n/)])
    }
    expect((await ann('org edit --slug acme')).code).toBe(7)
  })
})

describe('org delete', () => {
  it('needs the exact slug, whatever --yes says', async () => {
    await create('doomed')
    const asked = await ann('org delete doomed --yes')
    expect(asked.code).toBe(14)
    expect(asked.stderr).toContain('postern org delete doomed --confirm SLUG')
    expect((await ann('org delete doomed --confirm doom --yes')).code).toBe(2)
    expect((await ann('org view doomed')).code).toBe(0)
    expect((await ann('org delete doomed --confirm doomed --json')).json).toMatchObject({
      status: 'deleted',
      resource: { slug: 'doomed' },
    })
    expect((await ann('org view doomed')).code).toBe(6)
  })

  it('says so where the service deletes none', async () => {
    const strict = await startOwnService({ ORGANIZATION_DELETION: 'off' })
    const dora = await strict.person('Dora')
    await dora('org create Acme --slug acme')
    const { code, stderr } = await dora('org delete acme --confirm acme')
    await strict.stop()
    expect(code).toBe(5)
    expect(stderr).toContain('organizations cannot be deleted')
  })
})

describe('org leave', () => {
  it('asks, and keeps the last owner', async () => {
    await create('left')
    expect((await ann('org leave left')).code).toBe(14)
    expect((await ann('org leave left --yes --json')).error).toMatchObject({
      exitCode: 7,
      code: 'YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER',
      hint: expect.stringContaining('postern member role set USER owner'),
    })
    await ann('invitation create ben@example.com --role owner')
    await ben('invitation accept left')
    expect((await ann('org leave --confirm left')).code).toBe(2)
    expect((await ann('org leave left --confirm left')).stdout).toBe('Left The left (left)\n')
    expect((await ann('org view left')).code).toBe(6)
  })
})

describe('org slug check', () => {
  it('is 0 for a free slug, 7 for a taken one', async () => {
    expect((await ann('org slug check free-one --json')).json).toEqual({ slug: 'free-one', free: true })
    await create('gone')
    expect(await ben('org slug check GONE --json')).toMatchObject({ code: 7, stdout: '' })
    expect((await ben('org slug check a_b')).code).toBe(12)
  })
})

describe('limits of the service', () => {
  it('are a conflict', async () => {
    const small = await startOwnService({ ORGANIZATION_LIMIT: '1', TEAMS: 'off' })
    const eve = await small.person('Eve')
    await eve('org create One --slug one')
    expect((await eve('org create Two --slug two')).code).toBe(7)
    expect((await eve('org create One --slug one --if-exists skip --json')).json).toMatchObject({ status: 'unchanged' })
    const teams = await eve('team list --json')
    await small.stop()
    expect(teams.error).toMatchObject({ exitCode: 5, message: 'This service has no teams' })
  })
})

it('changes nothing under --read-only', async () => {
  for (const argv of ['org create X --slug x-ro', 'org use -', 'org leave --yes', 'org delete acme --confirm acme']) {
    expect([argv, (await ann(`${argv} --read-only`)).code]).toEqual([argv, 2])
  }
})
