import type { OrganizationView } from '../../flows/org/view.ts'
import type { AppState } from './app-state.ts'
import type { Places } from './shell-state.ts'

/** What was read last of an organization, and what is being read of it. */
interface KeptOrganization {
  /** The state of the program at which it was asked for. */
  readonly stamp: string
  readonly view: OrganizationView | undefined
  readonly news: Promise<OrganizationView> | undefined
}

/** Screens read again when this changes: after what was done, and at every beat. */
const stampOf = ({ revision, beat }: AppState): string => `${revision} ${beat}`
const placeOf = (id: string): string => `kept ${id}`

export const keptOrganization = (places: Places, id: string): KeptOrganization | undefined =>
  places.get(placeOf(id)) as KeptOrganization | undefined

/** Whether nothing has changed and no beat has passed since. */
export const isFresh = (kept: KeptOrganization | undefined, state: AppState): kept is KeptOrganization =>
  kept?.stamp === stampOf(state)

/** Keeps what that reading brings, for whoever asks next. */
export function keepOrganization(
  places: Places,
  state: AppState,
  { id, news }: { readonly id: string; readonly news: Promise<OrganizationView> },
): KeptOrganization {
  const [before, stamp] = [keptOrganization(places, id), stampOf(state)]
  const kept = { stamp, view: before?.view, news }
  const settle = (now: KeptOrganization) => void (places.get(placeOf(id)) === kept && places.set(placeOf(id), now))
  places.set(placeOf(id), kept)
  news.then(
    (view) => settle({ stamp, view, news: undefined }),
    // Whoever comes next asks again.
    () => settle({ stamp: '', view: before?.view, news: undefined }),
  )
  return kept
}
