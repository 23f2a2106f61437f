import { type RecordType, recordTypes } from '../../../shared/moving/records.ts'
import type { Driver } from '../../db/connect.ts'
import { type ExportedRow, exportRows, inSnapshot } from '../../db/moving/export-rows.ts'
import type { Deps } from '../../deps.ts'
import { openTokens } from '../social/seal-tokens.ts'

export interface ExportOptions {
  readonly keys: Deps['keys']
  readonly withSecrets: boolean
  readonly signal?: AbortSignal | undefined
  readonly write: (text: string) => Promise<void>
}

/** What is written, in this order: each record names only what was written before it. */
const parts: readonly (readonly [type: RecordType, condition: string])[] = [
  ['user', 't.organization_id is null'],
  ['account', 'true'],
  ['organization', 'true'],
  ['user', 't.organization_id is not null'],
  ...recordTypes.slice(3).map((type) => [type, 'true'] as const),
]

const secretTypes: ReadonlySet<RecordType> = new Set(['session', 'secondFactor'])

/** A session is a secret, and so is the id of a pending invitation: whoever knows it can prove to own the mailbox. */
const partsWithoutSecrets: readonly (readonly [type: RecordType, condition: string])[] = parts.map(
  ([type, condition]) =>
    type === 'invitation' ? [type, "t.status <> 'pending'"] : [type, secretTypes.has(type) ? 'false' : condition],
)

/** Writes everything that can be moved, as it is at one moment, and returns how many records there were. */
export async function exportRecords(sql: Driver, options: ExportOptions): Promise<number> {
  const { withSecrets, signal, write } = options
  return inSnapshot(sql, async (tx) => {
    let count = 0
    for (const [type, condition] of withSecrets ? parts : partsWithoutSecrets)
      for await (const rows of exportRows(tx, type, condition)) {
        signal?.throwIfAborted()
        await write(rows.map((row) => lineOf(type, row, options)).join(''))
        count += rows.length
      }
    return count
  })
}

const lineOf = (type: RecordType, row: ExportedRow, options: ExportOptions): string =>
  `${JSON.stringify({ type, ...fieldsOf[type](row, options) })}\n`

type Fields = (row: ExportedRow, options: ExportOptions) => object

const asStored: Fields = (row) => row

const fieldsOf: Readonly<Record<RecordType, Fields>> = {
  user: (row) => ({ ...row, fields: parsed(row['fields']) }),
  account: accountFields,
  organization: ({ metadata, fields, ownRoles, ...row }) => ({
    ...row,
    metadata: parsed(metadata),
    fields: parsed(fields),
    ownRoles: parsed(ownRoles),
  }),
  team: asStored,
  secondFactor: asStored,
  link: asStored,
  signingKey: asStored,
  member: (row) => Object.fromEntries(Object.entries(row).filter(([name]) => name !== 'teamIds')),
  invitation: asStored,
  session: ({ tokenHash, ...row }) => ({
    ...row,
    tokenHash: Buffer.isBuffer(tokenHash) ? tokenHash.toString('hex') : null,
  }),
}

const secretFields = ['password', 'accessToken', 'refreshToken', 'idToken']

function accountFields({ callbackFields, ...row }: ExportedRow, { keys, withSecrets }: ExportOptions): object {
  const fields = { ...row, callbackFields: parsed(callbackFields) }
  if (withSecrets) return { ...fields, ...openTokens({ keys }, { id: String(row['id']), ...sealedOf(row) }) }
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !secretFields.includes(name)))
}

const sealedOf = (row: ExportedRow) => ({
  accessToken: bytesAt(row, 'accessToken'),
  refreshToken: bytesAt(row, 'refreshToken'),
  idToken: bytesAt(row, 'idToken'),
})

function bytesAt(row: ExportedRow, field: string): Buffer | null {
  const value = row[field]
  return Buffer.isBuffer(value) ? value : null
}

const parsed = (text: unknown): unknown => (typeof text === 'string' ? JSON.parse(text) : null)
