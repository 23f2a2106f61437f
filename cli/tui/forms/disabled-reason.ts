export const readOnlyReason = 'read-only mode is on'
export const impersonatingReason = 'not while impersonating: stop that first'

/** What may keep a person from much at once. */
export interface Mode {
  readonly isReadOnly: boolean
  readonly isImpersonating: boolean
}

interface Act {
  readonly writes: boolean
  readonly isForOneself: boolean
  readonly disabledReason?: string | undefined
}

/** Why this cannot be done now, before anything is asked or sent. */
export function disabledReasonOf({ writes, isForOneself, disabledReason }: Act, mode: Mode): string | undefined {
  if (isForOneself && mode.isImpersonating) return impersonatingReason
  return writes && mode.isReadOnly ? readOnlyReason : disabledReason
}
