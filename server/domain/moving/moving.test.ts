import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { connectForMigration } from '../../db/connect.ts'
import { importTarget } from '../../testing/exports.ts'
import { untilWaiting } from '../../testing/locks.ts'
import { createTestService, testPassword } from '../../testing/service.ts'
import { temporaryFolder } from '../../testing/temporary-folder.ts'
import type { LeftOut } from './check-item.ts'
import { exportRecords } from './export-records.ts'
import { fileSource } from './file-source.ts'
import { importRecords } from './import-records.ts'
import { partsOf } from './prepare-parts.ts'
import { maxLine } from './read-lines.ts'

// Sessions of the fixed moment below live on.
const target = importTarget({ SESSION_MAX_AGE: '3650d' })

const folder = temporaryFolder('moving')
let files = 0
async function fileOf(lines: readonly (object | string | Buffer)[]): Promise<string> {
  files += 1
  const path = join(folder, `${files}.ndjson`)
  const parts = lines.map((line) =>
    Buffer.isBuffer(line) ? line : Buffer.from(typeof line === 'string' ? line : JSON.stringify(line)),
  )
  await writeFile(path, Buffer.concat(parts.flatMap((part) => [part, Buffer.from('\n')])))
  return path
}

interface Options {
  readonly isDryRun?: boolean
  readonly batch?: number
  readonly isUpdating?: boolean
  readonly signal?: AbortSignal
  readonly onProgress?: () => void
}

async function load(path: string, options: Options = {}, to = target.sql) {
  const left: LeftOut[] = []
  const summary = await importRecords(to, await fileSource(path), {
    isDryRun: false,
    batch: null,
    isUpdating: false,
    ...options,
    parts: partsOf(target.service.deps, { now: '2026-01-02T03:04:05.678Z' }),
    onLeftOut: (row) => left.push(row),
  })
  return { summary, left, reasons: left.map(({ line, reason }) => [line, reason]) }
}

async function dump(withSecrets = true, from = target.sql): Promise<string> {
  let text = ''
  const write = async (part: string) => {
    text += part
  }
  await exportRecords(from, { keys: target.service.deps.keys, withSecrets, write })
  return text
}

const user = (id: string, fields: object = {}) => ({
  type: 'user',
  id,
  email: `${id}@example.com`,
  name: id,
  ...fields,
})
const bcrypt = '$2b$06$abcdefghijklmnopqrstuu10cNU3mXRamSUZYs8I8M/Szu..qXq5K'
const password = (userId: string, hash = bcrypt) => ({
  type: 'account',
  userId,
  providerId: 'credential',
  password: hash,
})
const organization = (id: string) => ({ type: 'organization', id, name: id, slug: id })
const moment = '2027-01-02T03:04:05.000Z'

const everything = [
  user('ann', {
    emailVerified: true,
    role: 'user,admin',
    image: 'https://example.com/a.png',
    language: 'de',
    createdAt: '2020-02-03T04:05:06.789Z',
  }),
  user('bob', { email: 'Bob@Example.com', banned: true, banReason: 'spam', banExpires: moment }),
  password('ann'),
  {
    type: 'account',
    id: 'a2',
    userId: 'bob',
    providerId: 'github',
    accountId: '12',
    accessToken: 'at',
    refreshToken: 'rt',
    scope: 'read:user',
    callbackFields: { device_id: 'd' },
  },
  { ...organization('acme'), metadata: { b: 1, a: [{ z: null }], ü: '\u2028' } },
  user('bot', { email: 'bot@machine.invalid', organizationId: 'acme', sponsorId: 'ann' }),
  { type: 'team', id: 't1', organizationId: 'acme', name: 'One' },
  { type: 'team', id: 't2', organizationId: 'acme', name: 'Two', updatedAt: moment },
  {
    type: 'member',
    organizationId: 'acme',
    userId: 'ann',
    role: 'owner',
    teams: [{ id: 't2', createdAt: '2021-01-01T00:00:00.000Z' }, { id: 't1' }],
  },
  { type: 'member', organizationId: 'acme', userId: 'bob', role: ['member', 'billing'] },
  { type: 'member', organizationId: 'acme', userId: 'bot' },
  {
    type: 'invitation',
    id: 'i1',
    organizationId: 'acme',
    email: 'Cid@example.com',
    role: 'member',
    status: 'pending',
    teamIds: ['t1'],
    inviterId: 'ann',
    expiresAt: moment,
  },
  {
    type: 'session',
    id: 's1',
    userId: 'ann',
    token: 'a token of thirty-two characters',
    expiresAt: moment,
    activeOrganizationId: 'acme',
    activeTeamId: 't2',
    ipAddress: '192.0.2.1',
  },
]

