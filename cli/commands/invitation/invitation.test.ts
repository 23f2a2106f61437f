import { beforeAll, describe, expect, it } from 'vitest'
import { lastMail, readMails } from '../../../server/testing/mails.ts'
import { proveAddress } from '../../../server/testing/prove-address.ts'
import { startOwnService } from '../../testing/own-service.ts'
import { useOwnService, usePerson } from '../../testing/use-service.ts'

const service = useOwnService()
const ann = usePerson(service, 'Ann')

beforeAll(async () => {
  await ann('org create Acme --slug acme')
})

const invite = async (email: string, role = 'member') =>
  (await ann(['invitation', 'create', email, '--role', role, '--org', 'acme', '-q'])).stdout.trim()
const statusOf = async (word: string) => (await ann(`invitation view ${word} --json=status -O acme`)).json

it('lists all of them, however many answers that takes', async () => {
  const { sql } = service.service.deps
  await sql`
    insert into invitations (id, organization_id, email, roles, status, inviter_id, expires_at)
    select 'old-' || n, o.id, 'old' || n || '@example.com', '{member}', 'canceled', u.id, now()
    from generate_series(1, 1205) n, organizations o, users u where u.email = ${ann.email}
  `
  const { json } = await ann('invitation list --status canceled --json=id -O acme')
  expect((json as { items: unknown[] }).items).toHaveLength(1205)
  await sql`delete from invitations`
})

describe('invitation create', () => {
  it('invites many from arguments and stdin, mails each and reports each', async () => {
    const done = await ann('invite create a1@example.com - --role member,admin --json', {
      stdin: 'a2@example.com\n\nnot an address\r\nA1@example.com\n',
    })
    expect(done.code).toBe(13)
    expect(done.json).toMatchObject({
      results: [
        { input: 'a1@example.com', status: 'created', id: expect.any(String), error: null },
        { input: 'a2@example.com', status: 'created' },
        { input: 'not an address', status: 'failed', error: { code: 'USAGE' } },
        { input: 'A1@example.com', status: 'skipped', error: null },
      ],
      summary: { total: 4, succeeded: 2, failed: 1, skipped: 1 },
    })
    expect((await readMails(service.service)).map(({ to }) => to)).toEqual(['a1@example.com', 'a2@example.com'])
  })

  it('tells which addresses it was given twice', async () => {
    const { code, stdout, stderr } = await ann('invite create - --role member', {
      stdin: 't1@example.com\nT1@example.com\nt1@example.com\n',
    })
    expect([code, stdout]).toEqual([0, 't1@example.com\tcreated\nT1@example.com\tskipped\nt1@example.com\tskipped\n'])
    expect(stderr).toBe('Given more than once, done once: T1@example.com, t1@example.com\n')
  })

  it('leaves who is there already as they are with --if-exists skip, members too', async () => {
    const id = await invite('s1@example.com')
    const before = (await readMails(service.service)).length
    const again = await ann(
      'invite create s1@example.com S2@example.com ann@example.com --role admin --if-exists skip --json',
    )
    expect([again.code, again.json]).toMatchObject([
      0,
      {
        results: [
          { input: 's1@example.com', status: 'unchanged', id },
          { input: 'S2@example.com', status: 'created' },
          { input: 'ann@example.com', status: 'unchanged' },
        ],
        summary: { succeeded: 3, failed: 0 },
      },
    ])
    expect((await ann(`invitation view ${id} --json=roles`)).json).toEqual({ roles: ['member'] })
    expect((await readMails(service.service)).length).toBe(before + 1)
  })

  it('mails them again, for these roles, with --if-exists resend', async () => {
    const id = await invite('s3@example.com')
    const before = (await readMails(service.service)).length
    const again = await ann('invite create s3@example.com ann@example.com --role admin --if-exists resend --json')
    expect(again.json).toMatchObject({
      results: [
        { input: 's3@example.com', status: 'updated', id },
        { input: 'ann@example.com', status: 'unchanged' },
      ],
    })
    expect((await ann(`invitation view ${id} --json=roles`)).json).toEqual({ roles: ['admin'] })
    expect((await readMails(service.service)).length).toBe(before + 1)
    expect((await ann('invite create s3@example.com --role admin --if-exists never')).code).toBe(2)
  })

  it('answers the id alone to --quiet, and the exit code of its only failure', async () => {
    const id = await invite('a3@example.com')
    expect((await ann(`invitation view ${id} --json=email`)).json).toEqual({ email: 'a3@example.com' })
    expect((await ann('invitation create a3@example.com --role member --json')).error).toMatchObject({
      exitCode: 7,
      hint: expect.stringContaining('invitation resend'),
    })
    expect((await ann('invitation create ann@example.com --role member')).code).toBe(7)
    expect((await ann('invitation create a4@example.com --role king')).code).toBe(6)
    expect((await ann('invitation create a4@example.com --role member --team Nothing')).code).toBe(6)
  })

  it('needs a role, and asks nobody in a script', async () => {
    expect((await ann('invitation create a5@example.com a6@example.com --json')).error).toMatchObject({
      exitCode: 14,
      fields: ['--role'],
      hint: 'postern invitation create a5@example.com a6@example.com --role ROLE --json',
    })
  })

  it('names a team, which is looked up once for all', async () => {
    const teamId = (await ann('team create Design -q')).stdout.trim()
    const { stderr } = await ann('invitation create a6@example.com a7@example.com --role member --team Design --debug')
    expect(stderr.match(/organization\/list-teams/g)).toHaveLength(1)
    expect((await ann('invitation view a7@example.com --json=teamId')).json).toEqual({ teamId })
  })

  it('refuses what is no address before anything is sent', async () => {
    const { code, stderr } = await ann('invitation create ann --role member -O acme --debug')
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(
        /^error: An e-mail address looks like ada@example.com\n {2}next: postern invitation create --help\n/,
      ),
    ])
  })
})

