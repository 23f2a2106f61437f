import type { ForeignTable } from '../../../db/moving/foreign-tables.ts'

/** Which table and columns a model of better-auth has, by the names of its fields. */
interface ModelMap {
  readonly table?: string | undefined
  readonly columns?: Readonly<Record<string, string>> | undefined
}

/** What the map file names; the rest is found. */
export type MapFile = Readonly<Record<string, ModelMap>>

const plain = (name: string): string => name.replaceAll(/[^A-Za-z0-9]/g, '').toLowerCase()

/** The same name in camel or snake case, in the singular or plural. */
const isNamed = (name: string, model: string): boolean => [plain(model), `${plain(model)}s`].includes(plain(name))

export interface FoundModel {
  readonly table: ForeignTable
  readonly columns: Readonly<Record<string, string>>
}

/** The table of a model and those of its fields that it has. Null without the table. */
export function findModel(
  tables: readonly ForeignTable[],
  model: string,
  fields: readonly string[],
  told: ModelMap = {},
): FoundModel | null {
  const candidates = tables.filter(({ name }) =>
    told.table === undefined ? isNamed(name, model) : name === told.table,
  )
  const found = candidates.map((table) => ({ table, columns: columnsOf(table, fields, told.columns ?? {}) }))
  // Where another application has a table of nearly the same name, the one with more of the fields is meant.
  return found.toSorted((one, other) => sizeOf(other) - sizeOf(one))[0] ?? null
}

const sizeOf = ({ columns }: FoundModel): number => Object.keys(columns).length

const columnsOf = (table: ForeignTable, fields: readonly string[], told: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    fields.flatMap((field): [string, string][] => {
      const named = told[field]
      const column = table.columns.find(({ name }) =>
        named === undefined ? plain(name) === plain(field) : name === named,
      )
      return column ? [[field, column.name]] : []
    }),
  )

/**
 * Throws for a name in the map file that is none of `fields`, by model, or that the database lacks: what it stands for
 * would not come. For a table or column that was found, the rest is found too.
 */
export function refuseUnknownNames(
  tables: readonly ForeignTable[],
  map: MapFile,
  fields: ReadonlyMap<string, readonly string[]>,
): void {
  for (const [model, told] of Object.entries(map)) {
    const known = fields.get(model)
    if (!known) throw new Error(`--map names ${model}, but there are only ${[...fields.keys()].join(', ')}`)
    const place = findModel(tables, model, known, told)
    if (!place) throw new Error(`--map names ${model}, but there is no table ${told.table ?? `of ${model}`}`)
    for (const [field, column] of Object.entries(told.columns ?? {})) {
      if (!known.includes(field))
        throw new Error(`--map names ${field} of ${model}, but only these are read: ${known.join(', ')}`)
      if (place.columns[field] === undefined)
        throw new Error(
          `--map names ${column} for ${field} of ${model}, but the table ${place.table.name} has no such column`,
        )
    }
  }
}