describe('a file in the published format', () => {
  it('comes with everything in it, and the sample equals what was given', async () => {
    const { summary, left } = await load(await fileOf(everything))
    expect(left).toEqual([])
    expect(summary).toMatchObject({
      read: everything.length,
      stored: { user: 3, account: 2, organization: 1, team: 2, member: 3, invitation: 1, session: 1 },
      leftOut: 0,
      compared: everything.length,
      different: [],
    })
    expect(summary.after.user - summary.before.user).toBe(3)
  })

  it('signs people in with the old password, in their organizations', async () => {
    await load(await fileOf(everything))
    const ann = target.service.visitor()
    const signIn = await ann.post('/sign-in/email', { email: 'ann@example.com', password: testPassword })
    expect(signIn).toMatchObject({ status: 200, body: { user: { id: 'ann', emailVerified: true, language: 'de' } } })
    const full = await ann.get('/organization/get-full-organization?organizationSlug=acme')
    expect(full).toMatchObject({
      status: 200,
      body: { metadata: { b: 1 }, members: { length: 3 }, invitations: { length: 1 } },
    })
    const [row] = await target.sql`select password, mailbox_proof, proven_email from accounts where user_id = 'ann'`
    expect(row).toMatchObject({
      password: expect.stringContaining('$argon2id$'),
      mailbox_proof: 'earlier',
      proven_email: 'ann@example.com',
    })
  })

  it('takes no word of an untrusted provider for a proof of the mailbox', async () => {
    const accounts = ['github', 'microsoft', 'acme'].map((providerId) => ({
      type: 'account',
      userId: 'ops',
      providerId,
      accountId: '7',
    }))
    await load(await fileOf([user('ops', { emailVerified: true }), ...accounts]))
    const rows = await target.sql`select provider_id, mailbox_proof, proven_email from accounts order by provider_id`
    expect(rows).toEqual([
      { provider_id: 'acme', mailbox_proof: null, proven_email: null },
      { provider_id: 'github', mailbox_proof: 'earlier', proven_email: 'ops@example.com' },
      { provider_id: 'microsoft', mailbox_proof: null, proven_email: null },
    ])
  })

  it('is unchanged after export, import and export, byte by byte', async () => {
    await load(await fileOf(everything))
    const before = await dump()
    expect(before.split('\n')).toHaveLength(everything.length + 1)
    const other = await createTestService()
    const otherSql = connectForMigration(other.database)
    try {
      const { left, summary } = await load(await fileOf([before]), {}, otherSql)
      expect([left, summary.different]).toEqual([[], []])
      expect(await dump(true, otherSql)).toBe(before)
    } finally {
      await otherSql.end()
      await other.stop()
    }
  })

  it('tells no secret unless asked', async () => {
    await load(await fileOf(everything))
    const text = await dump(false)
    expect(text).toContain('"providerId":"credential"')
    for (const secret of ['password', 'Token"', '$2b$', 'tokenHash', '"session"']) expect(text).not.toContain(secret)
    expect(await dump()).toContain('"accessToken":"at"')
  })

  it('is left alone by a dry run, which finds the same conflicts', async () => {
    const path = await fileOf([...everything, user('dot', { email: 'ANN@example.com' })])
    const dry = await load(path, { isDryRun: true })
    expect(await dump()).toBe('')
    const wet = await load(path)
    expect(dry.left).toEqual(wet.left)
    expect(dry.summary).toEqual(wet.summary)
    expect(wet.reasons).toEqual([[everything.length + 1, 'EMAIL_TAKEN']])
  })

  it('stores nothing twice', async () => {
    const path = await fileOf(everything)
    await load(path)
    const before = await dump()
    const { summary, left } = await load(path)
    expect(left).toEqual([])
    expect(summary.present).toMatchObject({
      user: 3,
      account: 2,
      organization: 1,
      team: 2,
      member: 3,
      invitation: 1,
      session: 1,
    })
    expect(await dump()).toBe(before)
  })

  it('replaces what is there when asked', async () => {
    await load(await fileOf(everything))
    const { left } = await load(
      await fileOf([user('ann', { name: 'Ann Other' }), { ...organization('acme'), name: 'Acme' }]),
      { isUpdating: true },
    )
    expect(left).toEqual([])
    const text = await dump()
    expect(text).toContain('"name":"Ann Other"')
    expect(text).toContain('"name":"Acme"')
  })
})

