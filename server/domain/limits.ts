import { Failure } from '../../shared/failure.ts'
import { createDeviceMark, findDeviceMark, hasSamePassword, type KnownDevice } from '../crypto/known-device.ts'
import { type CountersToSettle, type CountResult, type Limit, type Limits, refundUses } from '../db/limits.ts'
import type { Deps } from '../deps.ts'
import { networkOf, siteOf } from '../limits/ip-address.ts'
import type { Client } from '../request/client.ts'
import type { LimitName } from '../settings/rate-limits.ts'

/** The limit of that name for one subject, such as a network or an account. */
export const limitOf = ({ config, keys }: Deps, name: LimitName, subject: string): Limit => ({
  name,
  key: keys.limit.sign(subject),
  max: config.RATE_LIMITS[name].max,
  seconds: config.RATE_LIMITS[name].window,
  isOff: !config.RATE_LIMIT,
})

/** Per network, for calls that check a password or create an account. */
export const passwordCallLimits = (deps: Deps, call: string, client: Client): Limits => [
  limitOf(deps, 'passwordCalls', `${call}:${networkOf(client.address)}`),
]

/** Per network, for calls that send mail to any address. */
export const mailCallLimits = (deps: Deps, call: string, client: Client): Limits => [
  limitOf(deps, 'mailCalls', `${call}:${networkOf(client.address)}`),
]

/** Per user: this call shows a signed-in user which addresses are taken. */
export const changeEmailLimits = (deps: Deps, userId: string): Limits => [
  limitOf(deps, 'emailChanges', `change-email:${userId}`),
]

/** Per user: the service sends something to an address of theirs. */
export const webhookTestLimits = (deps: Deps, userId: string): Limits => [
  limitOf(deps, 'webhookTests', `webhook-tests-of:${userId}`),
]

/** For typed user codes: per network, and per signed-in user from any network. */
export const userCodeLimits = (deps: Deps, client: Client, userId: string | null): Limits => [
  limitOf(deps, 'userCodes', `user-codes:${networkOf(client.address)}`),
  ...(userId === null ? [] : [userCodesOf(deps, userId)]),
]

const userCodesOf = (deps: Deps, userId: string): Limit => limitOf(deps, 'userCodes', `user-codes-of:${userId}`)

const linkStartsOf = (deps: Deps, userId: string): Limit => limitOf(deps, 'linkStarts', `link-starts-of:${userId}`)

/**
 * For starting to link an account, which costs a row each time. The limit per user comes first, so that one user does
 * not use up a network's share.
 */
export const linkLimits = (deps: Deps, client: Client, userId: string): Limits => [
  linkStartsOf(deps, userId),
  ...passwordCallLimits(deps, 'link-social', client),
]

/**
 * For sign-ins that wait for a browser. Each open one costs a row and makes a guessed code more likely to be right.
 * IPv6 addresses are easy to get, so they are also counted per site and have their own total, which keeps IPv4's share
 * free.
 */
export function deviceStartLimits(deps: Deps, client: Client): Limits {
  const site = siteOf(client.address)
  const network = limitOf(deps, 'deviceStarts', `device-starts:${networkOf(client.address)}`)
  if (site === '') return [network, limitOf(deps, 'deviceStartsInAll', 'device-starts-in-all')]
  const ofSite = limitOf(deps, 'deviceStartsFromSite', `device-starts-from:${site}`)
  return [network, ofSite, limitOf(deps, 'deviceStartsInAll', 'device-starts-in-all:ipv6')]
}

/** The same limits for starting to link an account, with one more per user. */
export const deviceLinkLimits = (deps: Deps, client: Client, userId: string): Limits => [
  linkStartsOf(deps, userId),
  ...deviceStartLimits(deps, client),
]

/** Per network: each refused token costs a row that records it. */
export const exchangeLimits = (deps: Deps, client: Client): Limits => [
  limitOf(deps, 'exchangeFailures', `exchanges:${networkOf(client.address)}`),
]

/** The limits of an attempt, and the counters that the right password clears or gives back. */
interface AttemptLimits {
  readonly limits: readonly Limit[]
  readonly counters: CountersToSettle
}

/**
 * For an unknown device: per network over a longer time, since an attacker may try each account only once, and per
 * account from any network. A success gives back only its own attempt at the network's counter; otherwise anybody with
 * an account could clear that counter.
 */
function attemptLimitsOfStranger(deps: Deps, client: Client, email: string): AttemptLimits {
  const network = limitOf(deps, 'networkFailures', `failures:${networkOf(client.address)}`)
  const [tries, inARow] = limitsOfPasswordTries(deps, email)
  return {
    limits: [network, tries, inARow],
    counters: { cleared: [tries.key, inARow.key], returned: network.key },
  }
}

/**
 * For a known device: counted per device only, so that strangers and neighbours in its network cannot use up its
 * attempts. It can guess at one account only, so it needs no limit per network.
 */
function attemptLimitsOfDevice(deps: Deps, { nonce }: KnownDevice, email: string): AttemptLimits {
  const tries = limitOf(deps, 'deviceTries', `device:${nonce}:${email}`)
  const inARow = limitOf(deps, 'accountFailures', `device-in-a-row:${nonce}:${email}`)
  return { limits: [tries, inARow], counters: { cleared: [tries.key, inARow.key], returned: null } }
}

