import type { Organization } from '../../../shared/organization.ts'
import { loadOrganization, type OrganizationView } from '../../flows/org/view.ts'
import { activeOrganization } from '../state/app-state.ts'
import { isFresh, keepOrganizationRead, keptOrganization } from '../state/kept-organizations.ts'
import { useAppState, useShell } from './use-shell.ts'

export interface NearOrganization {
  readonly organization: Organization
  /** The last known data, which may be outdated. */
  readonly view: OrganizationView | undefined
  /** The read in progress. Undefined when `view` is current. */
  readonly news: Promise<OrganizationView> | undefined
}

/** The organization on the screen, otherwise the active one. Its data is read once for all users of this hook. */
export function useNearOrganization(): () => NearOrganization | undefined {
  const { within, places } = useShell()
  const state = useAppState()
  return () => {
    const { organizations, connection, me } = state
    // After the user has left the organization on the screen, offers nothing rather than another organization's
    // actions.
    const organization =
      within === undefined ? activeOrganization(state) : organizations?.find((one) => one.id === within)
    if (!organization || !connection || !me) return undefined
    const { id } = organization
    const read = () => loadOrganization(connection.quiet, id, me.session)
    const last = keptOrganization(places, id)
    const { view, news } = isFresh(last, state) ? last : keepOrganizationRead(places, state, { id, read: read() })
    return { organization, view, news }
  }
}
