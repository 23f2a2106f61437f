import type { deleteUser as DeleteUserCall, updateUser as UpdateUserCall } from '../../../shared/contract/account.ts'
import type { Input, Output } from '../../../shared/contract/call.ts'
import { Failure } from '../../../shared/failure.ts'
import { createDeleteToken } from '../../crypto/token.ts'
import { inOneTrip, withCommit } from '../../db/connect.ts'
import { deletionLocks, requireAllLocked, type UserDeletion, deleteUser as write } from '../../db/delete-user.ts'
import type { CountersToSettle } from '../../db/limits.ts'
import { storeLink } from '../../db/links.ts'
import { alwaysDone, isRowFound, logEventsOnceCommitted, transactionWithEvents } from '../../db/transaction.ts'
import { updateProfile } from '../../db/users.ts'
import { hasVerification } from '../../db/verifications.ts'
import type { Deps } from '../../deps.ts'
import type { Caller, Client } from '../../request/client.ts'
import { ProvenAddress } from '../../request/proven-address.ts'
import { lockLastAdmin } from '../admin/permission.ts'
import { runAfterHook, runBeforeHook } from '../hooks.ts'
import { linkIdentifierOf, logWithheldMail, ownMailLimits, tokenLink } from '../mails.ts'
import { announceEndings, runAfterEndings, runBeforeEndings } from '../organization/endings.ts'
import { changedNames } from '../own-fields.ts'
import { withOwnPassword } from './verify-password.ts'

export interface DeleteUserResult {
  readonly answer: Output<typeof DeleteUserCall>
  readonly isDeleted: boolean
}

/**
 * Requires a mailed token, a password or a fresh session. DELETE_USER_MODE decides whether the user is deleted at once
 * or by a mailed link.
 */
export async function deleteUser(
  deps: Deps,
  client: Client,
  caller: Caller,
  input: Input<typeof DeleteUserCall>,
): Promise<DeleteUserResult> {
  const { password } = input
  if (!deps.config.DELETE_USER) throw new Failure('DELETE_USER_OFF')
  if (!password) return deleteOrSendLink(deps, client, caller, { ...input, counters: null })
  return withOwnPassword(deps, client, { caller, password }, ({ counters }) =>
    deleteOrSendLink(deps, client, caller, { ...input, counters }),
  )
}

/** The counters of the password that was proven. Null without one. */
type Proof = { readonly counters: CountersToSettle | null }

async function deleteOrSendLink(
  deps: Deps,
  client: Client,
  caller: Caller,
  input: Input<typeof DeleteUserCall> & Proof,
): Promise<DeleteUserResult> {
  const { token, counters } = input
  if (token) return deleteByToken(deps, client, caller, { token, counters })
  if (!counters && !caller.isFresh) throw new Failure('SESSION_TOO_OLD')
  if (deps.config.DELETE_USER_MODE === 'email') return sendLink(deps, client, caller, input)
  return deleteWithHooks(deps, client, caller, { identifier: null, counters })
}

/** Deletes the user by the mailed link. Requires a session of the user the link was made for. */
export async function deleteByLink(
  deps: Deps,
  client: Client,
  caller: Caller | null,
  token: string,
): Promise<DeleteUserResult> {
  if (!deps.config.DELETE_USER) throw new Failure('DELETE_USER_OFF')
  if (!caller) throw new Failure('USER_INFO_NOT_FOUND')
  return deleteByToken(deps, client, caller, { token, counters: null })
}

async function deleteByToken(
  deps: Deps,
  client: Client,
  caller: Caller,
  { token, counters }: Proof & { readonly token: string },
): Promise<DeleteUserResult> {
  const identifier = linkIdentifierOf['delete-account'](token)
  const { beforeDeleteUser, beforeDeleteOrganization } = deps.config.extensions
  // The application's hooks run only for a valid token. It is consumed together with the user.
  if (beforeDeleteUser || beforeDeleteOrganization)
    requireToken(await hasVerification(deps.sql, identifier, caller.user.id))
  return deleteWithHooks(deps, client, caller, { identifier, counters })
}

