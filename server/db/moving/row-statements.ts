import type { Kind } from './kinds.ts'

/** A row to be stored: its line in the source, and its values by column. */
export interface GivenRow {
  readonly line: number
  readonly id: string
  readonly values: Readonly<Record<string, unknown>>
  /** The columns that the source says something of. */
  readonly given: readonly string[]
  /** When the member joined each team, where that is known. */
  readonly joins?: readonly { readonly team_id: string; readonly user_id: string; readonly created_at: string }[]
}

export const textOf = (rows: readonly GivenRow[], namesGiven = true): string =>
  JSON.stringify(rows.map(({ line, given, values }) => ({ line, ...(namesGiven && { given }), ...values })))

export const quoted = (name: string): string => `"${name}"`

const named = (condition: string): string => condition.replaceAll('$.', 'g.')

/** Not jsonb, which would order the keys of metadata anew. */
export const givenRows = ({ columns }: Kind): string =>
  `json_to_recordset($1::text::json) as g (line integer, given text[], derives boolean, owner_is_new boolean, ${Object.values(
    columns,
  )
    .map(([name, type]) => `${quoted(name)} ${type}`)
    .join(', ')})`

export function insertText(kind: Kind): string {
  const names = Object.values(kind.columns).map(([name]) => name)
  // One that somebody deletes meanwhile is there as long as what tells of it is not.
  const isNew = `not exists (select from ${kind.table} earlier where earlier.id = g.id)`
  const conditions = kind.needs.map(([, condition]) => named(condition))
  return `
    insert into ${kind.table} as t (${names.map(quoted).join(', ')})
    select ${names.map((name) => valueOf(kind, name)).join(', ')} from ${givenRows(kind)}
    where ${[isNew, ...conditions].join(' and ')}
    order by g.line
    on conflict do nothing
    returning ${returned(kind)}
  `
}

/** The id, and the columns that may be stored otherwise than they are given. */
const returned = ({ reduced = {} }: Kind): string =>
  ['id', ...Object.keys(reduced)].map((name) => `t.${quoted(name)}`).join(', ')

export function valueOf({ derived, reduced = {} }: Kind, name: string): string {
  const expression = derived?.columns[name]
  const given = named(reduced[name] ?? `$.${quoted(name)}`)
  return expression === undefined ? given : `case when g.derives then ${named(expression)} else ${given} end`
}

/** Null for a kind of which no row ends because of another. */
export const endText = (kind: Kind): string | null =>
  kind.ends
    ? `update ${kind.table} t set ${kind.ends.set} from ${givenRows(kind)} where ${named(kind.ends.where)}`
    : null

export function updateText(kind: Kind): string {
  const { table, kept = [], replaceable = 'true', stranger = 'false' } = kind
  const set = changeable(kind).map(([name]) => `${quoted(name)} = ${updatedValue(kind, name)}`)
  // One that belongs to somebody else is another row.
  const same = kept.map((name) => `t.${quoted(name)} is not distinct from g.${quoted(name)}`)
  const allowed = new Set(
    [replaceable, `not (${stranger})`, ...kind.needs.map(([, condition]) => condition)].map(named),
  )
  const conditions = ['t.id = g.id', ...same, ...allowed, `(${isOther(kind)} or ${isRenewed(kind)})`]
  return `
    update ${table} t set ${set.join(', ')} from ${givenRows(kind)} where ${conditions.join(' and ')} returning ${returned(kind)}
  `
}

function updatedValue(kind: Kind, name: string): string {
  const { derived } = kind
  const isChanged = derived?.columns[name] === undefined ? `'${name}' = any(g.given)` : named(derived.isChanged)
  return `case when ${isChanged} then ${valueOf(kind, name)} else t.${quoted(name)} end`
}

/**
 * Locks whom those of the rows belong to that will be stored, in a statement of its own: the next one sees what was done
 * to them meanwhile, and what is done later waits, and sees the rows.
 */
