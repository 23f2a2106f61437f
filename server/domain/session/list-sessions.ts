import type { Output } from '../../../shared/contract/call.ts'
import type { listSessions as Call } from '../../../shared/contract/session.ts'
import { listUserSessions } from '../../db/user-sessions.ts'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../request/client.ts'

/** Other sessions show a handle in place of their token: one stolen session cannot read the others. */
export async function listSessions({ sql }: Deps, { session, user }: Caller): Promise<Output<typeof Call>> {
  const rows = await listUserSessions(sql, user.id)
  return rows.map((row) => ({ ...row, token: row.id === session.id ? session.token : row.id }))
}
