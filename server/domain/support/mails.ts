import type { Input, Output } from '../../../shared/contract/call.ts'
import type * as calls from '../../../shared/contract/support.ts'
import { Failure } from '../../../shared/failure.ts'
import type { ListedMail } from '../../../shared/support.ts'
import { withCommit } from '../../db/connect.ts'
import {
  findStoredMail,
  listStoredMails,
  makeMailDue,
  releaseMails as release,
  type SealedRow,
} from '../../db/supported-user.ts'
import type { Deps } from '../../deps.ts'
import { recipientOf } from '../../mail/compose.ts'
import { mailLease } from '../../mail/mail-transport.ts'
import { addLateFacts, withdrawEvent } from '../../request/audit-event.ts'
import type { Caller, Client } from '../../request/client.ts'
import { mapPage, type PageOf, readPageRequest, toPage } from '../../request/paging.ts'
import { requirePlatformPermission } from '../admin/permission.ts'
import { withAdminRight } from '../admin/with-admin-right.ts'

/** Mails per page. */
const maxMails = 100

/** From the primary, since a mail goes when it is sent. */
export async function listMails(
  deps: Deps,
  caller: Caller,
  { state, userId, ...ask }: Input<typeof calls.listMails>,
): Promise<PageOf<ListedMail>> {
  requirePlatformPermission(deps, caller, 'mail:list', 'MAIL_LIST_FORBIDDEN')
  const page = readPageRequest(ask, maxMails)
  return mapPage(
    toPage(await listStoredMails(deps.sql, { state: state ?? null, userId: userId ?? null, page }), page),
    (row) => openedMail(deps, row),
  )
}

export const openedMail = ({ keys }: Pick<Deps, 'keys'>, { payload, ...mail }: SealedRow): ListedMail => ({
  ...mail,
  to: recipientOf({ id: mail.id, payload }, keys.outbox),
})

/** A mail that another process may be sending is left as it is: it would arrive twice. */
export async function resendMail(
  deps: Deps,
  client: Client,
  caller: Caller,
  { mailId }: Input<typeof calls.resendMail>,
): Promise<Output<typeof calls.resendMail>> {
  const right = { permission: 'mail:resend', failure: 'MAIL_RESEND_FORBIDDEN' } as const
  const room = client.requireRoom(null, 'mail-resent')
  const mail = await withAdminRight(deps, caller, { ...right, room }, async (tx, actor) => {
    const found = await findStoredMail(tx, mailId)
    if (!found) throw new Failure('MAIL_NOT_FOUND')
    if (found.state === 'held') throw new Failure('MAIL_HELD')
    const event = client.event(tx, 'mail-resent', { userId: actor.id, target: mailId })
    const due = await withCommit(tx, (last) => makeMailDue(last, mailId, mailLease, event))
    if (!due) withdrawEvent(event)
    return due ?? found
  })
  deps.outbox.nudge()
  return openedMail(deps, mail)
}

export async function releaseMails(
  deps: Deps,
  client: Client,
  caller: Caller,
): Promise<Output<typeof calls.releaseMails>> {
  const right = { permission: 'mail:release', failure: 'MAIL_RELEASE_FORBIDDEN' } as const
  const room = client.requireRoom(null, 'mails-released')
  const done = await withAdminRight(deps, caller, { ...right, room }, async (tx, actor) => {
    const event = client.event(tx, 'mails-released', { userId: actor.id, count: 0 })
    const released = await withCommit(tx, (last) => release(last, event))
    if (released > 0) addLateFacts(event, { count: released })
    else withdrawEvent(event)
    return { released }
  })
  deps.outbox.nudge()
  return done
}
