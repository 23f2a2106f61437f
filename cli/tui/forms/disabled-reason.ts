export const readOnlyReason = 'read-only mode is on'

/** Why this cannot be done now, before anything is asked or sent. */
export const disabledReasonOf = (
  { writes, disabledReason }: { readonly writes: boolean; readonly disabledReason?: string | undefined },
  isReadOnly: boolean,
): string | undefined => (writes && isReadOnly ? readOnlyReason : disabledReason)
