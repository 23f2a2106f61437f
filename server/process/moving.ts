import { availableParallelism } from 'node:os'
import type { Config } from '../config.ts'
import type { FirebaseProject } from '../crypto/stored-hash/foreign-hash.ts'
import type { Driver } from '../db/connect.ts'
import { pendingMigrations } from '../db/migrate.ts'
import type { ImportSummary, LeftOut, Source, SourceRequest } from '../domain/moving/moving.ts'
import { databaseAddress } from '../settings/database-address.ts'
import { withSecret } from '../settings/development-secret.ts'
import { openConfiguredDatabase } from './configured-database.ts'
import { prepareDatabase, withConnection } from './database.ts'
import type { SettingsPlace } from './serve.ts'

export type { FirebaseProject, LeftOut, SourceRequest }

export interface ImportOutcome extends ImportSummary {
  /** The addresses of users who got rights on the platform. */
  readonly administrators: readonly string[]
  /** Users with a second factor there. Null: the source does not tell. */
  readonly secondFactors: number | null
  /** Tables and columns there that nothing was read from. */
  readonly unread: readonly string[]
}

export interface ImportRequest {
  readonly source: SourceRequest
  /** Of the hashes that Firebase made. */
  readonly project?: FirebaseProject | undefined
  readonly isDryRun: boolean
  readonly batch: number | null
  readonly isUpdating: boolean
  /** Whether users may come whose second factor is not asked for here. */
  readonly withoutSecondFactor: boolean
  /** False: nobody gets a role of the platform. */
  readonly withPlatformRoles: boolean
  readonly signal?: AbortSignal | undefined
  readonly onLeftOut: (row: LeftOut) => void
  /** `size`: what `done` grows to; null when unknown. */
  readonly onProgress?: undefined | ((done: number, size: number | null, records: number) => void)
}

/**
 * Moves records into the database of the service that this folder and environment configure, whether or not it is
 * running.
 *
 * @throws ConfigError for wrong settings, UnusableAddress for the address of a source; Error with a sentence when the
 * source cannot be read.
 */
export async function importRecords(asked: ImportRequest, place: SettingsPlace = {}): Promise<ImportOutcome> {
  refuseUnusable(asked.source)
  const work = async (sql: Driver, config: Config) => {
    const moving = await import('../domain/moving/moving.ts')
    const { importRecords: run, openSource } = moving
    const opened = await openSource(asked.source, asked.project).catch(throwUnusable(asked.source))
    const { isDryRun, batch, isUpdating, signal, onLeftOut, onProgress } = asked
    const passwords = moving.createPasswords(costOf(config), { limits: patientQueue })
    const source = asked.withPlatformRoles ? opened.source : moving.withoutPlatformRoles(opened.source)
    const progress = (done: number, records: number) => onProgress?.(done, opened.source.size, records)
    try {
      refuseWithoutConsent(asked, opened.source)
      const newcomers = await moving.Newcomers.before(sql, config)
      const summary = await run(sql, source, {
        isDryRun,
        batch,
        isUpdating,
        signal,
        parts: moving.partsOf(
          { config, keys: moving.createKeys(config.SECRETS), passwords },
          { signerKey: asked.project?.signerKey },
        ),
        onLeftOut,
        onStored: async (tx, stored) => {
          // A stream tells of them only while it is read; thrown here, this undoes the transaction.
          refuseWithoutConsent(asked, opened.source)
          await moving.noteImport(tx, stored, asked.source, await newcomers.look(tx))
        },
        onProgress: progress,
      })
      const { secondFactors, unread = [] } = opened.source
      return { ...summary, administrators: newcomers.addresses, secondFactors, unread }
    } finally {
      await opened.close()
    }
  }
  return withDatabase(place, work, { mayMigrate: !asked.isDryRun })
}

/** What records should come from cannot be used: a database, other than that of the service. */
class UnusableSource extends Error {
  override readonly name = 'UnusableSource'
}

const throwUnusable = (source: SourceRequest) => (cause: Error) => {
  throw 'from' in source ? new UnusableSource(cause.message, { cause }) : cause
}

class UnusableAddress extends Error {
  override readonly name = 'UnusableAddress'
}

/** The address has to follow the rules of DATABASE_URL. */
function refuseUnusable(source: SourceRequest): void {
  if (!('from' in source)) return
  const { error } = databaseAddress.safeParse(source.from)
  if (error) throw new UnusableAddress(`The address of --from cannot be used: expected ${error.issues[0]?.message}`)
}

const costOf = (config: Config) => ({
  memory: config.ARGON2_MEMORY,
  passes: config.ARGON2_PASSES,
  lanes: config.ARGON2_LANES,
})

/** Other exports do not have them. */
const keepsFactors: ReadonlySet<SourceRequest['kind']> = new Set(['better-auth', 'file', 'stream'])

/** Their password alone would let them in, and whoever knows it. */
function refuseWithoutConsent(
  { isDryRun, source, withoutSecondFactor }: ImportRequest,
  { secondFactors: users }: Pick<Source, 'secondFactors'>,
): void {
  if (!users || isDryRun || withoutSecondFactor) return
  const kept = keepsFactors.has(source.kind) ? '; the factors are kept for later' : ''
  throw new Error(
    `${users === 1 ? 'One user has' : `${users} users have`} a second factor there, which this service does not ask for yet: the password alone would let them in. If that is meant, say so with --without-second-factor${kept}`,
  )
}

/** Nobody waits for an answer while weak hashes are wrapped. */
const patientQueue = { running: availableParallelism(), waiting: 1_000_000, timeout: 86_400_000 }

export interface ExportRequest {
  readonly withSecrets: boolean
  readonly signal?: AbortSignal | undefined
  /** Called with whole lines; resolves when more can be taken. */
  readonly write: (text: string) => Promise<void>
}

/**
 * Writes what the service of this folder and environment has, in the format that `importRecords` reads, as it was at
 * one moment. Returns how many records there were.
 *
 * @throws ConfigError for wrong settings, or when no service keeps its data there.
 */
export async function exportRecords(asked: ExportRequest, place: SettingsPlace = {}): Promise<number> {
  return withDatabase(
    place,
    async (sql, config) => {
      const { createKeys, exportRecords: run } = await import('../domain/moving/moving.ts')
      return run(sql, { ...asked, keys: createKeys(config.SECRETS) })
    },
    { mayMigrate: false },
  )
}

async function withDatabase<T>(
  place: SettingsPlace,
  work: (sql: Driver, config: Config) => Promise<T>,
  { mayMigrate }: { readonly mayMigrate: boolean },
): Promise<T> {
  const { config: given, log, database, close } = await openConfiguredDatabase(place, { mayCreate: mayMigrate })
  try {
    const config = withSecret(given)
    await prepareDatabase(database, { ...config, MIGRATE: config.MIGRATE && mayMigrate }, log)
    return await withConnection(database, config.DATABASE_TIMEOUT, async (sql) => {
      if (!mayMigrate) await refusePending(sql)
      return work(sql, config)
    })
  } finally {
    await close()
  }
}

async function refusePending(sql: Driver): Promise<void> {
  const pending = await pendingMigrations(sql)
  if (pending.length === 0) return
  const behind = pending.length === 1 ? 'one migration' : `${pending.length} migrations`
  throw new Error(
    `The database of the service is ${behind} behind, and this changes nothing: run postern migrate first`,
  )
}
