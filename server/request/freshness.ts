/**
 * How recent a list has to be: only the primary's will do; or a replica's too, once that has what the caller wrote
 * themselves. `after`: where the primary was after their last write. Null without one.
 */
export type Freshness = 'primary' | { readonly after: string | null }