describe('invitation list', () => {
  it('shows the organization its own, by status', async () => {
    await invite('b1@example.com')
    await ann('invitation cancel b1@example.com')
    const { json } = await ann('invitation list --status canceled --json=email,roles,status,expired')
    expect(json).toMatchObject({
      items: expect.arrayContaining([
        { email: 'b1@example.com', roles: ['member'], status: 'canceled', expired: false },
      ]),
    })
    expect((await ann('invitation list --status gone')).code).toBe(2)
  })

  it('shows those to me where no organization is chosen, or with --mine', async () => {
    const ben = await service.person('Ben')
    await invite(ben.email)
    const mine = {
      email: ben.email,
      organizationSlug: 'acme',
      organizationName: 'Acme',
      inviterEmail: 'ann@example.com',
    }
    const fields = '--json=email,organizationSlug,organizationName,inviterEmail'
    expect((await ben(`invitation list ${fields}`)).json).toMatchObject({ items: [mine] })
    await ben('org create Own --slug bens')
    expect((await ben('invitation list --json')).json).toMatchObject({ items: [] })
    expect((await ben(`invitation list --mine ${fields}`)).json).toMatchObject({ items: [mine] })
    expect((await ben(`invitation view acme ${fields}`)).json).toMatchObject(mine)
    expect((await ben('invitation view Nobody')).code).toBe(6)
  })

  it('tells an expired one from a pending one', async () => {
    await invite('b2@example.com')
    const { stdout } = await ann('invitation list', { now: Date.now() + 72 * 3_600_000 })
    expect(stdout).toMatch(/b2@example\.com\tmember\texpired\t/)
  })
})

