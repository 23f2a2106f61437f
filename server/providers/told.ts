import type { Json } from './provider.ts'

/** A yes of those who write their booleans as texts: nothing but `true`, since "false" is a text as well. */
export const isToldTrue = (value: unknown): boolean => value === true || value === 'true'

/** What may be anything, as an object whose members can be looked for; none where it is no object. */
export const membersOf = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}

/** A name told in parts, of which any may be missing. */
export const joined = (...parts: readonly unknown[]): string =>
  parts
    .flatMap((part) => (typeof part === 'string' ? [part.trim()] : []))
    .filter(Boolean)
    .join(' ')
