import { randomUUID } from 'node:crypto'
import { hashPassword } from 'better-auth/crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createApp } from '../../app.ts'
import { serverHeaders } from '../../testing/organizations.ts'
import { passphrase } from '../../testing/passphrases.ts'
import { countRows } from '../../testing/rows.ts'
import { testPassword } from '../../testing/service.ts'
import { useMade, useTestService } from '../../testing/use-service.ts'
import { createVisitor } from '../../testing/visitor.ts'

const service = useTestService({}, { isRealCost: true })

const someone = () => ({ email: `ann-${randomUUID()}@example.com`, name: 'Ann' })
const signUp = (account: object) => service.visitor().post('/sign-up/email', account)
const signIn = (email: string, password: string) => service.visitor().post('/sign-in/email', { email, password })
const statusOf = async (email: string, password: string) => (await signIn(email, password)).status

describe('a password that everybody tries', () => {
  it.each(['password', '12345678', 'Iloveyou', 'trustno1', 'QWERTYUIOP', 'Postern1', 'annabelle'])(
    'is refused at sign-up, without a hash and without a row: %s',
    async (password) => {
      const [before, { computed }] = [await countRows(service), service.deps.passwords]
      const reply = await signUp({ email: `${randomUUID()}@example.com`, name: 'Annabelle', password })
      expect(reply).toMatchObject({
        status: 400,
        body: { code: 'PASSWORD_TOO_COMMON', message: 'Password too common' },
        setCookies: [],
      })
      expect([await countRows(service), service.deps.passwords.computed]).toEqual([before, computed])
    },
  )

  it('is refused when it is the address that signs up', async () => {
    const { email, name } = someone()
    for (const password of [email, email.toUpperCase(), email.replace('@example.com', '')])
      expect((await signUp({ email, name, password })).body.code).toBe('PASSWORD_TOO_COMMON')
  })

  it('still signs in who has it from before', async () => {
    const { email } = await service.person()
    await setHash(email, await service.deps.passwords.hash('password'))
    expect(await statusOf(email, 'password')).toBe(200)
  })
})

describe('a password', () => {
  it('of any script signs up and signs in', async () => {
    for (const password of fc.sample(passphrase, 10)) {
      const account = { ...someone(), password }
      expect([password, (await signUp(account)).status]).toEqual([password, 200])
      expect([password, await statusOf(account.email, password)]).toEqual([password, 200])
    }
  })

  it.each([
    ['composed', 'r\u00e9sum\u00e9 caf\u00e9', 're\u0301sume\u0301 cafe\u0301'],
    ['decomposed', 're\u0301sume\u0301 cafe\u0301', 'r\u00e9sum\u00e9 caf\u00e9'],
  ])('signs in either way when it was set %s', async (_name, set, other) => {
    const account = { ...someone(), password: set }
    await signUp(account)
    expect([await statusOf(account.email, set), await statusOf(account.email, other)]).toEqual([200, 200])
  })

  it.each([
    ['64', 'ab \u00e9'.repeat(16)],
    ['128', '\u{1f600}x'.repeat(64)],
  ])('of %s code points counts to its last character', async (_count, password) => {
    const account = { ...someone(), password }
    await signUp(account)
    const others = [password.slice(0, -1), `${password} `, `${password.slice(0, -1)}y`, prefixOf(password, 72)]
    expect(await statusOf(account.email, password)).toBe(200)
    for (const other of others) expect(await statusOf(account.email, other)).toBe(401)
  })

  it('keeps the spaces around it', async () => {
    const account = { ...someone(), password: ' spaces around ' }
    await signUp(account)
    expect(await statusOf(account.email, ' spaces around ')).toBe(200)
    for (const other of ['spaces around', ' spaces around', 'spaces around '])
      expect(await statusOf(account.email, other)).toBe(401)
  })
})

/** The longest start of a text that fits into so many bytes: all that some hashes look at. */
const prefixOf = (text: string, bytes: number) =>
  Buffer.from(text)
    .subarray(0, bytes)
    .toString()
    .replace(/\ufffd+$/, '')

describe('a password of sixty thousand characters', () => {
  const long = 'x'.repeat(60_000)
  const tooLong = { status: 400, body: { code: 'PASSWORD_TOO_LONG' } }
  const wrong = { status: 400, body: { code: 'INVALID_PASSWORD' } }
  const ann = useMade(() => service.person())

  it.each<[string, object, object]>([
    ['/sign-up/email', { ...someone(), password: long }, tooLong],
    ['/reset-password', { token: 'x', newPassword: long }, tooLong],
    ['/set-password', { newPassword: long }, tooLong],
    ['/change-password', { currentPassword: testPassword, newPassword: long }, tooLong],
    ['/change-password', { currentPassword: long, newPassword: 'another horse battery staple' }, wrong],
    ['/delete-user', { password: long }, wrong],
  ])('costs no hash at %s', async (path, body, expected) => {
    const { computed } = service.deps.passwords
    expect(await ann.post(path, body, path === '/set-password' ? serverHeaders : {})).toMatchObject(expected)
    expect(service.deps.passwords.computed).toBe(computed)
  })
})

