import type { AppState } from './app-state.ts'

/** Whose all that is shown is: a person at a service, as themselves or as somebody else. Undefined: not known yet. */
export function ownerOf({ current, me }: Pick<AppState, 'current' | 'me'>): string | undefined {
  if (current) return `${current.origin} ${current.email} ${current.impersonating ?? ''}`
  return me === null ? 'nobody' : undefined
}
