import type { Input, Output } from '../../../shared/contract/call.ts'
import type { approveDevice as Call } from '../../../shared/contract/device.ts'
import { Failure } from '../../../shared/failure.ts'
import { createSessionToken, digestOf, readUserCode } from '../../crypto/token.ts'
import { type DecidedRequest, type Decision, decideDeviceRequest } from '../../db/device-decisions.ts'
import { isFound, tellWhenKept } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import { learn } from '../../request/audit-event.ts'
import type { Caller, Client } from '../../request/client.ts'
import { findByUserCode, isOwnSession, macOf, sessionClaim } from './user-code.ts'

type Status = Decision['status']

/** For an application with a page of its own: the session that claimed the request, and no other, decides. */
export async function decideBySession(
  deps: Deps,
  client: Client,
  caller: Caller | null,
  [{ userCode: typed }, status]: readonly [Input<typeof Call>, Status],
): Promise<Output<typeof Call>> {
  if (!caller) throw new Failure('DEVICE_UNAUTHORIZED')
  const forbidden = status === 'approved' ? 'DEVICE_APPROVAL_FORBIDDEN' : 'DEVICE_DENIAL_FORBIDDEN'
  if (!isOwnSession(caller)) throw new Failure(forbidden)
  const [claim, userId] = [sessionClaim(caller), caller.user.id]
  const found = await findByUserCode(deps, client, { typed, userId }, { claim: null, before: claim, sessionId: null })
  if (found.status !== 'pending') throw new Failure('DEVICE_DECIDED')
  if (!found.isClaimed) throw new Failure('DEVICE_NOT_CLAIMED')
  if (!found.isOwn) throw new Failure(forbidden)
  const userCodeMac = macOf(deps, readUserCode(typed) ?? '')
  const decided = await decide(deps, client, { claim, userCodeMac, status, userId })
  return { success: true, ...(decided.leadTo === null ? {} : { redirect_uri: decided.leadTo }) }
}

/** For our own page: only the browser that claimed the request, and only for who was shown there. */
export const decideInBrowser = (
  deps: Deps,
  client: Client,
  secret: string,
  { status, userId }: Pick<Decision, 'status' | 'userId'>,
): Promise<Decided> => decide(deps, client, { claim: digestOf(secret), userCodeMac: null, status, userId })

/** The provider of a link said no; what was decided before stays so. */
export async function denyByProvider(deps: Deps, client: Client, claim: Buffer): Promise<void> {
  await tryToDecide(deps, client, { ...denialOf(claim), isByProvider: true })
}

/** Who asked for a link signed in too long ago for it. */
export async function denyAsStale(deps: Deps, client: Client, claim: Buffer): Promise<void> {
  await tryToDecide(deps, client, { ...denialOf(claim), isStale: true })
}

const denialOf = (claim: Buffer): Choice => ({ claim, userCodeMac: null, status: 'denied', userId: null })

interface Decided extends DecidedRequest, Pick<Decision, 'status'> {
  /** The address that takes the browser back to the machine that asks; null where it stays here. */
  readonly leadTo: string | null
}

type Choice = Omit<Decision, 'redirectCodeHash' | 'event' | 'linkName'>

/** Decides once; whoever comes later finds it decided. */
async function decide(deps: Deps, client: Client, decision: Choice): Promise<Decided> {
  const decided = await tryToDecide(deps, client, decision)
  if (!decided) throw new Failure('DEVICE_DECIDED')
  return decided
}

/** A link is refused here, and made elsewhere. */
const linkName = 'device-link-refused'

async function tryToDecide(deps: Deps, client: Client, decision: Choice): Promise<Decided | null> {
  const code = createSessionToken()
  const isApproved = decision.status === 'approved'
  const choice = { ...decision, redirectCodeHash: digestOf(code), linkName } as const
  const decided = await tellWhenKept(async (act) => {
    const event = client.event(act, isApproved ? 'device-sign-in-approved' : 'device-sign-in-refused', { userId: null })
    const done = await decideDeviceRequest(deps.sql, { ...choice, event })
    if (done) learn(event, { userId: done.userId, ...(done.isLink ? { name: linkName } : {}) })
    return done
  }, isFound)
  if (!decided) return null
  return {
    ...decided,
    status: decision.status,
    leadTo: leadTo(decided, isApproved ? { code } : { error: 'access_denied' }),
  }
}

function leadTo({ redirectUri, redirectState }: DecidedRequest, result: Record<string, string>): string | null {
  if (redirectUri === null) return null
  const query = new URLSearchParams({ ...result, ...(redirectState === null ? {} : { state: redirectState }) })
  return `${redirectUri}?${query.toString()}`
}