describe('a row that cannot come', () => {
  it('is told with its reason, and keeps nothing else away', async () => {
    const lines: readonly [object | string | Buffer, string | null][] = [
      [user('ann'), null],
      [user('ann2', { email: 'ANN@EXAMPLE.COM' }), 'EMAIL_TAKEN'],
      [user('ann', { email: 'other@example.com' }), 'ID_TAKEN'],
      [user('no-at', { email: 'nobody' }), 'INVALID_EMAIL'],
      [user('nul', { name: 'a\u0000b' }), 'INVALID_TEXT'],
      ['{"type":"user","id":"half","email":"half@example.com","name":"x","banReason":"\\ud800"}', 'INVALID_TEXT'],
      [user('backslash', { name: 'C:\\u0000' }), null],
      [user('extra', { admin: true }), 'INVALID'],
      ['{"type":"user","id":"proto","email":"p@example.com","name":"p","__proto__":{"role":"admin"}}', 'INVALID'],
      [{ type: 'unknown', id: 'x' }, 'INVALID'],
      ['[]', 'INVALID'],
      ['null', 'INVALID'],
      ['{"type":', 'NOT_JSON'],
      [Buffer.from([0x7b, 0xff, 0xfe, 0x7d]), 'NOT_UTF8'],
      [`"${'x'.repeat(maxLine)}"`, 'LINE_TOO_LONG'],
      ['[['.repeat(100_000), 'NOT_JSON'],
      [password('ann', 'md5$$9cc2ae8a1ba7a93da39b46fc1019c481'), null],
      [{ ...password('ann'), id: 'second' }, 'PASSWORD_EXISTS'],
      [{ type: 'account', userId: 'ann', providerId: 'github', accountId: '7' }, null],
      [{ type: 'account', id: 'again', userId: 'ann', providerId: 'github', accountId: '7' }, 'IDENTITY_EXISTS'],
      [{ type: 'account', userId: 'backslash', providerId: 'github', accountId: '7' }, 'IDENTITY_TAKEN'],
      [password('ghost'), 'USER_UNKNOWN'],
      [password('backslash', `$2b$31$${bcrypt.slice(7)}`), 'HASH_COSTLY'],
      [password('backslash', '9cc2ae8a1ba7a93da39b46fc1019c481'), 'HASH_UNKNOWN'],
      [organization('acme'), null],
      [{ ...organization('acme2'), slug: 'ACME' }, 'SLUG_TAKEN'],
      [{ ...organization('acme3'), slug: 'a b' }, 'INVALID_SLUG'],
      [organization('other'), null],
      [{ type: 'team', id: 't', organizationId: 'acme', name: 'T' }, null],
      [{ type: 'team', id: 'u', organizationId: 'u', name: 'of itself' }, 'ORGANIZATION_UNKNOWN'],
      [{ type: 'member', organizationId: 'acme', userId: 'ann', teams: [{ id: 't' }] }, null],
      [{ type: 'member', id: 'again', organizationId: 'acme', userId: 'ann' }, 'MEMBER_EXISTS'],
      [{ type: 'member', organizationId: 'acme', userId: 'ghost' }, 'USER_UNKNOWN'],
      [
        {
          type: 'invitation',
          id: 'i',
          organizationId: 'acme',
          email: 'x@example.com',
          status: 'pending',
          inviterId: 'ghost',
          expiresAt: moment,
        },
        'USER_UNKNOWN',
      ],
      [{ type: 'session', id: 's', userId: 'ann', expiresAt: moment }, 'TOKEN_MISSING'],
      [user('late', { createdAt: '0000-01-01T00:00:00Z' }), 'REFUSED 22008'],
      [user('zoe'), null],
    ]
    const { summary, reasons } = await load(await fileOf(lines.map(([line]) => line)))
    const expected = lines.flatMap(([, reason], index) => (reason === null ? [] : [[index + 1, reason]]))
    expect(reasons).toEqual(expected)
    expect(summary).toMatchObject({
      leftOut: expected.length,
      stored: { user: 3, account: 2, organization: 2, team: 1, member: 1 },
    })
    expect(summary.different).toEqual([])
  })

  it('comes without a picture that a page would not show', async () => {
    const { left, summary } = await load(await fileOf([user('ann', { image: 'javascript:alert(1)' })]))
    expect(left).toEqual([{ line: 1, type: 'user', id: 'ann', reason: 'ALTERED', detail: 'image' }])
    expect(summary).toMatchObject({ leftOut: 0, altered: 1, stored: { user: 1 } })
  })

  it('comes without a language that is not spoken here', async () => {
    const { left } = await load(await fileOf([user('ann', { language: 'tlh' }), user('bob', { language: 'fr' })]))
    expect(left).toEqual([{ line: 1, type: 'user', id: 'ann', reason: 'ALTERED', detail: 'language' }])
    expect(await target.sql`select id, language from users order by id`).toEqual([
      { id: 'ann', language: null },
      { id: 'bob', language: 'fr' },
    ])
  })
})