export function holdText(kind: Kind, isUpdating: boolean): string | null {
  const { table, heldBy, replaceable = 'true', needs } = kind
  // A row that is there and is not replaced needs no lock, and nobody has one that is not there.
  if (!heldBy || (heldBy.column === 'id' && !isUpdating)) return null
  const isReplaced = `${named(replaceable)} and (${isOther(kind)} or ${isRenewed(kind)})`
  const isLeft = isUpdating ? `not (${isReplaced})` : 'true'
  const allowed = needs.filter(([reason]) => reason === 'CHANGED_HERE').map(([, condition]) => named(condition))
  const isKept = `exists (select from ${table} t where t.id = g.id and ${isLeft})`
  return `
    select from ${heldBy.table} p where p.id in (
      select g.${quoted(heldBy.column)} from ${givenRows(kind)} where ${[...allowed, `not ${isKept}`].join(' and ')}
    )
    order by p.id for no key update
  `
}

const changeable = ({ columns, kept = [] }: Kind) =>
  Object.values(columns).filter(([name]) => name !== 'id' && !kept.includes(name))

/** Whether a field is stored that is not as it is given. What is sealed differs each time. */
function isOther(kind: Kind): string {
  const compared = changeable(kind).filter(([name, type]) => type !== 'bytea' && !dated.has(name))
  const checks = compared.map(
    ([name, type]) =>
      `t.${quoted(name)}${comparable(type)} is distinct from (${updatedValue(kind, name)})${comparable(type)}`,
  )
  return `(${['false', ...checks].join(' or ')})`
}

/** Whether it is newer, or cannot be compared. */
function isRenewed(kind: Kind): string {
  const checks = changeable(kind).flatMap(([name, type]) => {
    if (dated.has(name)) return [`('${name}' = any(g.given) and t.${name} is distinct from g.${name}::timestamptz(3))`]
    const isAny = `num_nonnulls(t.${quoted(name)}, g.${quoted(name)}) > 0`
    return type === 'bytea' ? [`('${name}' = any(g.given) and ${isAny})`] : []
  })
  return `(${['false', ...checks].join(' or ')})`
}

export function reasonText(kind: Kind, isUpdating: boolean): string {
  const [self, ...others] = kind.meets.map((met) => whenMet(kind, met))
  const stranger = whenMet(kind, [isUpdating ? 'STRANGER' : 'ID_TAKEN', `t.id = $.id and ${kind.stranger ?? 'false'}`])
  const reason = `case ${[stranger, self, ...missing(kind), ...others].join(' ')} else 'REFUSED' end`
  return `
    select g.line, g.id, ${isUpdating ? `coalesce(${keepingReason(kind)}, ${reason})` : reason} as reason
    from ${givenRows(kind)} order by g.line
  `
}

const whenMet = ({ table }: Kind, [reason, condition]: readonly [string, string]): string =>
  `when exists (select from ${table} t where ${named(condition)}) then '${reason}'`

const missing = ({ needs }: Kind): readonly string[] =>
  needs.map(([reason, condition]) => `when not ${named(condition)} then '${reason}'`)

/** Why a row that is there does not become what is given. Null where it is that, or is not there. */
function keepingReason(kind: Kind): string {
  const { table, meets, stranger, replaceable = 'true' } = kind
  const [[, present] = ['', 'false'], ...others] = meets
  const self = stranger === undefined ? present : `t.id = $.id and not (${stranger})`
  const taken = others.map(([reason, condition]) => whenMet(kind, [reason, `t.id <> $.id and ${condition}`]))
  const whens = [`when not (${named(replaceable)}) then 'CHANGED_HERE'`, ...missing(kind), ...taken]
  return `(select case ${whens.join(' ')} end from ${table} t where ${named(self)} and ${isOther(kind)})`
}

export const joinText = `
  update team_members m set created_at = j.created_at
  from json_to_recordset($1::text::json) as j (team_id text, user_id text, created_at timestamptz)
  where m.team_id = j.team_id and m.user_id = j.user_id
`

export const comparable = (type: string): string =>
  type.startsWith('json') ? '::text' : type === 'timestamptz' ? '::timestamptz(3)' : ''
/** A trigger of another row, or the statement itself, may have set them to the moment of the transaction. */
export const dated: ReadonlySet<string> = new Set(['updated_at', 'mailbox_proven_at'])
