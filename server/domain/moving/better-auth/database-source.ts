import { hash } from 'node:crypto'
import type { Driver } from '../../../db/connect.ts'
import {
  countForeign,
  type ForeignTable,
  findFlagged,
  listForeignTables,
  readForeign,
  trueTexts,
} from '../../../db/moving/foreign-tables.ts'
import { type Changed, changedSince, markOf, textOfMark } from '../../../db/moving/marks.ts'
import type { Living, Source, SourceItem } from '../source.ts'
import { KnownRows, memberKey, type Row } from './known-rows.ts'
import { type FoundModel, findModel, type MapFile, refuseUnknownNames } from './names.ts'
import { type Model, models } from './records.ts'

export interface BetterAuthOptions {
  readonly schema: string
  readonly map: MapFile
  /** Only what changed since an earlier run, where the tables show that. */
  readonly isSince: boolean
}

const membership = ['id', 'teamId', 'userId', 'createdAt']
/** What a map file may name. */
const fieldsOf = new Map<string, readonly string[]>([
  ...models.map(({ name, fields }) => [name, name === 'user' ? [...fields, 'twoFactorEnabled'] : fields] as const),
  ['teamMember', membership],
])

/** The database of better-auth, read in one snapshot. */
export async function betterAuthSource(sql: Driver, address: string, options: BetterAuthOptions): Promise<Source> {
  const tables = await listForeignTables(sql, options.schema)
  refuseUnknownNames(tables, options.map, fieldsOf)
  const found = models.flatMap((model) => {
    const place = findModel(tables, model.name, model.fields, options.map[model.name])
    const isMeant = place && (!model.isOptional || missingIn(model, place).length === 0)
    return isMeant ? [{ model, place }] : []
  })
  for (const { model, place } of found) refuseWithoutFields(model, place)
  if (!found.some(({ model }) => model.name === 'user'))
    throw new Error(`No table of users in the schema ${options.schema}: name it with --schema or --map`)
  const { host, pathname } = new URL(address)
  let known = new KnownRows(null)
  const history = await markOf(sql)
  // Whoever could not read a column before has to read all rows once.
  const mark = history && { ...history, history: `${history.history} ${digestOf(found.map(({ place }) => place))}` }
  return {
    identity: `database ${digestOf([host, pathname, options.schema, options.map])}`,
    size: null,
    secondFactors: await countSecondFactors(sql, tables, options.map),
    unread: unreadIn(tables, found, options.map),
    canBeReadAgain: true,
    mark: (left) => mark && textOfMark(mark, left),
    async *read(_, earlier) {
      known = new KnownRows(await teamsOfMembers(sql, tables, found, options.map))
      yield* readAll(sql, found, known, options.isSince ? changedSince(earlier, mark) : null)
    },
    living: () => livingOf(sql, found, known),
    done: ({ line }) => line,
  }
}

const digestOf = (parts: readonly unknown[]): string => hash('sha256', JSON.stringify(parts))

interface Found {
  readonly model: Model
  readonly place: FoundModel
}

/** What these plugins store does not come. Whatever else is in the schema belongs to an application. */
const pluginTables = ['apikey', 'passkey', 'organizationRole']
/** Counted from the members, which come. */
const derived = ['memberCount']

function unreadIn(tables: readonly ForeignTable[], found: readonly Found[], map: MapFile): readonly string[] {
  const columns = found.flatMap(({ model: { name, isOptional }, place: { table } }) => {
    const known = findModel([table], name, [...(fieldsOf.get(name) ?? []), ...derived], {
      ...map[name],
      table: table.name,
    })
    const read = new Set(Object.values(known?.columns ?? {}))
    return isOptional
      ? []
      : table.columns.flatMap((column) => (read.has(column.name) ? [] : `${table.name}.${column.name}`))
  })
  return [...pluginTables.flatMap((model) => findModel(tables, model, [])?.table.name ?? []), ...columns]
}

/** Users whose password alone lets nobody in there. */
async function countSecondFactors(sql: Driver, tables: readonly ForeignTable[], map: MapFile): Promise<number> {
  const users = findModel(tables, 'user', ['id', 'email', 'twoFactorEnabled'], map['user'])
  const factors = findModel(tables, 'twoFactor', ['userId', 'secret'], map['twoFactor'])
  return Math.max(await countFlagged(sql, users), await countOwners(sql, factors))
}

