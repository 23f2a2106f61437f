import { Failure } from '../../shared/failure.ts'
import { networkOf } from '../address.ts'
import type { Limit } from '../db/limits.ts'
import type { Deps } from '../deps.ts'
import type { Client } from '../request.ts'

const minute = 60
const day = 86_400

/** Contract 1.10: what checks a password or makes an account, by network. */
const strict = { max: 3, seconds: 10 }
/** Guessing one account: ten tries let through in ten minutes. */
const perAccount = { max: 10, seconds: 10 * minute }
/** Failures in a row, however slowly: then only a mailed reset or an admin helps. */
const inARow = { max: 100, seconds: 30 * day }

/** The counters of a call by network alone. */
export const addressLimits = ({ config, keys }: Deps, call: string, client: Client): Limit[] =>
  config.RATE_LIMIT ? [{ ...strict, key: keys.limit.sign(`${call}:${networkOf(client.address)}`) }] : []

/** The counters of a call that checks an account's secret; unknown addresses count alike. */
export const secretLimits = (deps: Deps, call: string, client: Client, email: string): Limit[] => {
  const [tries, failures] = accountKeys(deps, email)
  if (!tries || !failures) return []
  return [...addressLimits(deps, call, client), { ...perAccount, key: tries }, { ...inARow, key: failures }]
}

/** The counters that a proven secret clears. */
export const accountKeys = ({ config, keys }: Deps, email: string): Buffer[] =>
  config.RATE_LIMIT ? [keys.limit.sign(`account:${email}`), keys.limit.sign(`account-in-a-row:${email}`)] : []

/** Contract 1.10: what sends mail, by network. */
const mailSender = { max: 3, seconds: minute }
/** Mail volumes: beyond them an answer stays the same and no mail is sent. */
const mailsOfNetwork = { max: 20, seconds: 60 * minute }
const mailsToAddress = { max: 3, seconds: 15 * minute }
const mailsToAddressDaily = { max: 10, seconds: day }
const invitationsOfUser = { max: 200, seconds: 60 * minute }
const mailsInAll = { max: 5000, seconds: 60 * minute }
/** A signed-in user learns which addresses are taken: five times an hour. */
const changeEmail = { max: 5, seconds: 60 * minute }

/** The counter of a call that sends mail to whatever address it is given. */
export const senderLimits = ({ config, keys }: Deps, call: string, client: Client): Limit[] =>
  config.RATE_LIMIT ? [{ ...mailSender, key: keys.limit.sign(`${call}:${networkOf(client.address)}`) }] : []

/** The network first: who sends too much cannot use up somebody's own share. */
export function mailVolumes({ config, keys }: Deps, client: Client, to: string): Limit[] {
  if (!config.RATE_LIMIT) return []
  const key = (text: string) => keys.limit.sign(text)
  return [
    { ...mailsOfNetwork, key: key(`mail-from:${networkOf(client.address)}`) },
    { ...mailsToAddress, key: key(`mail-to:${mailboxOf(to)}`) },
    { ...mailsToAddressDaily, key: key(`mail-to-daily:${mailboxOf(to)}`) },
    { ...mailsInAll, key: key('mail') },
  ]
}

/** Invitations count by who sends them: a script that invites many works from one network. */
export function invitationVolumes(deps: Deps, client: Client, userId: string, to: string): Limit[] {
  const [ofNetwork, ...others] = mailVolumes(deps, client, to)
  return ofNetwork ? [{ ...invitationsOfUser, key: deps.keys.limit.sign(`mail-by:${userId}`) }, ...others] : []
}

export const changeEmailLimits = ({ config, keys }: Deps, userId: string): Limit[] =>
  config.RATE_LIMIT ? [{ ...changeEmail, key: keys.limit.sign(`change-email:${userId}`) }] : []

/** Several spellings of one mailbox share its volume; they stay different users. */
const mailboxOf = (email: string): string => email.replace(/\+[^@]*@/, '@')

export function refuseIfCounted(refusedFor: number | null): void {
  if (refusedFor !== null) throw new Failure('TOO_MANY_REQUESTS', { retryAfter: refusedFor })
}
