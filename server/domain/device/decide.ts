import type { Input, Output } from '../../../shared/contract/call.ts'
import type { approveDevice as Call } from '../../../shared/contract/device.ts'
import { Failure } from '../../../shared/failure.ts'
import { digestOf, parseUserCode } from '../../crypto/token.ts'
import {
  type DecidedRequest,
  type DeviceDecision,
  decideDeviceRequest,
  findBrowserBoundRequest,
  findUnverifiedApprover,
} from '../../db/device-browser-bindings.ts'
import { isRowFound, logEventsOnceCommitted } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import { requireAdmission, SessionProof } from '../../request/admission.ts'
import { addLateFacts } from '../../request/audit-event.ts'
import type { Caller, Client } from '../../request/client.ts'
import { mailLinkAgain } from '../account/unverified.ts'
import { recordRefusal } from '../audit/record.ts'
import { findRequestOfBinding } from './browser-binding.ts'
import { findByUserCode, sessionBinding, storedMacOf } from './user-code.ts'

/** For applications with their own page: only the session that the request is bound to may decide. */
export async function decideBySession(
  deps: Deps,
  client: Client,
  caller: Caller | null,
  [{ userCode: typed }, status]: readonly [Input<typeof Call>, DeviceDecision['status']],
): Promise<Output<typeof Call>> {
  if (!caller) throw new Failure('DEVICE_UNAUTHORIZED')
  const forbidden = status === 'approved' ? 'DEVICE_APPROVAL_FORBIDDEN' : 'DEVICE_DENIAL_FORBIDDEN'
  const [claim, userId] = [sessionBinding(caller), caller.user.id]
  const found = await findByUserCode(deps, client, { typed, userId }, { claim: null, before: claim, sessionId: null })
  if (found.status !== 'pending') throw new Failure('DEVICE_DECIDED')
  if (!found.isClaimed) throw new Failure('DEVICE_NOT_CLAIMED')
  if (!found.isOwn) throw new Failure(forbidden)
  const userCodeMac = storedMacOf(deps, parseUserCode(typed) ?? '')
  const decided = await decide(deps, client, { claim, userCodeMac, status, userId })
  return { success: true, ...(decided.leadTo === null ? {} : { redirect_uri: decided.leadTo }) }
}

interface ShownDecision extends Pick<DeviceDecision, 'status' | 'userId'> {
  readonly requestId: string | null
}

/**
 * For our own page: only the browser that the request is bound to may decide, and only about the request and as the
 * user shown there. A browser that typed another code in another tab since is bound to that one.
 */
export async function decideInBrowser(
  deps: Deps,
  client: Client,
  secret: string,
  { status, userId, requestId }: ShownDecision,
): Promise<DecisionResult> {
  const claim = digestOf(secret)
  // A binding is made once and never moved, so it is enough to compare beforehand.
  const bound = await findRequestOfBinding(deps.sql, claim)
  if (bound === null || bound.id !== requestId) throw new Failure('DEVICE_DECIDED')
  return decide(deps, client, { claim, userCodeMac: null, status, userId })
}

/**
 * How this browser has decided, as long as the asking machine does not know it. Null when it has not. A browser that
 * sends its approval twice, as by a double click, gives up the first answer.
 */
export async function findDecision(
  { sql, keys }: Deps,
  secret: string,
): Promise<Pick<DecisionResult, 'status' | 'leadTo'> | null> {
  const claim = digestOf(secret)
  const found = await findBrowserBoundRequest(sql, claim)
  const isLink = found?.linkerId !== null
  if (found?.status === 'denied')
    return { status: 'denied', leadTo: isLink ? null : leadTo(found, { error: 'access_denied' }) }
  if (found?.status !== 'approved' || found.isExpired || isLink) return null
  return { status: 'approved', leadTo: leadTo(found, { code: redirectCodeOf(keys, { claim, userCodeMac: null }) }) }
}

/** Denies the link because the provider did. An earlier decision stays. */
export async function denyByProvider(deps: Deps, client: Client, claim: Buffer): Promise<void> {
  await tryToDecide(deps, client, { ...denialOf(claim), isByProvider: true })
}