async function countFlagged(sql: Driver, users: FoundModel | null): Promise<number> {
  const { id, twoFactorEnabled: column } = users?.columns ?? {}
  if (!users || id === undefined || column === undefined) return 0
  return countForeign(sql, users.table, id, { column, values: trueTexts })
}

async function countOwners(sql: Driver, factors: FoundModel | null): Promise<number> {
  const { userId, secret } = factors?.columns ?? {}
  return factors && userId !== undefined && secret !== undefined ? countForeign(sql, factors.table, userId) : 0
}

const missingIn = ({ needed }: Model, { columns }: FoundModel): readonly string[] =>
  needed.filter((field) => columns[field] === undefined)

function refuseWithoutFields(model: Model, place: FoundModel): void {
  const missing = missingIn(model, place).join(', ')
  if (missing !== '')
    throw new Error(`The table ${place.table.name} has no column for ${missing} of ${model.name}: name them with --map`)
}

async function* readAll(
  sql: Driver,
  found: readonly Found[],
  known: KnownRows,
  changed: Changed | null,
): AsyncGenerator<SourceItem> {
  let line = 0
  for (const { model, place } of found) {
    if (model.name === 'verification') known.verified = await findVerified(sql, place, placeOf(found, 'user'))
    const { latestBy, ownedBy: field } = model
    const users = placeOf(found, 'user')
    const owner = field !== undefined && users ? { field, place: users } : undefined
    const query = { ...place, latestBy, owner, changed: isWhole(model, known) ? null : changed }
    for await (const row of readForeign(sql, query)) {
      const record = model.record(row, known)
      if (!record) continue
      known.note(model.name, row, record)
      line += 1
      yield { line, position: String(line), record, altered: model.lost?.(row) ?? [] }
    }
  }
}

/** Who is in which team stands in another table. */
const isWhole = (model: Model, known: KnownRows): boolean =>
  model.isWhole === true || (model.name === 'member' && known.hasTeams)

const placeOf = (found: readonly Found[], name: string): FoundModel | undefined =>
  found.find(({ model }) => model.name === name)?.place

/** The users of the links whose address is verified. */
async function findVerified(sql: Driver, links: FoundModel, users?: FoundModel): Promise<ReadonlySet<string>> {
  const { id, emailVerified: flag } = users?.columns ?? {}
  if (!users || id === undefined || flag === undefined) return new Set()
  const owners = new Set<unknown>()
  for await (const { value } of readForeign(sql, links)) owners.add(value)
  return new Set(await findFlagged(sql, users.table, { id, flag }, owners))
}

/** What was there when everything had been read. Sessions that did not change were not. */
async function livingOf(sql: Driver, found: readonly Found[], { links }: KnownRows): Promise<Living> {
  const [users, sessions] = [placeOf(found, 'user'), placeOf(found, 'session')]
  const factors = placeOf(found, 'twoFactor')
  return {
    user: users ? await idsIn(sql, users) : new Set(),
    ...(sessions && { session: await idsIn(sql, sessions) }),
    ...(factors && { secondFactor: await idsIn(sql, factors) }),
    ...(placeOf(found, 'verification') && { link: links }),
  }
}

async function idsIn(sql: Driver, { table, columns: { id = 'id' } }: FoundModel): Promise<ReadonlySet<unknown>> {
  const ids = new Set<unknown>()
  for await (const row of readForeign(sql, { table, columns: { id } })) ids.add(row['id'])
  return ids
}

/** The rows of the table of team members, by user and organization. Null in a database without one. */
async function teamsOfMembers(
  sql: Driver,
  tables: readonly ForeignTable[],
  found: readonly Found[],
  map: MapFile,
): Promise<ReadonlyMap<string, readonly Row[]> | null> {
  const place = findModel(tables, 'teamMember', membership, map['teamMember'])
  const team = found.find(({ model }) => model.name === 'team')
  if (!place || !team) return null
  const organizations = new Map<unknown, unknown>()
  for await (const { id, organizationId } of readForeign(sql, team.place)) organizations.set(id, organizationId)
  const joined = new Map<string, Row[]>()
  for await (const row of readForeign(sql, place)) {
    const key = memberKey(row['userId'], organizations.get(row['teamId']))
    joined.set(key, [...(joined.get(key) ?? []), row])
  }
  return joined
}