describe('invitation accept', () => {
  it('joins by id or by organization, once', async () => {
    const [cat, dan] = await Promise.all([service.person('Cat'), service.person('Dan')])
    const id = await invite(cat.email, 'admin')
    const { text } = await lastMail(service.service)
    expect(text).toContain(`postern invitation accept ${id}`)
    expect((await cat(`invitation accept ${id}`)).stdout).toBe('Joined Acme as admin, the active organization now\n')
    expect((await cat('org view --json=slug')).json).toEqual({ slug: 'acme' })
    const hint = 'You are in acme already: an invitation can be accepted only once'
    expect((await cat(`invitation accept ${id} --json`)).error).toMatchObject({ exitCode: 6, hint })
    expect((await cat('invitation accept Acme --json')).error).toMatchObject({ exitCode: 6, hint })
    await invite(dan.email)
    expect((await dan('invitation accept ACME --json')).json).toMatchObject({
      status: 'updated',
      resource: { status: 'accepted', organizationSlug: 'acme', email: dan.email },
    })
  })

  it('wants the address proven: exit 5 and the command for it', async () => {
    const eve = await service.stranger('Eve')
    const id = await invite(eve.email)
    for (const argv of [
      `invitation accept ${id}`,
      `invitation reject ${id}`,
      'invitation list',
      `invitation view ${id}`,
    ]) {
      const { code, error } = await eve(`${argv} --json`)
      expect([argv, code]).toEqual([argv, 5])
      expect(error['hint']).toContain('postern account email verify --send')
    }
    expect((await eve('invitation list')).stderr).toBe(
      'error: Invitations are shown only to a verified address\n' +
        '  next: Have a link mailed: postern account email verify --send; then give it: postern account email verify LINK\n',
    )
    await proveAddress(service.service.deps.sql, eve.email)
    expect((await eve(`invitation accept ${id}`)).code).toBe(0)
  })

  it('is told where no list is shown: by the id of the mail, or once the address is proven', async () => {
    const lenient = await startOwnService({ INVITATION_REQUIRES_VERIFIED_EMAIL: 'off' })
    const [owner, guest] = await Promise.all([lenient.person('Owner'), lenient.stranger('Guest')])
    await owner('org create Open --slug open')
    const id = (await owner('invitation create guest@example.com --role member -q')).stdout.trim()
    const bySlug = await guest('invitation accept open')
    const asWhom = await guest('invitation accept open -A guest@example.com')
    const listed = await guest('invitation list --mine')
    const byId = await guest(`invitation accept ${id}`)
    await lenient.stop()
    expect(bySlug).toMatchObject({ code: 5, stdout: '' })
    expect(bySlug.stderr).toBe(
      'error: Email verification required before accepting or rejecting invitation\n' +
        '  next: Verify your address: postern account email verify --send\n',
    )
    expect(asWhom.stderr).toContain('postern account email verify --send --account guest@example.com\n')
    expect([listed.code, listed.stderr.includes(id)]).toEqual([5, false])
    expect(byId.stdout).toBe('Joined the organization as member, the active organization now\n')
  })

  it('is not for a machine key, which has no address to verify', async () => {
    const key = (await ann('key create machine --role admin --org acme -q')).stdout.trim()
    const env = { POSTERN_TOKEN: key }
    for (const words of ['invitation accept acme', 'invitation list --mine']) {
      const { stderr } = await ann(words, { env })
      expect(stderr).toMatch(/^error: Machine keys may not make this call\n {2}next: Only people can do this/)
    }
  })

  it('is for its recipient only', async () => {
    const flo = await service.person('Flo')
    const id = await invite('somebody@example.com')
    expect((await flo(`invitation accept ${id} --json`)).error).toMatchObject({
      exitCode: 5,
      code: 'YOU_ARE_NOT_THE_RECIPIENT_OF_THE_INVITATION',
    })
    expect((await flo('invitation accept nothing')).code).toBe(6)
    expect((await flo(`invitation view ${id}`)).code).toBe(5)
  })

  it('is a conflict where the organization is full', async () => {
    const small = await startOwnService({ MEMBERSHIP_LIMIT: '1' })
    const [owner, guest] = await Promise.all([small.person('Owner'), small.person('Guest')])
    await owner('org create Small --slug small')
    await owner('invitation create guest@example.com --role member')
    const { code } = await guest('invitation accept small')
    await small.stop()
    expect(code).toBe(7)
  })
})

describe('invitation reject', () => {
  it('ends it', async () => {
    const gil = await service.person('Gil')
    const id = await invite(gil.email)
    expect((await gil(`invitation reject ${id}`)).stdout).toBe('Rejected the invitation to Acme\n')
    expect(await statusOf(id)).toEqual({ status: 'rejected' })
    expect((await gil(`invitation accept ${id}`)).code).toBe(6)
  })
})

describe('invitation cancel', () => {
  it('takes many back by id or address, from a pipe too', async () => {
    const [one, two] = [await invite('c1@example.com'), await invite('c2@example.com')]
    const done = await ann('invitation cancel - C2@example.com nothing --json -O acme', { stdin: `${one}\n` })
    expect(done.code).toBe(13)
    expect(done.json).toMatchObject({
      results: [
        { input: one, status: 'updated', id: one },
        { input: 'C2@example.com', status: 'updated', id: two },
        { input: 'nothing', status: 'failed', error: { code: 'INVITATION_NOT_FOUND' } },
      ],
    })
    expect(await statusOf(two)).toEqual({ status: 'canceled' })
    for (const word of [one, 'c1@example.com'])
      expect((await ann(`invitation cancel ${word} --json`)).json).toMatchObject({ results: [{ status: 'unchanged' }] })
  })

  it('is not for strangers', async () => {
    const hal = await service.person('Hal')
    const id = await invite('c3@example.com')
    expect((await hal(`invitation cancel ${id}`)).code).toBe(6)
    expect(await statusOf(id)).toEqual({ status: 'pending' })
  })
})

describe('invitation resend', () => {
  it('mails the same one again, and none that was answered', async () => {
    const id = await invite('d1@example.com', 'admin,member')
    const done = await ann('invitation resend d1@example.com --json')
    expect(done.json).toMatchObject({ status: 'updated', resource: { id, roles: ['admin', 'member'] } })
    const mails = (await readMails(service.service)).filter(({ to }) => to === 'd1@example.com')
    expect(mails).toHaveLength(2)
    await ann(`invitation cancel ${id}`)
    expect((await ann(`invitation resend ${id} --json`)).error).toMatchObject({
      exitCode: 7,
      code: 'INVITATION_NOT_PENDING',
    })
    expect((await ann('invitation resend nobody@example.com')).code).toBe(6)
  })
})
