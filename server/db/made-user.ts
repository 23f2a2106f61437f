import type postgres from 'postgres'
import { User } from '../../shared/entities.ts'
import { byDatabase, computed, fieldsOf } from './columns.ts'
import type { Sql } from './connect.ts'
import type { NewLink, Withheld } from './links.ts'
import { findOwn } from './own-row.ts'

/** What every new user leaves to the database: nobody has kept them out yet. */
export const newlyMade = {
  createdAt: byDatabase,
  updatedAt: byDatabase,
  banned: byDatabase,
  banReason: byDatabase,
  banExpires: byDatabase,
} as const

/** What a new user's statement did: the user, and the ids of the sessions that it ended. */
export interface CreatedUser extends Withheld {
  readonly user: User
  readonly ended: readonly string[]
}

/** Runs the steps, of which `made` inserts the user, `ended` ends sessions and the link counts; null where nobody was made. */
export async function findMade(
  sql: Sql,
  id: string,
  link: NewLink | null,
  steps: postgres.Fragment,
): Promise<CreatedUser | null> {
  const outcome = computed<Omit<CreatedUser, 'user'>>(sql, {
    ended: sql`array(select id from ended)`,
    withheldBy: link ? sql`(select refused_by from link_counted)` : sql`null`,
  })
  const row = await findOwn(sql, id, sql`select ${fieldsOf(sql, User)}, ${outcome} from made`, steps)
  if (!row) return null
  const { ended, withheldBy, ...user } = row
  return { user, ended, withheldBy }
}
