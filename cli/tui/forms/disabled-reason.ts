export const readOnlyReason = 'read-only mode is on'
export const impersonatingReason = 'not while impersonating: stop that first'

/** Modes that disable many actions at once. */
export interface Restrictions {
  readonly isReadOnly: boolean
  readonly isImpersonating: boolean
}

interface Act {
  readonly writes: boolean
  readonly isForOneself: boolean
  readonly disabledReason?: string | undefined
}

/** Why the action is disabled, before anything is asked or sent. */
export function disabledReasonOf(
  { writes, isForOneself, disabledReason }: Act,
  mode: Restrictions,
): string | undefined {
  if (isForOneself && mode.isImpersonating) return impersonatingReason
  return writes && mode.isReadOnly ? readOnlyReason : disabledReason
}
