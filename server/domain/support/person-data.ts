import type { exportAccount as AccountCall } from '../../../shared/contract/account.ts'
import type { Input, Output } from '../../../shared/contract/call.ts'
import type { exportUser as UserCall } from '../../../shared/contract/support.ts'
import type { FullUser } from '../../../shared/entities.ts'
import type { PersonData } from '../../../shared/person-data.ts'
import type { ListedMail } from '../../../shared/support.ts'
import { insertAuditEvent } from '../../db/audit-events.ts'
import { withCommit } from '../../db/connect.ts'
import { readPersonData } from '../../db/person-data.ts'
import { alwaysDone, logEventsOnceCommitted } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import type { Caller, Client } from '../../request/client.ts'
import { withAdminRightOver } from '../admin/with-admin-right.ts'
import { openedMail } from './mails.ts'

/** Rows of each list in one answer. */
const most = 1000

/** Recorded, so that a person learns of a copy that a thief of their session made. */
export async function exportAccount(deps: Deps, client: Client, caller: Caller): Promise<Output<typeof AccountCall>> {
  const { user, provenAddress } = caller
  const data = await dataOf(deps, user, { mailbox: provenAddress?.email ?? null, isOwn: true })
  await logEventsOnceCommitted(
    (act) => insertAuditEvent(deps.sql, client.event(act, 'account-exported', { userId: user.id })),
    alwaysDone,
  )
  return data
}

export async function exportUser(
  deps: Deps,
  client: Client,
  caller: Caller,
  { userId }: Input<typeof UserCall>,
): Promise<Output<typeof UserCall>> {
  const right = { permission: 'user:export', failure: 'USER_EXPORT_FORBIDDEN', userId } as const
  const room = client.requireRoom(null, 'user-exported')
  const user = await withAdminRightOver(deps, caller, { ...right, room }, async (tx, target, actor) => {
    const event = client.event(tx, 'user-exported', { userId: actor.id, targetUserId: userId })
    await withCommit(tx, (last) => insertAuditEvent(last, event))
    return target
  })
  return dataOf(deps, user, { mailbox: user.email, isOwn: false })
}

interface View {
  readonly mailbox: string | null
  readonly isOwn: boolean
}

async function dataOf(deps: Deps, user: FullUser, view: View): Promise<PersonData> {
  const { mails, ...lists } = await readPersonData(deps.sql, { id: user.id, most: most + 1, ...view })
  // Why a mail failed is about our own mail server.
  const told = (mail: ListedMail) => (view.isOwn ? { ...mail, lastError: null } : mail)
  const all = { ...lists, mails: mails.map((mail) => told(openedMail(deps, mail))) }
  const incomplete = Object.entries(all).flatMap(([name, rows]) => (rows.length > most ? [name] : []))
  const cut = Object.fromEntries(Object.entries(all).map(([name, rows]) => [name, rows.slice(0, most)]))
  return { user, ...(cut as typeof all), ...(incomplete.length > 0 && { incomplete }) }
}
