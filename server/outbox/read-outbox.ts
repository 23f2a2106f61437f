import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../config.ts'
import { createKeys } from '../crypto/keys.ts'
import { connect, deadlinesOf, type Sql } from '../db/connect.ts'
import { type ListedMail, listMails } from '../db/outbox.ts'
import { type ComposeParts, composeMail, UnreadableMail } from '../mail/compose.ts'
import { openConfiguredDatabase } from '../process/configured-database.ts'
import type { SettingsPlace } from '../process/serve.ts'
import { withSecret } from '../settings/development-secret.ts'

/** A decrypted mail that waits in the outbox. */
export interface OutboxMail {
  readonly id: string
  /** `verify-email`, `reset-password`, `invitation`, … */
  readonly kind: string
  readonly to: string
  readonly subject: string
  readonly text: string
  /** The link, created on reading. Null for a notice. */
  readonly url: string | null
  /** The link's token. Null for a notice, and for an invitation, whose page requires a sign-in instead. */
  readonly token: string | null
  readonly createdAt: Date
  /** Attempts to send it so far. */
  readonly attempts: number
  /** When it was given up. Null while it is still tried. */
  readonly parkedAt: Date | null
  /** When it was held because the database is a copy, whose original sends it. */
  readonly heldAt: Date | null
}

export interface ReadOptions extends SettingsPlace {
  /** Keeps yielding new mails until it is aborted. */
  readonly follow?: AbortSignal
  /** Called for each mail that is left out, with the reason: another SECRET encrypted it, or its template failed. */
  readonly onUnreadable?: ((reason: string) => void) | undefined
}

/** Milliseconds between two reads. */
const interval = 500

/**
 * The mails that wait in the outbox of the configured service, newest last, whether or not the service is running. They
 * contain secrets: links and tokens. A mail that cannot be written is left out, and told by `onUnreadable`.
 *
 * @throws ConfigError for invalid settings, or when no service keeps its data there.
 * @example
 * for await (const { to, subject, url } of readOutbox({ cwd: '/srv/accounts' })) console.log(to, subject, url)
 */
export async function* readOutbox({ follow, onUnreadable, ...place }: ReadOptions = {}): AsyncGenerator<OutboxMail> {
  const { config, database, close } = await openConfiguredDatabase(place, { mayCreate: false })
  const deadlines = deadlinesOf(config.DATABASE_TIMEOUT)
  const sql = connect(database, { connections: 1, prepare: config.DATABASE_PREPARE, deadlines })
  try {
    const seen = new Set<string>()
    do yield* unseen(sql, config, { seen, onUnreadable })
    while (follow && (await isTime(follow)))
  } finally {
    await sql.end({ timeout: 1 })
    await close()
  }
}

async function* unseen(
  sql: Sql,
  config: Config,
  { seen, onUnreadable = () => {} }: Pick<ReadOptions, 'onUnreadable'> & { readonly seen: Set<string> },
): AsyncGenerator<OutboxMail> {
  const rows = await rowsOf(sql)
  for (const row of rows.filter(({ id }) => !seen.has(id))) {
    const mail = await open(row, config)
    seen.add(row.id)
    if (typeof mail === 'string') onUnreadable(mail)
    else yield mail
  }
}

/** A database without our tables has no mails. */
async function rowsOf(sql: Sql): Promise<readonly ListedMail[]> {
  try {
    return await listMails(sql)
  } catch (error) {
    if ((error as { code?: string }).code === '42P01') return []
    throw error
  }
}

/** Waits for one interval. False when it was aborted. */
const isTime = (signal: AbortSignal): Promise<boolean> =>
  sleep(interval, undefined, { signal }).then(
    () => true,
    () => false,
  )

/** Or why it cannot be written. */
async function open(row: ListedMail, config: Config): Promise<OutboxMail | string> {
  try {
    const { id, kind, to, subject, text, url, token } = await composeMail(row, partsOf(config))
    const { createdAt, attempts, parkedAt, heldAt } = row
    return { id, kind, to, subject, text, url, token, createdAt, attempts, parkedAt, heldAt }
  } catch (error) {
    return error instanceof UnreadableMail
      ? 'encrypted with another SECRET than in these settings'
      : `the text of a ${row.kind} mail could not be written: ${String(error)}`
  }
}

const partsOf = (config: Config): ComposeParts => ({
  config,
  keys: createKeys(withSecret(config).SECRETS),
  now: new Date(),
})
