import { isSameAccount, type StoredAccount } from '../../accounts/accounts.ts'

/** A change of the acting user by another process on this machine, until the user has acknowledged it. */
export interface Takeover {
  readonly account: string
  /** The account before, if it was another one. */
  readonly former?: string
  /** Email of the user who was impersonated before. Undefined for the account's own. */
  readonly before: string | undefined
  readonly now: string | undefined
}

interface StateBefore {
  readonly current: StoredAccount | undefined
  readonly me: unknown
  readonly takeover: Takeover | undefined
}

/**
 * Whether another account is used than before, or it acts as somebody else, unless this run did it. Changes since an
 * unacknowledged one add up.
 */
export function takeoverOf(
  { current: last, me, takeover }: StateBefore,
  current: StoredAccount,
  isOwn = false,
): Takeover | undefined {
  if (isOwn) return undefined
  if (!last || !me) return takeover
  const isSame = isSameAccount(last, current)
  if (isSame && last.impersonating === current.impersonating) return takeover
  const { before, former } = takeover ?? { before: last.impersonating }
  const account = current.email
  const other = former ?? last.email
  return { account, ...(other !== account && { former: other }), before, now: current.impersonating }
}

interface TakeoverText {
  readonly title: string
  readonly sentence: string
  readonly advice: string
}

export function takeoverText({ account, former, before, now }: Takeover): TakeoverText {
  const advice = 'Keys that you typed before this notice were dropped, and so was an open form.'
  if (former !== undefined)
    return {
      title: now === undefined ? `You are ${account}` : `IMPERSONATING ${now}`,
      sentence: `${former} is no longer signed in on this machine. Everything that you do here is now done as ${now ?? account}.`,
      advice,
    }
  if (now !== undefined)
    return {
      title: `IMPERSONATING ${now}`,
      sentence: `Another terminal on this machine impersonates ${now} with the account ${account}. Everything that you do here is now done as ${now}.`,
      advice,
    }
  return {
    title: `You are ${account} again`,
    sentence: `Another terminal on this machine stopped impersonating ${before ?? 'somebody'}. Everything that you do here is now done as ${account}.`,
    advice,
  }
}
