import { chmodSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { cloneDatabase, emptyDatabase, settingsOf } from '../../server/testing/database.ts'
import { type OpenIdProvider, startOpenIdProvider } from '../../server/testing/openid-provider.ts'
import { freePort } from '../../server/testing/ports.ts'
import { testSecret } from '../../server/testing/settings.ts'
import { type MailServer, startMailServer } from '../../server/testing/smtp.ts'
import { temporaryFolder } from '../../server/testing/temporary-folder.ts'
import { createRunner } from './run-cli.ts'

const smtpUser = { user: 'postern', password: 'a-mail-password' }
let cloned: Awaited<ReturnType<typeof cloneDatabase>>
let mail: MailServer
let provider: OpenIdProvider
let settings: Record<string, string>
beforeAll(async () => {
  cloned = await cloneDatabase()
  mail = await startMailServer({ auth: smtpUser })
  provider = await startOpenIdProvider()
  const { user, password } = smtpUser
  settings = {
    ...settingsOf(cloned.database),
    ...provider.settings('OIDC_ACME'),
    SMTP_URL: `smtp://${user}:${password}@127.0.0.1:${mail.port}`,
    MAIL_FROM: 'no-reply@example.com',
    SECRET: testSecret,
  }
})
afterAll(async () => {
  await Promise.all([mail.stop(), provider.stop()])
  await cloned.drop()
})

interface Item {
  readonly name: string
  readonly status: string
  readonly value: string | null
  readonly source: string | null
  readonly file: string | null
  readonly message: string | null
}

async function check(changed: Record<string, string> = {}) {
  const { code, stdout, json } = await createRunner({ env: { ...settings, ...changed } })('serve --check --json')
  const { items } = json as { items: readonly Item[] }
  const of = (name: string) => items.find((item) => item.name === name)
  return { code, stdout, of, bad: items.filter(({ status }) => status !== 'ok') }
}

it('--workers replaces the setting, also one that names a file', async () => {
  const path = join(temporaryFolder('workers'), 'workers')
  writeFileSync(path, '3\n')
  const { json } = await createRunner({ env: { ...settings, WORKERS_FILE: path } })('serve --workers 2 --check --json')
  expect((json as { items: readonly Item[] }).items).toContainEqual(
    expect.objectContaining({ name: 'WORKERS', status: 'ok', value: '2' }),
  )
})

it('tells every setting and where it came from, and hides secrets', async () => {
  const folder = temporaryFolder('check')
  const path = join(folder, 'host')
  writeFileSync(path, '0.0.0.0\n')
  const { code, of, stdout } = await check({ HOST_FILE: path, PORT: '5000' })
  expect(code).toBe(0)
  expect(of('PORT')).toMatchObject({ value: '5000', source: 'environment', file: null })
  expect(of('HOST')).toMatchObject({ value: '0.0.0.0', source: 'environment', file: path })
  expect(of('SESSION_EXPIRES_IN')).toMatchObject({ value: '7d', source: 'default' })
  expect(of('JWT_ISSUER')).toMatchObject({ value: 'http://localhost:5000', source: 'default' })
  expect(of('SECRETS')).toMatchObject({ value: null, source: 'default' })
  for (const name of ['SECRET', 'DATABASE_URL', 'SMTP_URL', 'OIDC_ACME_CLIENT_SECRET'])
    expect(of(name)).toMatchObject({ value: '(hidden)', source: 'environment' })
  for (const secret of [testSecret, smtpUser.password, settings.OIDC_ACME_CLIENT_SECRET!])
    expect(stdout).not.toContain(secret)
})

it('warns of a name that is a setting but for a slip', async () => {
  const { code, bad } = await check({ TRUSTED_ORIGNS: 'https://app.example.com' })
  expect([code, bad]).toMatchObject([
    0,
    [{ name: 'settings', status: 'warning', message: expect.stringContaining('is TRUSTED_ORIGINS meant?') }],
  ])
})

it('warns of trusted origins that the session cookie does not reach', async () => {
  const given = { BASE_URL: 'https://id.example.com', TRUSTED_ORIGINS: 'https://app.example.com,https://app.test' }
  const { code, bad } = await check(given)
  expect([code, bad]).toMatchObject([
    0,
    [
      {
        name: 'settings',
        status: 'warning',
        message: expect.stringMatching(/^https:\/\/app\.test in TRUSTED_ORIGINS/),
      },
    ],
  ])
  expect((await check({ ...given, COOKIE_SAME_SITE: 'none' })).bad).toEqual([])
})

it('signs in to the database, the mail server and the providers, and changes nothing', async () => {
  const { code, of, bad } = await check()
  expect([code, bad]).toEqual([0, []])
  expect(of('database')?.message).toMatch(/^PostgreSQL \d+.*, with the newest migration$/)
  expect(of('mail')?.message).toBe(`127.0.0.1:${mail.port} lets the service sign in`)
  expect(of('acme')).toMatchObject({ status: 'ok' })
  expect(mail.mails).toEqual([])
})

it('tells each thing that cannot be used, and ends with 16', async () => {
  const nobody = `127.0.0.1:${await freePort()}`
  const { code, bad, stdout } = await check({
    DATABASE_URL: `postgres://me:hunter2@${nobody}/id`,
    SMTP_URL: `smtp://postern:wrong@127.0.0.1:${mail.port}`,
    OIDC_ACME_ISSUER: `http://${nobody}`,
  })
  expect([code, bad.map(({ name, status }) => `${name} ${status}`)]).toEqual([
    16,
    ['database problem', 'mail problem', 'acme problem'],
  ])
  expect(bad.map(({ message }) => message)).toEqual([
    `connect ECONNREFUSED ${nobody}`,
    `127.0.0.1:${mail.port} does not let the service sign in: 535 EAUTH AUTH PLAIN`,
    `connect ECONNREFUSED ${nobody}`,
  ])
  const away = await check({ SMTP_URL: `smtp://postern:wrong@${nobody}` })
  expect(away.of('mail')?.message).toBe(`${nobody} does not let the service sign in: connect ECONNREFUSED ${nobody}`)
  const unknown = await check({ SMTP_URL: 'smtp://mail.invalid' })
  expect(unknown.of('mail')?.message).toMatch(
    /^mail\.invalid does not let the service sign in: getaddrinfo E\w+ mail\.invalid$/,
  )
  expect(stdout).not.toContain('hunter2')
})

it('tells whether a first start can make its embedded database, and makes nothing', async () => {
  const folder = temporaryFolder('check')
  // As root, PostgreSQL runs as another user, who has to get there.
  chmodSync(folder, 0o755)
  const file = join(folder, 'file')
  writeFileSync(file, '')
  const { DATABASE_URL: _, ...others } = settings
  const databaseIn = async (DATA_DIR: string) => {
    const { code, json } = await createRunner({ env: { ...others, DATA_DIR } })('serve --check --json')
    const { items } = json as { items: readonly Item[] }
    return [code, items.find(({ name }) => name === 'database')]
  }
  expect(await databaseIn(join(folder, 'a', 'b'))).toMatchObject([
    0,
    { status: 'ok', message: expect.stringContaining('the first start makes an embedded database') },
  ])
  expect(await databaseIn(join(file, 'data'))).toMatchObject([
    16,
    {
      status: 'problem',
      message: expect.stringMatching(/cannot be used: ENOTDIR.*Set DATA_DIR to a folder that can be written/),
    },
  ])
  expect(readdirSync(folder)).toEqual(['file'])
})

it('tells which migrations are missing, and applies none', async () => {
  const empty = await emptyDatabase()
  try {
    const given = settingsOf(empty.database)
    expect((await check(given)).of('database')).toMatchObject({
      status: 'ok',
      message: expect.stringContaining('behind'),
    })
    const off = await check({ ...given, MIGRATE: 'off' })
    expect([off.code, off.of('database')?.message]).toEqual([16, expect.stringContaining('MIGRATE is off')])
  } finally {
    await empty.drop()
  }
})

it('tells whether sessions that moved in need the secret of before', async () => {
  const { code, of, stdout } = await check({ IMPORTED_SECRET: 'hunter2' })
  expect([code, of('imported')?.status, of('imported')?.message]).toEqual([
    0,
    'warning',
    expect.stringContaining('IMPORTED_SECRET is short or a sample'),
  ])
  expect(of('database')?.message).toMatch(/; no sessions that moved in are live, so IMPORTED_SECRET does nothing$/)
  expect(of('IMPORTED_SECRET')).toMatchObject({ value: '(hidden)' })
  expect(stdout).not.toContain('hunter2')
  const strong = await check({ IMPORTED_SECRET: 'Zq7Wc3Vn9Xk2Lm5Rt8Yb4Hd6Fg1Js0Pa' })
  expect(strong.of('imported')).toMatchObject({
    status: 'ok',
    message: 'the cookie better-auth.session_token of better-auth is accepted for sessions that moved in',
  })
})

it('is read by people in lines', async () => {
  const postern = createRunner({ env: settings, tty: ['stdout'], columns: 100 })
  const { code, stdout } = await postern('serve --check')
  expect(code).toBe(0)
  expect(stdout).toMatch(/^PORT +default +4100$/m)
  expect(stdout).toMatch(/ok.* database +PostgreSQL/)
})

it('ends with a usage error for wrong settings, as the start does', async () => {
  const secret = join(temporaryFolder('check'), 'secret')
  writeFileSync(secret, testSecret)
  chmodSync(secret, 0o644)
  const { SECRET: _, ...others } = settings
  const { code, error } = await createRunner({ env: { ...others, SECRET_FILE: secret } })('serve --check --json')
  expect([code, error.code]).toEqual([2, 'SETTINGS'])
})
