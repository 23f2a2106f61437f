import { copyFileSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { ageDevices } from '../../server/testing/device.ts'
import { ageSessions } from '../../server/testing/rows.ts'
import { testPassword } from '../../server/testing/service.ts'
import { slack } from '../../server/testing/slack.ts'
import { personAt } from '../../server/testing/social.ts'
import { useStarted } from '../../server/testing/use-service.ts'
import { continueAt, FormBrowser, type Page, refuseAt, typeCode } from './form-browser.ts'
import type { TestPerson } from './own-service.ts'
import { type ProviderService, startProviderService } from './provider-service.ts'
import type { RunOptions } from './run-cli.ts'

// A sign-in at a provider, and the seconds that a command waits between two questions.
vi.setConfig({ testTimeout: 120_000 * slack })

const own = useStarted(() => startProviderService(['GOOGLE'], { ALLOW_DIFFERENT_EMAILS: 'on' }))

const missing = { code: 6, exitCode: 6 }

describe('account link list', () => {
  it('tells the password and what is linked, for people, programs and scripts', async () => {
    const ann = await own.person('ListAnn')
    expect((await ann('account link list --json=provider')).json).toMatchObject({ items: [{ provider: 'credential' }] })
    const sub = await own.linkGoogle(ann.email)
    const { stdout } = await ann('account link ls', { tty: ['stdout'], columns: 160, env: { NO_COLOR: '1' } })
    expect(stdout).toMatch(/^PROVIDER +ACCOUNT +SINCE +SCOPES +ID\nPassword /)
    expect(stdout).toContain(`Google    ${sub}`)
    expect((await ann('account links list --json')).json).toMatchObject({
      items: [
        { provider: 'credential', scopes: [] },
        { provider: 'google', accountId: sub, scopes: expect.arrayContaining(['email', 'openid', 'profile']) },
      ],
      page: { total: 2 },
    })
    expect((await ann('account link list -q')).stdout.trim().split('\n')).toHaveLength(2)
  })

  it('is nobody’s without a session', async () => {
    const nobody = await own.person('ListNobody')
    await nobody('sign-out')
    expect((await nobody('account link list')).code).toBe(4)
  })
})

describe('account link add', () => {
  const atTerminal: RunOptions = { tty: ['stdin', 'stdout', 'stderr'], columns: 200, env: { NO_COLOR: '1' } }

  /** Runs it at a terminal; the code is typed into a browser as soon as it is shown. */
  async function adding(person: TestPerson, inBrowser: (browser: FormBrowser, page: Page) => unknown, flags = '') {
    const browser = new FormBrowser()
    let [said, work] = ['', undefined as Promise<unknown> | undefined]
    const hear = (text: string) => {
      said += text
      const userCode = /and type ([A-Z-]{9})\n/.exec(said)?.[1]
      if (userCode) work ??= typeCode(browser, own.url, userCode).then((page) => inBrowser(browser, page))
    }
    const { code, stdout, stderr } = await person(`account link add google ${flags}`, { ...atTerminal, hear })
    await work
    return { code, stdout, stderr, said, browser }
  }

  it('tells a provider that the service does not have', async () => {
    const nora = await own.person('AddNora')
    const { code, stderr } = await nora('account link add no-such', atTerminal)
    expect([code, stderr]).toEqual([6, expect.stringContaining('does not support sign-in with no-such')])
  })

  it('prints where to go, and says what was linked there', async () => {
    const ann = await own.person('AddAnn')
    const at = personAt({ email: ann.email })
    const done = await adding(ann, (browser, page) =>
      continueAt(own.provider, browser, page, { person: at, action: 'link' }),
    )
    expect(done).toMatchObject({ code: 0, stdout: `Linked Google ${at.sub}\n` })
    expect(done.said).toContain(`Open ${own.url}/api/auth/page/device\n`)
    expect(done.said).toMatch(/Waiting, [45]:\d\d left/)
    expect((await ann('account link list --json=provider')).json).toMatchObject({
      items: [{ provider: 'credential' }, { provider: 'google' }],
    })
    expect([...done.browser.cookies.keys()]).toEqual([])
  })

  it('is refused in the browser, or ends when nobody comes', async () => {
    const ann = await own.person('AddRefused')
    const refused = await adding(ann, (browser, page) => browser.submit(page, 'decision', { decision: 'refuse' }))
    expect([refused.code, refused.stderr]).toEqual([5, expect.stringContaining('account link add google')])
    const late = await adding(ann, () => Promise.resolve(), '--wait 1s')
    expect([late.code, late.stderr]).toEqual([8, expect.stringContaining('Not linked yet')])
    expect(late.stderr).toMatch(/what is missing. Keep waiting: postern account link add --resume [\da-f]{20}\n/)
  })

  it('ends at once where the sign-in is too old for another address, and says what to run', async () => {
    const ann = await own.person('AddStale')
    const done = await adding(ann, async (browser, page) => {
      const proven = await browser.submit(page, 'password', { email: ann.email, password: testPassword })
      await ageSessions(own.service, ann.email, 2 * 86_400)
      return continueAt(own.provider, browser, proven, { person: personAt(), action: 'link' })
    })
    expect(done).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('Nothing was linked: you signed in too long ago'),
    })
    expect(done.stderr).toContain('postern sign-in, then postern account link add google')
  })

  it('ends at once when the provider says no, and says who did', async () => {
    const ann = await own.person('AddDenied')
    const refused = await adding(ann, (browser, page) => refuseAt(own.url, browser, page))
    expect(refused.code).toBe(5)
    expect(refused.stderr).toContain('The link was refused at Google')
    expect(refused.stderr).toContain('account link add google')
  })

  it('needs somebody who reads the code, a provider of the service, and a session', async () => {
    const ann = await own.person('AddNobody')
    for (const argv of ['account link add google', 'account link add google --json'])
      expect(await ann(argv)).toMatchObject({
        code: 14,
        stderr: expect.stringContaining('postern account link add google --start --json'),
      })
    expect((await ann('account link add', atTerminal)).code).not.toBe(0)
    expect(await ann('account link add apple', atTerminal)).toMatchObject({
      code: 6,
      stderr: expect.stringContaining('This service does not support sign-in with apple'),
    })
    expect((await ann('account link add Not_A_Provider!', atTerminal)).code).toBe(2)
    await ann('sign-out')
    expect((await ann('account link add google', atTerminal)).code).toBe(4)
  })
})

