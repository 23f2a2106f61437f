import * as z from 'zod'
import type { Driver } from '../../../db/connect.ts'
import {
  countForeign,
  type ForeignQuery,
  type ForeignTable,
  listForeignTables,
  readForeign,
} from '../../../db/moving/foreign-tables.ts'
import { type Converted, type Converter, convertEach, type Made, optional, text } from './converter.ts'
import { type Entry, readTable } from './entries.ts'
import { accountOf, momentOf, providerOf, recordsOf } from './person.ts'

/** Anything but a JSON object counts as an empty one. */
const json = z.preprocess(parsed, z.looseObject({}).catch({})).optional()

function parsed(given: unknown): unknown {
  try {
    return typeof given === 'string' ? JSON.parse(given) : {}
  } catch {
    return {}
  }
}

/** A row of `auth.users`. */
const User = z.looseObject({
  id: z.string().min(1),
  email: text,
  encrypted_password: text,
  email_confirmed_at: text,
  raw_user_meta_data: json,
  banned_until: text,
  is_sso_user: optional(z.union([z.boolean(), z.string()])),
  deleted_at: text,
  created_at: text,
  updated_at: text,
})
type User = z.output<typeof User>

/** A row of `auth.identities`. Before 2023, its id was that of the user at the provider. */
const AnIdentity = z.looseObject({
  id: z.string(),
  provider_id: text,
  user_id: z.string(),
  provider: z.string(),
  identity_data: json,
})
type AnIdentity = z.output<typeof AnIdentity>

/** CSV files of `auth.users` and `auth.identities`. */
export const convertSupabase: Converter = ([users = '', identities]) =>
  convertTables(readTable(users), identities === undefined ? none() : readTable(identities))

async function* convertTables(
  users: AsyncIterable<Entry>,
  identities: AsyncIterable<Entry>,
): AsyncGenerator<Converted> {
  yield* convertEach(users, User, recordsOfUser)
  yield* convertEach(identities, AnIdentity, recordsOfIdentity)
}

async function* none(): AsyncGenerator<Entry> {}

interface OpenedSupabase {
  readonly convert: () => AsyncGenerator<Converted>
  readonly secondFactors: number
}

/** The schema `auth` of a database. @throws Error with a sentence, when it has none. */
export async function openSupabase(sql: Driver): Promise<OpenedSupabase> {
  const tables = await listForeignTables(sql, 'auth')
  const users = queryOf(tables, 'users', User.shape)
  const identities = queryOf(tables, 'identities', AnIdentity.shape)
  if (!users) throw new Error('The database has no table auth.users')
  return {
    convert: () => convertTables(rowsOf(sql, users), identities ? rowsOf(sql, identities) : none()),
    secondFactors: await countSecondFactors(sql, tables),
  }
}

/** A factor that was never used to sign in is not asked for there. */
async function countSecondFactors(sql: Driver, tables: readonly ForeignTable[]): Promise<number> {
  const table = tables.find(({ name }) => name === 'mfa_factors')
  return table ? countForeign(sql, table, 'user_id', { column: 'status', values: ['verified'] }) : 0
}

function queryOf(tables: readonly ForeignTable[], name: string, shape: object): ForeignQuery | null {
  const table = textTable(tables.find((one) => one.name === name))
  const asked = table?.columns.filter((column) => Object.hasOwn(shape, column.name)) ?? []
  return table ? { table, columns: Object.fromEntries(asked.map((column) => [column.name, column.name])) } : null
}

/** A ban without an end is `infinity`, which is no moment. */
const textTable = (table: ForeignTable | undefined): ForeignTable | undefined =>
  table && {
    ...table,
    columns: table.columns.map((column) => (column.name === 'banned_until' ? { ...column, type: 'text' } : column)),
  }

async function* rowsOf(sql: Driver, query: ForeignQuery): AsyncGenerator<Entry> {
  for await (const value of readForeign(sql, query))
    yield { place: `${query.table.name} ${String(value['id'])}`, value }
}

/** A user who was deleted there does not come. */
function recordsOfUser(user: User): readonly Made[] {
  if (user.deleted_at) return []
  const isSso = user.is_sso_user === true || user.is_sso_user === 't' || user.is_sso_user === 'true'
  if (isSso) return [{ record: { type: 'user', id: user.id }, problem: 'SSO_USER' }]
  const { full_name: fullName, name, avatar_url: avatar, picture } = user.raw_user_meta_data ?? {}
  const person = {
    id: user.id,
    email: user.email,
    emailVerified: Boolean(user.email_confirmed_at),
    name: [fullName, name].find(isText),
    image: [avatar, picture].find(isText),
    isBanned: isBanned(user.banned_until),
    banExpires: user.banned_until,
    createdAt: user.created_at,
    updatedAt: user.updated_at,
  }
  return recordsOf(person, [], user.encrypted_password || null)
}

/** What is no moment, such as `infinity`, has no end. */
const isBanned = (until: string | null | undefined): boolean => {
  const moment = momentOf(until)
  return Boolean(until) && until !== '-infinity' && (moment === null || Date.parse(moment) > Date.now())
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

/** Ways to sign in at Supabase itself. */
const ownWays: ReadonlySet<string> = new Set(['email', 'phone'])

const others = {
  azure: 'microsoft',
  linkedin_oidc: 'linkedin',
  slack: null,
} as const

function recordsOfIdentity({ id, provider_id: accountId, user_id: userId, provider, identity_data: data }: AnIdentity) {
  if (ownWays.has(provider)) return []
  const { email, email_verified: isVerified } = data ?? {}
  const told = { email: isText(email) ? email : null, isVerified: isVerified === true }
  return [
    accountOf(userId, { name: provider, provider: providerOf(provider, others), accountId: accountId ?? id, ...told }),
  ]
}
