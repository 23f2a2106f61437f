export const readOnlyRefusal = 'read-only mode is on'

/** Why this cannot be done now, before anything is asked or sent. */
export const refusalOf = (
  { writes, refusal }: { readonly writes: boolean; readonly refusal?: string | undefined },
  isReadOnly: boolean,
): string | undefined => (writes && isReadOnly ? readOnlyRefusal : refusal)
