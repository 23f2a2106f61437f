import { Failure } from '../../shared/failure.ts'
import { isKnownBy, type KnownDevice, markDevice, readDevice } from '../crypto/known-device.ts'
import { type CountersToSettle, type CountResult, type Limit, type Limits, takeBackUse } from '../db/limits.ts'
import type { Deps } from '../deps.ts'
import { networkOf, siteOf } from '../limits/ip-address.ts'
import type { Client } from '../request/client.ts'
import type { LimitName } from '../settings/rate-limits.ts'

/** The counter of a limit for one subject, such as a network or an account. */
export const limitOf = ({ config, keys }: Deps, name: LimitName, subject: string): Limit => ({
  name,
  key: keys.limit.sign(subject),
  max: config.RATE_LIMITS[name].max,
  seconds: config.RATE_LIMITS[name].window,
  isOff: !config.RATE_LIMIT,
})

/** For calls that check a password or make an account, by network. */
export const addressLimits = (deps: Deps, call: string, client: Client): Limits => [
  limitOf(deps, 'passwordCalls', `${call}:${networkOf(client.address)}`),
]

/** For calls that send mail to any address, by network. */
export const senderLimits = (deps: Deps, call: string, client: Client): Limits => [
  limitOf(deps, 'mailCalls', `${call}:${networkOf(client.address)}`),
]

/** By user: this call tells a signed-in user which addresses are taken. */
export const changeEmailLimits = (deps: Deps, userId: string): Limits => [
  limitOf(deps, 'emailChanges', `change-email:${userId}`),
]

/** For typed user codes: by network, and by the user whose session looks, wherever from. */
export const userCodeLimits = (deps: Deps, client: Client, userId: string | null): Limits => [
  limitOf(deps, 'userCodes', `user-codes:${networkOf(client.address)}`),
  ...(userId === null ? [] : [limitOf(deps, 'userCodes', `user-codes-of:${userId}`)]),
]

const linkStartsOf = (deps: Deps, userId: string): Limit => limitOf(deps, 'linkStarts', `link-starts-of:${userId}`)

/** For links of accounts that are begun: each costs a row. By user first: one alone does not use up a network's share. */
export const linkLimits = (deps: Deps, client: Client, userId: string): Limits => [
  linkStartsOf(deps, userId),
  ...addressLimits(deps, 'link-social', client),
]

/**
 * For sign-ins that wait for a browser: open ones cost rows, and each makes a guessed code more likely to be right. IPv6
 * addresses are cheap to have: they are counted by site too, and apart in all, so that IPv4 keeps its own share.
 */
export function deviceStartLimits(deps: Deps, client: Client): Limits {
  const site = siteOf(client.address)
  const network = limitOf(deps, 'deviceStarts', `device-starts:${networkOf(client.address)}`)
  if (site === '') return [network, limitOf(deps, 'deviceStartsInAll', 'device-starts-in-all')]
  const ofSite = limitOf(deps, 'deviceStartsFromSite', `device-starts-from:${site}`)
  return [network, ofSite, limitOf(deps, 'deviceStartsInAll', 'device-starts-in-all:ipv6')]
}

/** The same for links, by user too. */
export const deviceLinkLimits = (deps: Deps, client: Client, userId: string): Limits => [
  linkStartsOf(deps, userId),
  ...deviceStartLimits(deps, client),
]

/** By network: each refused token costs a row that tells of it. */
export const exchangeLimits = (deps: Deps, client: Client): Limits => [
  limitOf(deps, 'exchangeFailures', `exchanges:${networkOf(client.address)}`),
]

/** Counters of attempts, and what the right one does to them. */
interface AttemptLimits {
  readonly limits: readonly Limit[]
  readonly counters: CountersToSettle
}

/**
 * From an unknown device: by network over a longer time, since an attacker may try each account only once, and by account,
 * from wherever. A success takes back its own try from the network's counter and no other: else anybody with an account
 * could clear it.
 */
