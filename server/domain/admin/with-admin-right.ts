import type { AuditEventName } from '../../../shared/audit-events.ts'
import type { FailureName } from '../../../shared/errors.ts'
import { Failure } from '../../../shared/failure.ts'
import {
  type Actor,
  type ActorAndTargetQuery,
  findActorAndTarget,
  lockAdministration,
  type Target,
} from '../../db/admins.ts'
import { inOneTrip, type Sql } from '../../db/connect.ts'
import { type Tx, transactionWithEvents } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import type { AuditRoom } from '../../request/audit-event.ts'
import type { Caller } from '../../request/client.ts'
import {
  hasEveryPermissionOf,
  isGranted,
  type PlatformPermission,
  type PlatformPerson,
  requirePlatformPermission,
} from './permission.ts'

/** The permission that an administrator's action needs, and the failure that refuses it. */
export interface AdminRight {
  readonly permission: PlatformPermission
  readonly failure: FailureName
}

/** A right about to be used, and proof that the audit trail has room for its event. */
interface AuditedRight<E extends AuditEventName> extends AdminRight {
  readonly room: AuditRoom<E>
}

/** `actor`: the acting administrator as read behind the lock. */
type Work<T, E extends AuditEventName> = (tx: Tx<E>, actor: Actor) => Promise<T>

/**
 * Runs an administrator's action in one transaction. The permission is checked twice: before any work, and again behind
 * the lock, since it may have been taken away meanwhile.
 */
export function withAdminRight<T extends object, E extends AuditEventName>(
  deps: Deps,
  caller: Caller,
  { room, ...right }: AuditedRight<E>,
  work: Work<T, E>,
): Promise<T> {
  requirePlatformPermission(deps, caller, right.permission, right.failure)
  return transactionWithEvents(deps.sql, room, async (tx) => {
    const [, { actor }] = await inOneTrip(tx, ...lockAndFind({ sessionId: caller.session.id, userId: null }))
    return work(tx, requireActor(deps, actor, right))
  })
}

/** The statements of one trip that lock the administration, and find behind the lock who acts on whom. */
export const lockAndFind = (involved: ActorAndTargetQuery) =>
  [lockAdministration, (sql: Sql) => findActorAndTarget(sql, involved)] as const

type WorkOnTarget<T, E extends AuditEventName> = (tx: Tx<E>, target: Target, actor: Actor) => Promise<T>

/** The user concerned, or a subquery that finds them. `missing`: the failure when there is none. */
interface Named {
  readonly userId: NonNullable<ActorAndTargetQuery['userId']>
  readonly missing?: FailureName
}

/**
 * The same for an action on a user, who cannot sign in meanwhile. Refused when the target has permissions that the
 * actor lacks.
 */
export function withAdminRightOver<T extends object, E extends AuditEventName>(
  deps: Deps,
  caller: Caller,
  { userId, room, ...right }: AuditedRight<E> & Named,
  work: WorkOnTarget<T, E>,
): Promise<T> {
  requirePlatformPermission(deps, caller, right.permission, right.failure)
  return transactionWithEvents(deps.sql, room, async (tx) => {
    const involved = { sessionId: caller.session.id, userId, hold: true }
    const [, { actor, target }] = await inOneTrip(tx, ...lockAndFind(involved))
    const by = requireActor(deps, actor, right)
    return work(tx, requireTarget(deps, by, target, right), by)
  })
}

/** Refuses machines: roles of the platform and passwords are for people only. */
export function requireHuman({ isMachine }: Target): void {
  if (isMachine) throw new Failure('NO_SUCH_USER')
}

export function requireActor({ config }: Deps, actor: Actor | null, { permission, failure }: AdminRight): Actor {
  if (!actor) throw new Failure('UNAUTHORIZED')
  if (!isGranted(config, actor, permission)) throw new Failure(failure)
  return actor
}

export function requireTarget(
  { config }: Deps,
  actor: PlatformPerson,
  target: Target | null,
  { failure, missing = 'NO_SUCH_USER' }: AdminRight & Pick<Named, 'missing'>,
): Target {
  if (!target) throw new Failure(missing)
  if (!hasEveryPermissionOf(config, actor, target)) throw new Failure(failure)
  return target
}