describe('a password of an imported account', () => {
  // The reference's own, in JavaScript: half a second each.
  const hashes = new Map<string, Promise<string>>()
  async function imported(password = testPassword) {
    const { email } = await service.person()
    if (!hashes.has(password)) hashes.set(password, hashPassword(password))
    const stored = (await hashes.get(password)) ?? ''
    await setHash(email, stored)
    return { email, stored }
  }

  it('signs in, and is argon2id from then on', async () => {
    const { email } = await imported()
    expect(await statusOf(email, testPassword)).toBe(200)
    expect(await hashOf(email)).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    expect(await statusOf(email, testPassword)).toBe(200)
    expect(await statusOf(email, 'another password')).toBe(401)
  })

  it('is known however its characters are composed', async () => {
    const { email } = await imported('cafe\u0301 au lait')
    expect(await statusOf(email, 'cafe\u0301 au lait')).toBe(200)
    expect(await statusOf(email, 'caf\u00e9 au lait')).toBe(200)
  })

  it.each([
    ['bcrypt', '$2y$06$abcdefghijklmnopqrstuu10cNU3mXRamSUZYs8I8M/Szu..qXq5K'],
    ['PBKDF2', 'pbkdf2_sha256$1000$seasalt$3xmXbyk2QpiyNcnoBbzRPwEBsYPTbDlRdtmLyBvQltA='],
  ])('signs in with a hash of another kind, and is argon2id from then on: %s', async (_name, stored) => {
    const { email } = await service.person()
    await setHash(email, stored)
    expect(await statusOf(email, 'another password')).toBe(401)
    expect(await hashOf(email)).toBe(stored)
    expect(await statusOf(email, 'correct horse battery staple')).toBe(200)
    expect(await hashOf(email)).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    expect(await statusOf(email, 'correct horse battery staple')).toBe(200)
  })

  it('stays as it is while a wrong one is tried', async () => {
    const { email, stored } = await imported()
    expect(await signIn(email, 'not the password')).toMatchObject({
      status: 401,
      body: { code: 'INVALID_EMAIL_OR_PASSWORD' },
      setCookies: [],
    })
    expect(await hashOf(email)).toBe(stored)
  })

  /** A busy service may refuse at first, and says so before it did anything. */
  const admittedStatus = async (email: string): Promise<number> => {
    const status = await statusOf(email, testPassword)
    return status === 503 ? admittedStatus(email) : status
  }

  it('leaves one valid hash when ten sign in at once', async () => {
    const { email } = await imported()
    const statuses = await Promise.all(Array.from({ length: 10 }, () => admittedStatus(email)))
    expect(statuses).toEqual(Array.from({ length: 10 }, () => 200))
    const stored = await hashOf(email)
    expect(stored).toMatch(/^\$argon2id\$/)
    expect(await service.deps.passwords.verify(stored, testPassword)).toBe(true)
  })

  it('is not brought back by a sign-in that began before it was changed', async () => {
    const { email } = await imported()
    const changed = await service.deps.passwords.hash('a newer password')
    // The change comes between the two statements of the sign-in: the first has seen the old hash.
    const { passwords, config } = service.deps
    const verify: typeof passwords.verify = async (stored, password) => {
      await setHash(email, changed)
      return passwords.verify(stored, password)
    }
    const app = createApp({ ...service.deps, passwords: { ...passwords, verify } }, service.state)
    await createVisitor(app, config).post('/sign-in/email', { email, password: testPassword })
    expect(await hashOf(email)).toBe(changed)
  })

  it.each<[string, (stored: string) => string]>([
    ['without its salt', (stored) => stored.slice(32)],
    ['without its key', (stored) => stored.slice(0, 33)],
    ['cut', (stored) => stored.slice(0, -2)],
    ['longer', (stored) => `${stored}00`],
    ['in upper case', (stored) => stored.toUpperCase()],
    ['with a letter that is no hex', (stored) => stored.replace(/.$/, 'g')],
    ['with a second part', (stored) => `${stored}:${stored}`],
    ['with spaces', (stored) => ` ${stored} `],
    ['with no text at all', () => ''],
  ])('is an ordinary 401 when its hash is there %s', async (_name, damage) => {
    const { email, stored } = await imported()
    await setHash(email, damage(stored))
    const { computed } = service.deps.passwords
    const reply = await signIn(email, testPassword)
    expect(reply).toMatchObject({ status: 401, body: { code: 'INVALID_EMAIL_OR_PASSWORD' }, setCookies: [] })
    expect(service.deps.passwords.computed).toBe(computed + 1)
    expect(await hashOf(email)).toBe(damage(stored))
  })
})

const setHash = (email: string, hash: string) => service.deps.sql`
  update accounts set password = ${hash} where user_id = (select id from users where email = ${email})
`

async function hashOf(email: string): Promise<string> {
  const [row] = await service.deps.sql<{ password: string }[]>`
    select a.password from accounts a join users u on u.id = a.user_id where u.email = ${email}
  `
  return row?.password ?? ''
}
