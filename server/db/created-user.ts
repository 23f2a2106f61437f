import type postgres from 'postgres'
import { FullUser } from '../../shared/entities.ts'
import { findRow } from './checked-row.ts'
import { computedColumns, databaseDefault, fieldsOf } from './columns.ts'
import type { Sql } from './connect.ts'
import type { MailOutcome, NewLink } from './links.ts'
import { newOwnFields } from './own-fields.ts'

/** Fields that take the database's defaults for every new user: the times, and no ban. */
export const newUserDefaults = {
  createdAt: databaseDefault,
  updatedAt: databaseDefault,
  banned: databaseDefault,
  banReason: databaseDefault,
  banExpires: databaseDefault,
} as const

/** What is known of every new person. */
export interface NewPerson extends Pick<FullUser, 'id' | 'email' | 'name' | 'image' | 'language' | 'fields'> {
  readonly roles: readonly string[]
}

/** Their columns, without whether the address is verified. */
export const newPersonColumns = (sql: Sql, { id, email, name, image, language, roles, fields }: NewPerson) =>
  ({
    ...newUserDefaults,
    id,
    email,
    name,
    image,
    language,
    role: sql`${roles}::text[]`,
    fields: newOwnFields(sql, fields),
  }) as const

/** The result of creating a user: the user, and the ids of the sessions that ended. */
export interface CreatedUser extends MailOutcome {
  readonly user: FullUser
  readonly ended: readonly string[]
}

/**
 * Runs the steps that create a user: `made` inserts them, `ended` ends sessions, and the link is counted. Null when no
 * user was created.
 */
export async function findCreatedUser(
  sql: Sql,
  id: string,
  link: NewLink | null,
  steps: postgres.Fragment,
): Promise<CreatedUser | null> {
  const outcome = computedColumns<Omit<CreatedUser, 'user'>>(sql, {
    ended: sql`array(select id from ended)`,
    withheldBy: link ? sql`(select refused_by from link_counted)` : sql`null`,
  })
  const row = await findRow(sql, id, sql`select ${fieldsOf(sql, FullUser)}, ${outcome} from made`, steps)
  if (!row) return null
  const { ended, withheldBy, ...user } = row
  return { user, ended, withheldBy }
}