describe('a link that a script begins', () => {
  const begin = async (person: TestPerson) =>
    (await person('account link add google --start --json')).json as Record<'ticket' | 'url' | 'userCode', string>
  const looks = (person: TestPerson, ticket: string, flags = '') =>
    person(`account link add --resume ${ticket} --wait 0 ${flags}`)
  const ticketsOf = ({ folder }: TestPerson) => readdirSync(join(folder, 'state', 'tickets'))

  it('tells where to go and keeps the secret, is pending, then done once, and leaves nothing behind', async () => {
    const ann = await own.person('StartAnn')
    const { ticket, ...begun } = await begin(ann)
    expect(begun).toEqual({
      url: `${own.url}/api/auth/page/device`,
      userCode: expect.stringMatching(/^[A-Z]{4}-[A-Z]{4}$/),
      expiresAt: expect.stringMatching(/Z$/),
      interval: 5,
    })
    expect(ticketsOf(ann)).toEqual([`${ticket}.json`])
    const pending = await looks(ann, ticket)
    expect(pending).toMatchObject({ code: 8, stdout: '' })
    expect(pending.stderr).toContain(`postern account link add --resume ${ticket}`)
    const [browser, at] = [new FormBrowser(), personAt({ email: ann.email })]
    const page = await typeCode(browser, own.url, begun.userCode)
    const proven = await browser.submit(page, 'password', { email: ann.email, password: testPassword })
    await continueAt(own.provider, browser, proven, { person: at, action: 'link' })
    await ageDevices(own.service, 6)
    const done = await ann(`account link add --resume ${ticket} --wait 0 --json`, { now: Date.now() + 6000 })
    expect(done.json).toMatchObject({ status: 'created', resource: { provider: 'google', accountId: at.sub } })
    expect(ticketsOf(ann)).toEqual([])
    expect(await looks(ann, ticket)).toMatchObject({
      code: 12,
      stderr: expect.stringContaining('This link was finished'),
    })
  })

  it('goes on in the session that asked, and keeps waiting when another one looks', async () => {
    const [ann, ben] = [await own.person('OtherAnn'), await own.person('OtherBen')]
    const { ticket } = await begin(ann)
    const folder = join(ben.folder, 'state', 'tickets')
    mkdirSync(folder, { mode: 0o700 })
    copyFileSync(join(ann.folder, 'state', 'tickets', `${ticket}.json`), join(folder, `${ticket}.json`))
    expect(await looks(ben, ticket)).toMatchObject({
      code: 12,
      stderr: expect.stringContaining('was asked for in another session'),
    })
    expect(ticketsOf(ben)).toEqual([`${ticket}.json`])
    expect((await looks(ann, ticket)).code).toBe(8)
  })

  it('has a ticket of its own kind, and no flag of another way', async () => {
    const ann = await own.person('KindAnn')
    const [{ ticket }, signIn] = [await begin(ann), (await ann('sign-in --start -q')).stdout.trim()]
    expect(await ann(`sign-in --resume ${ticket}`)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`postern account link add --resume ${ticket}`),
    })
    expect(await looks(ann, signIn)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`postern sign-in --resume ${signIn}`),
    })
    for (const flags of [
      'google --start --wait 1m',
      'google --start --qr',
      `google --resume ${ticket}`,
      '--resume x --start',
    ])
      expect([flags, (await ann(`account link add ${flags}`)).code]).toEqual([flags, 2])
    expect(await ann('account link add --start')).toMatchObject({ code: 14 })
    expect((await ann('account link add google --start --dry-run --json')).json).toMatchObject({ status: 'planned' })
  })
})

