import { numberedScreens } from '../keys/names.ts'
import type { AppState } from '../state/app-state.ts'
import type { Route } from '../state/shell-state.ts'

/** What a screen is called; an organization by its name of now, whoever changed it. */
export function routeTitle(
  { screen, subject, title }: Route,
  { organizations }: Partial<Pick<AppState, 'organizations'>>,
): string {
  const organization = screen === 'organization' ? organizations?.find(({ id }) => id === subject) : undefined
  if (organization) return organization.name
  if (title !== undefined) return title
  if (screen === 'session') return 'Session'
  if (screen === 'request') return `Request ${subject ?? ''}`
  return numberedScreens.find((numberedScreen) => numberedScreen.screen === screen)?.title ?? screen
}
