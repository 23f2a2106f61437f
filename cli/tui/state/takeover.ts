import { isSameAccount, type StoredAccount } from '../../accounts/accounts.ts'

/** A change of the acting user by another process on this machine, until the user has acknowledged it. */
export interface Takeover {
  readonly account: string
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
 * Whether the account acts as somebody else than before, unless this run did it. Changes since an unacknowledged one
 * add up.
 */
export function takeoverOf(
  { current: last, me, takeover }: StateBefore,
  current: StoredAccount,
  isOwn = false,
): Takeover | undefined {
  if (isOwn) return undefined
  if (!last || !me || !isSameAccount(last, current)) return takeover
  if (last.impersonating === current.impersonating) return takeover
  const before = takeover ? takeover.before : last.impersonating
  return { account: current.email, before, now: current.impersonating }
}

interface TakeoverText {
  readonly title: string
  readonly sentence: string
  readonly advice: string
}

export function takeoverText({ account, before, now }: Takeover): TakeoverText {
  const advice = 'Keys that you typed before this notice were dropped, and so was an open form.'
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