describe('account link remove', () => {
  it('takes an account away, named by its provider, after a yes', async () => {
    const ann = await own.person('RemoveAnn')
    const sub = await own.linkGoogle(ann.email)
    const asked = await ann('account link remove google')
    expect([asked.code, asked.stderr]).toEqual([14, expect.stringContaining('account link remove google --yes')])
    const done = await ann('account link remove Google --yes')
    expect(done).toMatchObject({ code: 0, stdout: `Removed Google ${sub}\n` })
    expect(await ann('account link remove google --yes --json')).toMatchObject({
      code: missing.code,
      error: { message: 'No linked account google', hint: 'See them: postern account link list' },
    })
  })

  it('takes the password away where another way is left, and never the last one', async () => {
    const ann = await own.person('LastAnn')
    const last = await ann('account link remove password --yes')
    expect(last.code).toBe(7)
    expect(last.stderr).toContain("You can't unlink your last account")
    expect(last.stderr).toContain('postern account link add PROVIDER')
    await own.linkGoogle(ann.email)
    expect((await ann('account link remove password --yes --json')).json).toMatchObject({
      status: 'deleted',
      resource: { provider: 'credential' },
    })
    expect((await ann('account link remove google --yes')).code).toBe(7)
  })

  it('asks which one is meant where several are linked', async () => {
    const ann = await own.person('TwiceAnn')
    const [first, second] = [
      await own.linkGoogle(ann.email),
      await own.linkGoogle(ann.email, 'twice-ann@elsewhere.example'),
    ]
    const { error } = await ann('account link remove google --yes --json')
    expect(error).toMatchObject({ code: 'AMBIGUOUS', exitCode: 7 })
    expect(error['message']).toContain(`google:${first}`)
    expect((await ann(`account link remove google:${second} --yes`)).code).toBe(0)
    expect((await ann('account link list --json=accountId')).json).toMatchObject({
      items: [{}, { accountId: first }],
    })
  })

  it('needs a recent sign-in, and says how', async () => {
    const ann = await own.person('StaleAnn')
    await own.linkGoogle(ann.email)
    await ageSessions(own.service, ann.email, 2 * 86_400)
    const { code, stderr } = await ann('account link remove google --yes')
    expect([code, stderr]).toEqual([4, expect.stringContaining('postern sign-in')])
  })
})

describe('account link refresh', () => {
  it('has new tokens got, and prints none', async () => {
    const ann = await own.person('RefreshAnn')
    const sub = await own.linkGoogle(ann.email)
    const done = await ann('account link refresh google --json')
    expect(done.json).toEqual({
      status: 'updated',
      resource: {
        id: expect.any(String),
        provider: 'google',
        accountId: sub,
        scopes: ['email', 'openid', 'profile'],
        accessTokenExpiresAt: expect.any(String),
      },
    })
    expect((await ann('account link refresh google')).stdout).toBe(`Refreshed the tokens of Google ${sub}\n`)
  })

  it('is nothing for a password, nor where the provider does not give any', async () => {
    const ann = await own.person('RefuseAnn')
    expect(await ann('account link refresh password')).toMatchObject({ code: 2 })
    await own.linkGoogle(ann.email)
    await own.service.deps.sql`update accounts set refresh_token = null`
    const { code, stderr } = await ann('account link refresh google')
    expect(code).toBe(12)
    expect(stderr).toContain('Link it once more')
  })
})

describe('completion', () => {
  const env = { POSTERN_COMPLETION_TIMEOUT: '60s' }
  const complete = async (person: Awaited<ReturnType<ProviderService['person']>>, ...words: readonly string[]) =>
    (await person(['__complete', '--', 'account', 'link', ...words], { env })).stdout.split('\n').filter(Boolean)

  it('offers what is linked', async () => {
    const ann = await own.person('CompleteAnn')
    const sub = await own.linkGoogle(ann.email)
    expect(await complete(ann, 'remove', '')).toEqual(['google', 'password'])
    expect(await complete(ann, 'refresh', 'go')).toEqual(['google'])
    expect(await complete(ann, 'remove', '--y')).toContain('--yes')
    const other = await own.linkGoogle(ann.email, 'complete-ann@elsewhere.example')
    expect(await complete(ann, 'remove', 'g')).toEqual([`google:${sub}`, `google:${other}`].sort())
  })

  it('offers nothing to nobody', async () => {
    const nobody = await own.person('CompleteNobody')
    await nobody('sign-out')
    expect(await complete(nobody, 'remove', '')).toEqual([])
  })
})
