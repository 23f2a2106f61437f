import { isUntouchedUser, isWithout } from './deciding-events.ts'

/** A table that is moved, with its fields in the order of the file. `$`: the row that is given; `t`: the table's. */
export interface Kind {
  readonly table: string
  /** The columns and their types by field. */
  readonly columns: Readonly<Record<string, readonly [column: string, type: string]>>
  /** What has to hold for a row to be inserted, and the reason if it does not. */
  readonly needs: readonly (readonly [reason: string, condition: string])[]
  /** Which stored rows are in the way. The first is the row itself, from an earlier run. */
  readonly meets: readonly (readonly [reason: string, condition: string])[]
  /** When the row of the same id is evidently somebody else's. */
  readonly stranger?: string
  /** Which stored rows end because of the given one, and how: they would be in its way, and are over. */
  readonly ends?: { readonly where: string; readonly set: string }
  /** Whose row is locked while such a row is stored: all that is done to them here locks it first. The column names them. */
  readonly heldBy?: { readonly table: 'users' | 'organizations'; readonly column: string }
  /** Rows that are never exported. */
  readonly exported?: string
  /** Columns that an update leaves as they are. */
  readonly kept?: readonly string[]
  /** When an update may replace the row. Else it was changed here, and that stays. */
  readonly replaceable?: string
  /** Columns that are stored without what they name that is not there. */
  readonly reduced?: Readonly<Record<string, string>>
  readonly derived?: {
    /** Columns whose value is computed where `derives` is set in the row. They say something only together. */
    readonly columns: Readonly<Record<string, string>>
    /** Whether an update changes them. */
    readonly isChanged: string
  }
}

export const userIsThere = ['USER_UNKNOWN', 'exists (select from users u where u.id = $.user_id)'] as const
export const organizationIsThere = [
  'ORGANIZATION_UNKNOWN',
  'exists (select from organizations o where o.id = $.organization_id)',
] as const
/** Where what names it can change: the same id from the same moment is the same one. */
export const sameMoment = "('created_at' = any($.given) and t.created_at = $.created_at::timestamptz(3))"
export const otherMoment =
  "('created_at' = any($.given) and t.created_at is distinct from $.created_at::timestamptz(3))"
export const isUntouched = ['CHANGED_HERE', isUntouchedUser('$.id')] as const
/** Nothing was done to a user whom the same transaction brought. */
export const isOwnerUntouched = ['CHANGED_HERE', `($.owner_is_new is true or ${isUntouchedUser('$.user_id')})`] as const
export const idTaken = ['ID_TAKEN', 't.id = $.id'] as const

const memberKept = isWithout(
  ['member-added', 'member-removed', 'member-left', 'role-changed', 'team-member-added', 'team-member-removed'],
  '$.organization_id',
  'e.user_id = $.user_id',
)
const teamKept = isWithout(['team-updated', 'team-deleted'], '$.organization_id', 'e.target = $.id')
export const isMemberKept = ['CHANGED_HERE', memberKept] as const
export const isTeamKept = ['CHANGED_HERE', teamKept] as const
export const isOrganizationThere = ['CHANGED_HERE', isWithout(['organization-deleted'], '$.id')] as const
export const isOrganizationKept = isWithout(
  [
    'organization-updated',
    'organization-deleted',
    'organization-role-created',
    'organization-role-updated',
    'organization-role-deleted',
  ],
  '$.id',
)