describe('batches', () => {
  const people = Array.from({ length: 50 }, (_, n) => user(`user-${n}`))

  /** Ends after three batches of seven. */
  async function cut(path: string): Promise<void> {
    const stop = new AbortController()
    let batches = 0
    const onProgress = () => {
      batches += 1
      if (batches === 3) stop.abort()
    }
    await expect(load(path, { batch: 7, signal: stop.signal, onProgress })).rejects.toThrow('aborted')
  }

  it('go on after the last one that was stored', async () => {
    const path = await fileOf(people)
    await cut(path)
    const [{ count } = { count: 0 }] = await target.sql<{ count: number }[]>`select count(*)::int as count from users`
    expect(count).toBe(21)
    // Somebody who was moved in and deleted since does not come back.
    await target.sql`delete from users where id = 'user-0'`
    const { summary, left } = await load(path, { batch: 7 })
    expect([summary.read, summary.stored.user, summary.present.user, left]).toEqual([29, 29, 0, []])
  })

  it('begin anew after a run of everything, and where another run is asked for', async () => {
    const path = await fileOf(people)
    await cut(path)
    expect((await load(path, { batch: 7, isUpdating: true })).summary.read).toBe(50)
    await cut(path)
    await load(path, { isDryRun: true })
    expect((await load(path, { batch: 7 })).summary.read).toBe(29)
    await cut(path)
    await load(path)
    expect((await load(path, { batch: 7 })).summary.read).toBe(50)
  })

  it('take as long as they need before the first and after the last, whatever the role allows', async () => {
    const limited = connectForMigration(target.service.database)
    const other = connectForMigration(target.service.database)
    await limited`set statement_timeout = 1000`
    let running: Promise<unknown> | undefined
    await other.begin(async (tx) => {
      await tx`lock table signing_keys`
      running = load(await fileOf(people), { batch: 7 }, limited)
      await untilWaiting(target.service)
      await tx`select pg_sleep(1.5)`
    })
    expect(await running).toMatchObject({ left: [], summary: { read: 50 } })
    await Promise.all([limited.end(), other.end()])
  })

  it('begin anew for another file', async () => {
    await load(await fileOf(people), { batch: 7 })
    const { summary } = await load(await fileOf([...people, user('new')]), { batch: 7 })
    expect([summary.read, summary.stored.user, summary.present.user]).toEqual([51, 1, 50])
  })
})
