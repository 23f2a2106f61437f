import type { FailureName } from '../../../shared/errors.ts'
import { Failure } from '../../../shared/failure.ts'
import { type Actor, findConcerned, lockAdministration, type Target } from '../../db/admins.ts'
import { insertAuditEvent } from '../../db/audit-events.ts'
import type { Sql } from '../../db/connect.ts'
import { transaction } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import type { AuditEvent } from '../../request/audit-event.ts'
import type { Caller } from '../../request/client.ts'
import { covers, isGranted, type Person, type PlatformPermission, requirePlatformPermission } from './permission.ts'

/** What an administrator does, and how it is refused to who may not. */
export interface Right {
  readonly permission: PlatformPermission
  readonly failure: FailureName
}

/** What was done, and what the trail says of it; null: nothing was to be done. */
interface Done<T, E extends AuditEvent | null> {
  readonly result: T
  readonly event: E
  /** Whether the statement that did it wrote that row too. */
  readonly isTold?: true
}

/** The one who acts, as they are behind the lock. */
type Work<T, E extends AuditEvent | null> = (tx: Sql, actor: Actor) => Promise<Done<T, E>>

/**
 * One act of an administrator in one transaction, with its row in the trail. Looked at twice: before anything is done, and
 * behind the lock, since the right may have been taken away meanwhile.
 */
export function act<T, E extends AuditEvent | null>(
  deps: Deps,
  caller: Caller,
  right: Right,
  work: Work<T, E>,
): Promise<Done<T, E>> {
  requirePlatformPermission(deps, caller, right.permission, right.failure)
  return transaction(deps.sql, async (tx) => {
    await lockAdministration(tx)
    const { actor } = await findConcerned(tx, { sessionId: caller.session.id, userId: null })
    return record(tx, work(tx, requireActor(deps, actor, right)))
  })
}

type WorkOn<T, E extends AuditEvent | null> = (tx: Sql, target: Target, actor: Actor) => Promise<Done<T, E>>

/** Upon a user, whom nobody is signed in as meanwhile. Who may do less does nothing to who may do more. */
export function actOn<T, E extends AuditEvent | null>(
  deps: Deps,
  caller: Caller,
  { userId, ...right }: Right & { readonly userId: string },
  work: WorkOn<T, E>,
): Promise<Done<T, E>> {
  requirePlatformPermission(deps, caller, right.permission, right.failure)
  return transaction(deps.sql, async (tx) => {
    await lockAdministration(tx)
    const { actor, target } = await findConcerned(tx, { sessionId: caller.session.id, userId, hold: true })
    const by = requireActor(deps, actor, right)
    return record(tx, work(tx, requireTarget(deps, by, target, right), by))
  })
}

async function record<T, E extends AuditEvent | null>(tx: Sql, work: Promise<Done<T, E>>): Promise<Done<T, E>> {
  const done = await work
  if (done.event && !done.isTold) await insertAuditEvent(tx, done.event)
  return done
}

/** What only people have, such as roles of the platform and passwords, is done to no machine. */
export function requirePerson({ isMachine }: Target): void {
  if (isMachine) throw new Failure('NO_SUCH_USER')
}

export function requireActor({ config }: Deps, actor: Actor | null, { permission, failure }: Right): Actor {
  if (!actor) throw new Failure('UNAUTHORIZED')
  if (!isGranted(config, actor, permission)) throw new Failure(failure)
  return actor
}

export function requireTarget({ config }: Deps, actor: Person, target: Target | null, { failure }: Right): Target {
  if (!target) throw new Failure('NO_SUCH_USER')
  if (!covers(config, actor, target)) throw new Failure(failure)
  return target
}
