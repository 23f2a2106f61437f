/** A table that is moved, with its fields in the order of the file. `$`: the row that is given; `t`: the table's. */
export interface Kind {
  readonly table: string
  /** The columns and their types by field. */
  readonly columns: Readonly<Record<string, readonly [column: string, type: string]>>
  /** What has to hold for a row to be inserted, and the reason if it does not. */
  readonly needs: readonly (readonly [reason: string, condition: string])[]
  /** Which stored rows are in the way. The first is the row itself, from an earlier run. */
  readonly meets: readonly (readonly [reason: string, condition: string])[]
  /** Rows that are never exported. */
  readonly exported?: string
  /** Columns that an update leaves as they are. */
  readonly kept?: readonly string[]
  /** When an update may replace the row. Else it was changed here, and that stays. */
  readonly replaceable?: string
  /** Columns whose value is computed where `derives` is set in the row. */
  readonly derived?: Readonly<Record<string, string>>
}

export const userIsThere = ['USER_UNKNOWN', 'exists (select from users u where u.id = $.user_id)'] as const
/** Where what names it can change: the same id from the same moment is the same one. */
export const sameMoment = "('created_at' = any($.given) and t.created_at = $.created_at::timestamptz(3))"
/**
 * Once something was done here by or to somebody, their ways in are decided here: what a proof, a reset, a ban or a
 * deletion ended does not come again. Strangers can only ask and fail.
 */
const untouched = (user: string): string => `not exists (
  select from audit_events e where e.user_id = ${user} and e.event !~ '-(asked|failed|refused|wrong)$'
)`
export const isUntouched = (user: string) => ['CHANGED_HERE', untouched(user)] as const
export const idTaken = ['ID_TAKEN', 't.id = $.id'] as const
