import { Failure } from '../../../shared/failure.ts'
import { digestOf, parseUserCode } from '../../crypto/token.ts'
import {
  bindDeviceRequestToBrowser,
  type DeviceRequestViewer,
  type UserCodeResult,
} from '../../db/device-browser-bindings.ts'
import { countEvent, refundUses } from '../../db/limits.ts'
import { alwaysDone, logEventsOnceCommitted } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import { withdrawEvent } from '../../request/audit-event.ts'
import type { Caller, Client } from '../../request/client.ts'
import { limitOf, refuseBeyondLimit, userCodeLimits } from '../limits.ts'

/** The stored form of a user code. Keyed, because all possible codes can be hashed within a minute. */
export const storedMacOf = ({ keys }: Deps, userCode: string): Buffer => keys.userCode.sign(`stored:${userCode}`)

/**
 * The mark in the link of a request whose result goes back to the asking machine only. Such a link may fill in the
 * code.
 */
export const linkMacOf = ({ keys }: Deps, userCode: string): Buffer => keys.userCode.sign(`link:${userCode}`)

/** The code as people read it. */
export const formatUserCode = (userCode: string): string => `${userCode.slice(0, 4)}-${userCode.slice(4)}`

/** The binding of a session: the digest of its handle, which the caller has proven. */
export const sessionBinding = ({ session }: Caller): Buffer => digestOf(`device-claim:${session.id}`)

/** An administrator who impersonates a user must not get a session of that user's own. */
export const isUnimpersonated = (caller: Caller | null): caller is Caller =>
  caller !== null && caller.session.impersonatedBy === null

export type FoundRequest = Extract<UserCodeResult, { id: string }>

/**
 * The request of a typed code. The attempt is counted before the look-up and refunded when the code was right, so after
 * a few wrong codes a right one is refused too. Text that cannot be a code does not count.
 */
export async function findByUserCode(
  deps: Deps,
  client: Client,
  { typed, userId }: { readonly typed: string; readonly userId: string | null },
  viewer: DeviceRequestViewer,
): Promise<FoundRequest> {
  const userCode = parseUserCode(typed)
  if (userCode === null) throw new Failure('USER_CODE_UNKNOWN')
  const limits = userCodeLimits(deps, client, userId)
  const found = await logEventsOnceCommitted(async (act) => {
    const event = client.event(act, 'user-code-wrong', { userId })
    const claimed = await bindDeviceRequestToBrowser(
      deps.sql,
      storedMacOf(deps, userCode),
      { ...viewer, event },
      limits,
    )
    refuseBeyondLimit(claimed.refusedFor)
    if (claimed.id !== null) withdrawEvent(event)
    return claimed
  }, alwaysDone)
  if (found.id === null) return refuseWrongCode(deps)
  if (deps.config.RATE_LIMIT) await refundUses(deps.sql, { cleared: limits.map(({ key }) => key), returned: null })
  if (found.isExpired) throw new Failure('USER_CODE_EXPIRED')
  return found
}

/** Many wrong codes from many networks are an attack that no single network's counter shows. */
async function refuseWrongCode(deps: Deps): Promise<never> {
  if (deps.config.RATE_LIMIT) {
    const alarm = limitOf(deps, 'userCodesInAll', 'user-codes-in-all')
    const { count } = await countEvent(deps.sql, alarm)
    if (count === alarm.max)
      deps.log.warn(
        { count, seconds: alarm.seconds },
        'many wrong user codes: somebody may be guessing device sign-in codes',
      )
  }
  throw new Failure('USER_CODE_UNKNOWN')
}