function requireToken(isValid: boolean): void {
  if (!isValid) throw new Failure('DELETE_TOKEN_INVALID')
}

async function sendLink(
  deps: Deps,
  client: Client,
  { user, session }: Caller,
  { counters, callbackURL }: Input<typeof DeleteUserCall> & Proof,
): Promise<DeleteUserResult> {
  const landing = { callbackURL: callbackURL || undefined }
  const payload = { kind: 'delete-account', to: user.email, token: createDeleteToken(), ...landing } as const
  const link = tokenLink(deps, client, ownMailLimits(deps, client, user.email), payload)
  const { withheldBy } = await logEventsOnceCommitted((act) => {
    const event = client.event(act, 'account-deletion-asked', { userId: user.id })
    const proof = counters && { sessionId: session.id, counters }
    return storeLink(deps.sql, user.id, link, { proof, event })
  }, alwaysDone)
  logWithheldMail(deps, payload.kind, withheldBy)
  deps.outbox.nudge()
  return { answer: { success: true, message: 'Verification email sent' }, isDeleted: false }
}

async function deleteWithHooks(
  deps: Deps,
  client: Client,
  caller: Caller,
  { identifier, counters }: Proof & Pick<UserDeletion, 'identifier'>,
): Promise<DeleteUserResult> {
  const { user, session } = caller
  const { beforeDeleteUser, afterDeleteUser } = deps.config.extensions
  await runBeforeHook(beforeDeleteUser, user)
  const allowed = await runBeforeEndings(deps, { userId: user.id, by: user })
  const deletion = { session, identifier, counters, ownerRole: deps.config.CREATOR_ROLE }
  const { ended, organizations } = await transactionWithEvents(
    deps.sql,
    client.requireRoom(null, 'account-deleted', 'organization-deleted'),
    async (tx) => {
      const isLastAdmin = await lockLastAdmin(deps, tx, {
        ...user,
        provenAddress: ProvenAddress.ofUser({ ...user, hasProvenWayIn: user.emailVerified }),
      })
      const [isValid, ...locked] = await inOneTrip(
        tx,
        (sql) => hasVerification(sql, identifier ?? '', user.id),
        ...deletionLocks(user.id),
      )
      if (identifier !== null) requireToken(isValid)
      if (isLastAdmin) throw new Failure('LAST_ADMIN')
      const endings = announceEndings(client, tx, allowed, requireAllLocked(locked))
      const event = client.event(tx, 'account-deleted', { userId: user.id })
      const deleted = await withCommit(tx, (last) => write(last, { ...deletion, event, endings }))
      if (deleted.outcome === 'only-owner') throw new Failure('ONLY_OWNER')
      if (deleted.outcome !== 'done') throw new Failure(identifier === null ? 'UNAUTHORIZED' : 'DELETE_TOKEN_INVALID')
      return deleted
    },
  )
  deps.revocations.add(ended)
  await runAfterEndings(deps, allowed, organizations)
  await runAfterHook(deps, afterDeleteUser, user)
  const answer = { success: true, message: 'User deleted', ...(organizations.length > 0 ? { organizations } : {}) }
  return { answer, isDeleted: true }
}

/** Changes name, image and own fields. The address has its own call. */
export async function updateUser(
  { sql }: Deps,
  client: Client,
  { user }: Caller,
  { email, ...change }: Input<typeof UpdateUserCall>,
): Promise<Output<typeof UpdateUserCall>> {
  if (email) throw new Failure('EMAIL_NOT_EDITABLE')
  const fields = changedNames(change).join(',')
  if (fields === '') return { status: true }
  const about = { userId: user.id, fields }
  await logEventsOnceCommitted(
    (act) => updateProfile(sql, user.id, change, client.event(act, 'profile-updated', about)),
    isRowFound,
  )
  return { status: true }
}