/** Denies the link because the user who asked signed in too long ago. */
export async function denyAsStale(deps: Deps, client: Client, claim: Buffer): Promise<void> {
  await tryToDecide(deps, client, { ...denialOf(claim), isStale: true })
}

const denialOf = (claim: Buffer): DecisionInput => ({ claim, userCodeMac: null, status: 'denied', userId: null })

interface DecisionResult extends DecidedRequest, Pick<DeviceDecision, 'status'> {
  /** Where to send the browser, back to the asking machine. Null when it stays here. */
  readonly leadTo: string | null
}

type DecisionInput = Omit<DeviceDecision, 'admitted' | 'redirectCodeHash' | 'event' | 'linkName'>

/** Only the first decision counts; later ones find the request decided. */
async function decide(deps: Deps, client: Client, decision: DecisionInput): Promise<DecisionResult> {
  const decided = await tryToDecide(deps, client, decision)
  if (decided) return decided
  if (decision.status === 'approved') await refuseUnverified(deps, client, decision)
  throw new Failure('DEVICE_DECIDED')
}

/**
 * When the approver's unverified address is all that prevents the approval: mails them a new link, and refuses with
 * that reason. Only the approver sees it, not the waiting machine. Any other obstacle counts as already decided.
 */
async function refuseUnverified(deps: Deps, client: Client, decision: DecisionInput): Promise<void> {
  const { userId } = decision
  if (userId === null || !admitApproved(deps, client).admitted.needsVerifiedAddress) return
  const email = await findUnverifiedApprover(deps.sql, decision)
  if (email === null) return
  await mailLinkAgain(deps, client, { id: userId, email })
  await recordRefusal(deps, client, 'sign-in-failed', { userId, reason: 'EMAIL_NOT_VERIFIED' })
  throw new Failure('EMAIL_NOT_VERIFIED')
}

/**
 * The proof for a device request. It names no user, because the statement that decides the request finds the approver.
 */
class ApprovedDevice extends SessionProof {
  constructor() {
    super('approved-device', null)
  }
}

/** The conditions under which somebody may approve a device sign-in. They are checked again when the session starts. */
export const admitApproved = (deps: Deps, client: Client) => requireAdmission(deps, client, new ApprovedDevice())

/** The event name for a refused link. This call can only refuse one; the provider's callback makes it. */
const linkName = 'device-link-refused'

/** Derived, so that the answer to an approval can be given again. Nobody learns it but the browser that approves. */
const redirectCodeOf = (
  { userCode }: Deps['keys'],
  { claim, userCodeMac }: Pick<DecisionInput, 'claim' | 'userCodeMac'>,
): string =>
  userCode
    .sign(`redirect:${Buffer.concat(userCodeMac ? [claim, userCodeMac] : [claim]).toString('hex')}`)
    .toString('base64url')

async function tryToDecide(deps: Deps, client: Client, decision: DecisionInput): Promise<DecisionResult | null> {
  const code = redirectCodeOf(deps.keys, decision)
  const isApproved = decision.status === 'approved'
  const admitted = isApproved ? admitApproved(deps, client).admitted : null
  const choice = { ...decision, admitted, redirectCodeHash: digestOf(code), linkName } as const
  const decided = await logEventsOnceCommitted(async (act) => {
    const event = client.event(act, isApproved ? 'device-sign-in-approved' : 'device-sign-in-refused', { userId: null })
    const done = await decideDeviceRequest(deps.sql, { ...choice, event })
    if (done) addLateFacts(event, { userId: done.userId, ...(done.isLink ? { name: linkName } : {}) })
    return done
  }, isRowFound)
  if (!decided) return null
  return {
    ...decided,
    status: decision.status,
    leadTo: leadTo(decided, isApproved ? { code } : { error: 'access_denied' }),
  }
}

function leadTo(
  { redirectUri, redirectState }: Pick<DecidedRequest, 'redirectUri' | 'redirectState'>,
  result: Record<string, string>,
): string | null {
  if (redirectUri === null) return null
  const query = new URLSearchParams({ ...result, ...(redirectState === null ? {} : { state: redirectState }) })
  return `${redirectUri}?${query.toString()}`
}
