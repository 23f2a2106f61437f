import type { Organization } from '../../../shared/organization.ts'
import { loadOrganization, type OrganizationView } from '../../flows/org/view.ts'
import { activeOrganization } from '../state/app-state.ts'
import { isFresh, keepOrganization, keptOrganization } from '../state/kept-organizations.ts'
import { useAppState } from './use-app-state.ts'
import { useShell } from './use-shell.ts'

interface Near {
  readonly organization: Organization
  /** As it was read last. */
  readonly view: OrganizationView | undefined
  /** As it is, where that is not known already. */
  readonly news: Promise<OrganizationView> | undefined
}

/** The organization that is looked at, else the active one; what was read of it is asked for once. */
export function useNearOrganization(): () => Near | undefined {
  const { within, places } = useShell()
  const state = useAppState()
  return () => {
    const { organizations, connection, me } = state
    // Of one that I am in no more nothing is offered, least of all something of another.
    const organization =
      within === undefined ? activeOrganization(state) : organizations?.find((one) => one.id === within)
    if (!organization || !connection || !me) return undefined
    const { id } = organization
    const read = () => loadOrganization(connection.quiet, id, me.user.id)
    const last = keptOrganization(places, id)
    const { view, news } = isFresh(last, state) ? last : keepOrganization(places, state, { id, news: read() })
    return { organization, view, news }
  }
}
