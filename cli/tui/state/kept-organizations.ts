import type { OrganizationView } from '../../flows/org/view.ts'
import { type AppState, keepIfEqual } from './app-state.ts'
import type { ScreenStates } from './shell-state.ts'

/** An organization's last known data, and the pending read. */
interface KeptOrganization {
  /** The app state when the read started. */
  readonly stamp: string
  readonly view: OrganizationView | undefined
  readonly news: Promise<OrganizationView> | undefined
}

/** Changes after every action and at every beat, when screens read again. */
const stampOf = ({ revision, beat }: AppState): string => `${revision} ${beat}`
const placeOf = (id: string): string => `kept ${id}`

export const keptOrganization = (places: ScreenStates, id: string): KeptOrganization | undefined =>
  places.get(placeOf(id)) as KeptOrganization | undefined

/** Whether nothing has changed and no beat has passed since the read. */
export const isFresh = (kept: KeptOrganization | undefined, state: AppState): kept is KeptOrganization =>
  kept?.stamp === stampOf(state)

/** Stores the result of a read for later callers. If nothing is new, it is the same object as before. */
export function keepOrganizationRead(
  places: ScreenStates,
  state: AppState,
  { id, read }: { readonly id: string; readonly read: Promise<OrganizationView> },
): KeptOrganization & { readonly news: Promise<OrganizationView> } {
  const [before, stamp] = [keptOrganization(places, id), stampOf(state)]
  const news = read.then((view) => (before?.view ? keepIfEqual(before.view, view) : view))
  const kept = { stamp, view: before?.view, news }
  const settle = (now: KeptOrganization) => void (places.get(placeOf(id)) === kept && places.set(placeOf(id), now))
  places.set(placeOf(id), kept)
  news.then(
    (view) => settle({ stamp, view, news: undefined }),
    // The next caller reads again.
    () => settle({ stamp: '', view: before?.view, news: undefined }),
  )
  return kept
}