/** Of strangers at one account, from any network. */
export const limitsOfPasswordTries = (deps: Deps, email: string): readonly [Limit, Limit] => [
  limitOf(deps, 'accountTries', `account:${email}`),
  limitOf(deps, 'accountFailures', `account-in-a-row:${email}`),
]

/** Of a signed-in user, from any network. */
export const limitsOfUser = (deps: Deps, userId: string): readonly Limit[] => [
  ...changeEmailLimits(deps, userId),
  userCodesOf(deps, userId),
  linkStartsOf(deps, userId),
]

/** Proving the mailbox unlocks its account, whoever locked it. */
export const countersOfProvenMailbox = (deps: Deps, email: string): CountersToSettle => ({
  cleared: deps.config.RATE_LIMIT ? limitsOfPasswordTries(deps, email).map(({ key }) => key) : [],
  returned: null,
})

interface AttemptRequest {
  /** The name of the call, for its counter per network. */
  readonly call: string
  readonly client: Client
  readonly email: string
}

/** What the look-up returns: the result of counting, and the stored hash. */
type CountedHash = CountResult & { readonly password: string | null }
type CountAndRead<T> = (limits: readonly Limit[]) => Promise<T>

/**
 * Counts an attempt at an account's password in the statement that reads the stored hash, before anything is hashed.
 * Unknown addresses count the same way. A device that proved an older password is no longer known: its attempt is
 * counted again as a stranger's. Throws TOO_MANY_REQUESTS beyond a limit.
 */
export async function consumeAttempt<T extends CountedHash>(
  deps: Deps,
  { call, client, email }: AttemptRequest,
  look: CountAndRead<T>,
) {
  if (!deps.config.RATE_LIMIT) return { ...(await look([])), counters: { cleared: [], returned: null } }
  const device = knownDeviceOf(deps, client, email)
  const strangers = attemptLimitsOfStranger(deps, client, email)
  const { limits, counters } = device ? attemptLimitsOfDevice(deps, device, email) : strangers
  const found = await readWithinLimits(look, [...passwordCallLimits(deps, call, client), ...limits])
  if (!device || hasSamePassword(device, found.password)) return { ...found, counters }
  return { ...(await readWithinLimits(look, strangers.limits)), counters: strangers.counters }
}

async function readWithinLimits<T extends CountedHash>(look: CountAndRead<T>, limits: readonly Limit[]): Promise<T> {
  const found = await look(limits)
  refuseBeyondLimit(found.refusedFor)
  return found
}

/**
 * Runs the check of an attempt. When overload or an outage prevented the check, the attempt is refunded, so that nobody
 * is locked out by it.
 */
export const refundIfUnchecked = <T>(deps: Deps, counters: CountersToSettle, check: () => Promise<T>): Promise<T> =>
  refundIf(isUnavailable, deps, counters, check)

/**
 * Runs what a proven password allows, which settles the counters once it is done. When it was refused or failed, the
 * attempt is refunded, since the password was right. When nobody knows whether it was done, nothing is: it could be
 * refunded twice.
 */
export const refundIfUndone = <T>(deps: Deps, counters: CountersToSettle, act: () => Promise<T>): Promise<T> =>
  refundIf((error) => !isUnavailable(error) || error.retryAfter !== undefined, deps, counters, act)

const isUnavailable = (error: unknown): error is Failure =>
  error instanceof Failure && error.failure === 'SERVICE_UNAVAILABLE'

async function refundIf<T>(
  isDue: (error: unknown) => boolean,
  { sql }: Deps,
  counters: CountersToSettle,
  work: () => Promise<T>,
): Promise<T> {
  return work().catch(async (error: unknown) => {
    // During an outage of the database it stays counted.
    if (isDue(error) && counters.cleared.length > 0) await refundUses(sql, counters).catch(() => undefined)
    throw error
  })
}

export function refuseBeyondLimit(refusedFor: number | null): void {
  if (refusedFor !== null) throw new Failure('TOO_MANY_REQUESTS', { retryAfter: refusedFor })
}

/**
 * The known device that the client's cookies prove for an address. Always null with RATE_LIMIT off, where it has no
 * use.
 */
export const knownDeviceOf = ({ config, keys }: Deps, client: Client, email: string): KnownDevice | null =>
  config.RATE_LIMIT ? findDeviceMark(keys.device, client.deviceMarks, email) : null

/** The device mark after a reset by mail. It names a new device, because the counters of the old one may be used up. */
export const newDeviceMark = ({ config, keys }: Deps, email: string, hash: string): string | null =>
  config.RATE_LIMIT ? createDeviceMark(keys.device, email, hash) : null

/** The device mark for a client that has just proven the password of this hash. A known device keeps its id. */
export const deviceMarkOf = (deps: Deps, client: Client, email: string, hash: string): string | null =>
  deps.config.RATE_LIMIT
    ? createDeviceMark(deps.keys.device, email, hash, knownDeviceOf(deps, client, email)?.nonce)
    : null
