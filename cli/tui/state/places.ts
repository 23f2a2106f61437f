import type { Route } from './shell-state.ts'

/** What is kept of each screen, for when a person comes back to it. */
export type Places = Map<string, unknown>

/** The name under which a screen's places are kept. */
export const placeOf = ({ screen, subject = '', organizationId = '' }: Route): string =>
  `${screen} ${organizationId} ${subject}`