function attemptsAt(deps: Deps, client: Client, email: string): AttemptLimits {
  const network = limitOf(deps, 'networkFailures', `failures:${networkOf(client.address)}`)
  const tries = limitOf(deps, 'accountTries', `account:${email}`)
  const inARow = limitOf(deps, 'accountFailures', `account-in-a-row:${email}`)
  return {
    limits: [network, tries, inARow],
    counters: { cleared: [tries.key, inARow.key], returned: network.key },
  }
}

/**
 * From a known device: counted by device alone, so that strangers and neighbours in its network cannot use up its tries. It
 * can guess at one account only, so it needs no count by network.
 */
function attemptsOn(deps: Deps, { nonce }: KnownDevice, email: string): AttemptLimits {
  const tries = limitOf(deps, 'deviceTries', `device:${nonce}:${email}`)
  const inARow = limitOf(deps, 'accountFailures', `device-in-a-row:${nonce}:${email}`)
  return { limits: [tries, inARow], counters: { cleared: [tries.key, inARow.key], returned: null } }
}

/** A proven mailbox unlocks its account, whoever locked it. */
export const mailboxProof = ({ config, keys }: Deps, email: string): CountersToSettle => ({
  cleared: config.RATE_LIMIT ? [keys.limit.sign(`account:${email}`), keys.limit.sign(`account-in-a-row:${email}`)] : [],
  returned: null,
})

interface Asked {
  /** The call, for its counter by network. */
  readonly call: string
  readonly client: Client
  readonly email: string
}

/** What an attempt is checked against. */
type Checked = CountResult & { readonly password: string | null }
type Look<T> = (limits: readonly Limit[]) => Promise<T>

/**
 * Counts an attempt at the password of an account, in the same statement that reads the stored hash, and before anything is
 * hashed; unknown addresses count alike. A device that proved an older password is not known any more: its attempt counts
 * once more, as a stranger's.
 */
export async function consumeAttempt<T extends Checked>(deps: Deps, { call, client, email }: Asked, look: Look<T>) {
  if (!deps.config.RATE_LIMIT) return { ...(await look([])), counters: { cleared: [], returned: null } }
  const device = deviceOf(deps, client, email)
  const strangers = attemptsAt(deps, client, email)
  const { limits, counters } = device ? attemptsOn(deps, device, email) : strangers
  const found = await looked(look, [...addressLimits(deps, call, client), ...limits])
  if (!device || isKnownBy(device, found.password)) return { ...found, counters }
  return { ...(await looked(look, strangers.limits)), counters: strangers.counters }
}

async function looked<T extends Checked>(look: Look<T>, limits: readonly Limit[]): Promise<T> {
  const found = await look(limits)
  refuseIfCounted(found.refusedFor)
  return found
}

/** Checks an attempt. One that could not be checked, in an overload or an outage, is not counted: nobody is locked out by that. */
export async function whileChecked<T>({ sql }: Deps, counters: CountersToSettle, check: () => Promise<T>): Promise<T> {
  return check().catch(async (error: unknown) => {
    const isUnchecked = error instanceof Failure && error.failure === 'SERVICE_UNAVAILABLE'
    // In an outage it stays counted.
    if (isUnchecked && counters.cleared.length > 0) await takeBackUse(sql, counters).catch(() => undefined)
    throw error
  })
}

export function refuseIfCounted(refusedFor: number | null): void {
  if (refusedFor !== null) throw new Failure('TOO_MANY_REQUESTS', { retryAfter: refusedFor })
}

/** The known device that the client's cookies prove for an address; null with RATE_LIMIT off, which makes it useless. */
export const deviceOf = ({ config, keys }: Deps, client: Client, email: string): KnownDevice | null =>
  config.RATE_LIMIT ? readDevice(keys.device, client.deviceMarks, email) : null

/** The mark after a reset by mail: a new device, since the counters of the old one may be used up. */
export const newMarkOf = ({ config, keys }: Deps, email: string, hash: string): string | null =>
  config.RATE_LIMIT ? markDevice(keys.device, email, hash) : null

/** The mark for a client that has just proven the password of this hash; a known device keeps its number. */
export const markOf = (deps: Deps, client: Client, email: string, hash: string): string | null =>
  deps.config.RATE_LIMIT ? markDevice(deps.keys.device, email, hash, deviceOf(deps, client, email)?.nonce) : null
