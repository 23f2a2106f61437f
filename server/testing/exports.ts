import { pbkdf2Sync } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { hash } from '@node-rs/argon2'
import bcrypt from 'bcrypt'
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { connectForMigration, type Driver } from '../db/connect.ts'
import type { LeftOut } from '../domain/moving/check-item.ts'
import type { Product } from '../domain/moving/converters/converted-source.ts'
import { fileSource } from '../domain/moving/file-source.ts'
import { type ImportOptions, importRecords } from '../domain/moving/import-records.ts'
import { openSource, type SourceRequest } from '../domain/moving/open-source.ts'
import { partsOf } from '../domain/moving/prepare-parts.ts'
import type { Source } from '../domain/moving/source.ts'
import { recordsFile } from './records-file.ts'
import { createTestService, type TestService } from './service.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** A service of the test file's own that records move into, emptied before each test. */
export function importTarget(settings: Parameters<typeof createTestService>[0] = {}) {
  let service: TestService
  let sql: Driver
  beforeAll(async () => {
    service = await createTestService(settings)
    sql = connectForMigration(service.database)
  })
  afterAll(async () => {
    await sql?.end()
    await service?.stop()
  })
  beforeEach(() => emptyForImport(sql))

  async function store(source: Source, options: Partial<ImportOptions> = {}) {
    const left: LeftOut[] = []
    const summary = await importRecords(sql, source, {
      isDryRun: false,
      batch: null,
      isUpdating: false,
      parts: partsOf(service.deps, { now: '2026-01-02T03:04:05.678Z' }),
      onLeftOut: (row) => left.push(row),
      ...options,
    })
    return { summary, left }
  }
  return {
    store,
    load: async (records: readonly object[], options: Partial<ImportOptions> = {}) =>
      store(await fileSource(await recordsFile(records)), options),
    get service() {
      return service
    },
    get sql() {
      return sql
    },
  }
}

/** Moves exports into a service of the test file's own, which is emptied before each test. */
export function useExports() {
  const target = importTarget({ RATE_LIMIT: 'off' })
  const folder = temporaryFolder('converters')
  let files = 0
  async function save(text: string | Buffer): Promise<string> {
    files += 1
    const path = join(folder, `export-${files}`)
    await writeFile(path, text)
    return path
  }

  async function load(
    asked: SourceRequest,
    given: typeof project | null = project,
    more: Pick<Partial<ImportOptions>, 'batch' | 'signal' | 'onProgress'> = {},
  ) {
    const opened = await openSource(asked, given ?? undefined)
    try {
      const parts = partsOf(target.service.deps, { now: '2026-01-02T03:04:05.678Z', signerKey: given?.signerKey })
      const { summary, left } = await target.store(opened.source, { parts, ...more })
      expect(summary.different).toEqual([])
      const reasons = left.map(({ type, id, reason }) => [type, id, reason])
      return { stored: summary.stored, secondFactors: opened.source.secondFactors, reasons, left }
    } finally {
      await opened.close()
    }
  }

  const loadFiles = async (product: Product, ...texts: readonly (string | Buffer)[]) =>
    load({ kind: 'export', product, files: await Promise.all(texts.map(save)) })

  const signIn = async (email: string, password: string) =>
    (await target.service.visitor().post('/sign-in/email', { email, password })).status

  /** Everybody signs in with the old password, and with no other. */
  async function expectSignIns(people: readonly (readonly [email: string, password?: string])[]) {
    for (const [email, password = horse] of people) {
      expect([email, await signIn(email, `${password}.`)]).toEqual([email, 401])
      expect([email, await signIn(email, password)]).toEqual([email, 200])
    }
  }

  const accountsOf = async () =>
    (
      await target.sql<{ user_id: string; provider_id: string; account_id: string; mailbox_proof: string | null }[]>`
        select user_id, provider_id, account_id, mailbox_proof from accounts
        where provider_id <> 'credential' order by provider_id, account_id
      `
    ).map((row) => [row.user_id, row.provider_id, row.account_id, row.mailbox_proof])

  const usersOf = async () =>
    target.sql<{ id: string; email: string; name: string; email_verified: boolean; banned: boolean | null }[]>`
      select id, email, name, email_verified, banned from users order by email
    `
  return { accountsOf, expectSignIns, load, loadFiles, save, sql: () => target.sql, usersOf }
}

export const lines = (rows: readonly object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('')

/** The example of Firebase's own implementation. */
export const project = {
  signerKey: 'jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==',
  saltSeparator: 'Bw==',
  rounds: 8,
  memCost: 14,
}
export const firebaseHash = 'lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ=='
export const firebaseSalt = '42xEC+ixf3L2lw=='
export const firebasePassword = 'user1password'

export const horse = 'correct horse battery staple'
export const salt = Buffer.from('0123456789abcdef')
export const bcryptHash = bcrypt.hashSync(horse, 6)
export const argon2Hash = await hash(horse, { memoryCost: 7168, timeCost: 5, salt })
export const derived = (digest: string, length: number) => pbkdf2Sync(horse, salt, 1000, length, digest)
export const plain = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')

/** Without people and organizations, and without the events by which somebody counts as active here. */
async function emptyForImport(sql: Driver): Promise<void> {
  for (const table of ['users', 'organizations', 'imports']) await sql`delete from ${sql(table)}`
  await sql.begin(async (tx) => {
    // The trail refuses this otherwise.
    await tx`set local session_replication_role = replica`
    await tx`delete from audit_events`
  })
}
