import type { getUser as GetUserCall, updateManagedUser as UpdateUserCall } from '../../../shared/contract/admin.ts'
import type { Input } from '../../../shared/contract/call.ts'
import { canonicalEmail, isEmail } from '../../../shared/email.ts'
import type { FullUser } from '../../../shared/entities.ts'
import { Failure } from '../../../shared/failure.ts'
import { type Actor, findActorAndTarget, hasAdmin, type Target } from '../../db/admins.ts'
import type { Sql } from '../../db/connect.ts'
import type { Notice } from '../../db/links.ts'
import { updateManagedUser as updateProfile } from '../../db/managed-users.ts'
import { failOnUniqueViolation } from '../../db/outage.ts'
import type { Deps } from '../../deps.ts'
import type { Caller, Client } from '../../request/client.ts'
import { ProvenAddress } from '../../request/proven-address.ts'
import { finishRecorded } from '../audit/record.ts'
import { createAlert } from '../mails.ts'
import { changedNames } from '../own-fields.ts'
import {
  adminRuleOf,
  hasEveryPermissionOf,
  isAdmin,
  isGranted,
  isPrivileged,
  losesActing,
  type PlatformPerson,
  requirePlatformPermission,
} from './permission.ts'
import { requireHuman, withAdminRightOver } from './with-admin-right.ts'

/** Administrators see every user, as in the list. */
export async function getUser(deps: Deps, caller: Caller, { id }: Input<typeof GetUserCall>): Promise<FullUser> {
  requirePlatformPermission(deps, caller, 'user:list', 'USER_VIEW_FORBIDDEN')
  const { target } = await findActorAndTarget(deps.sql, { sessionId: caller.session.id, userId: id })
  if (!target) throw new Failure('NO_SUCH_USER')
  return target
}

type Change = Input<typeof UpdateUserCall>['data']

/** Changes the profile, which gives nobody a right, or the address, which needs rights of its own. */
export async function updateManagedUser(
  deps: Deps,
  client: Client,
  caller: Caller,
  { userId, data }: Input<typeof UpdateUserCall>,
): Promise<FullUser> {
  const right = { permission: 'user:update', failure: 'USER_UPDATE_FORBIDDEN', userId } as const
  const room = client.requireRoom(null, 'user-updated')
  requirePlatformPermission(deps, caller, right.permission, right.failure)
  const asked = changedNames(data)
  if (asked.length === 0) throw new Failure('NO_DATA_TO_UPDATE')
  const given = withCanonicalEmail(data)
  const user = await withAdminRightOver(deps, caller, { ...right, room }, async (tx, target, actor) => {
    requireHuman(target)
    requireAddressRights(deps, actor, target, given)
    const fields = withVerification(target, given)
    const after = personAfter(target, fields)
    if (actor.id === userId) await requireOtherAdmin(deps, tx, target, after)
    const about = { userId: actor.id, targetUserId: userId, fields: asked.join(',') }
    const effects = {
      notice: noticeOf(deps, target, fields),
      endsActing: losesActing(deps.config, target, after),
      endsActedAs: isPrivileged(deps.config, after),
    }
    // The statements fail together, and either error may be reported.
    return failOnUniqueViolation('users_email_key', 'USER_EXISTS_ALREADY', () =>
      finishRecorded(tx, client.event(tx, 'user-updated', about), (sql) => updateProfile(sql, userId, fields, effects)),
    )
  })
  deps.outbox.nudge()
  return user
}

function withCanonicalEmail({ email, ...data }: Change): Change {
  if (email === undefined) return data
  if (!isEmail(email)) throw new Failure('INVALID_EMAIL')
  return { ...data, email: canonicalEmail(email) }
}

const hasNewAddress = ({ email }: Pick<FullUser, 'email'>, change: Change): boolean =>
  change.email !== undefined && change.email !== email

/** A new address is unverified, unless the change says more. */
const withVerification = (target: Target, change: Change): Change =>
  hasNewAddress(target, change) ? { emailVerified: false, ...change } : change

/**
 * Whoever sets the address can reset the password by it. One that counts as proven is as powerful as a role, since
 * ADMIN_EMAILS may name it.
 */
function requireAddressRights({ config }: Deps, actor: Actor, target: Target, change: Change): void {
  const { email = target.email, emailVerified } = change
  const isAboutAddress = hasNewAddress(target, change) || emailVerified !== undefined
  if (!isAboutAddress) return
  if (!isGranted(config, actor, 'user:set-email')) throw new Failure('USER_EMAIL_FORBIDDEN')
  if (!emailVerified) return
  const after = { ...target, email, provenAddress: ProvenAddress.statedByAdmin(email) }
  const mayGive = isGranted(config, actor, 'user:set-role') && hasEveryPermissionOf(config, actor, after)
  if (!mayGive) throw new Failure('USER_ROLE_FORBIDDEN')
}

/**
 * For changes of one's own profile: whoever may change that of an administrator is one, and stays. Whoever is an
 * administrator only by a proven address gives that up with it, and may only while another one exists who is not
 * banned. Whether that one can still sign in is not checked.
 */
async function requireOtherAdmin({ config }: Deps, tx: Sql, before: Target, after: PlatformPerson): Promise<void> {
  if (!isAdmin(config, before) || isAdmin(config, after)) return
  if (!(await hasAdmin(tx, adminRuleOf(config), before.id))) throw new Failure('LAST_ADMIN')
}

/**
 * What the person's rights depend on, once the change is made. An address that is declared verified is proven for their
 * password alone; without one, only what was proven before counts.
 */
function personAfter(before: Target, change: Change): PlatformPerson {
  const { email = before.email, emailVerified } = change
  const given = emailVerified && before.hasPassword ? ProvenAddress.statedByAdmin(email) : null
  const isKept = emailVerified !== false && !hasNewAddress(before, change)
  return { ...before, provenAddress: given ?? (isKept ? before.provenAddress : null) }
}

function noticeOf(deps: Deps, target: Target, change: Change): Notice | null {
  const { email: newEmail } = change
  return newEmail !== undefined && hasNewAddress(target, change)
    ? createAlert(deps, { kind: 'email-changed', to: target.email, newEmail })
    : null
}
