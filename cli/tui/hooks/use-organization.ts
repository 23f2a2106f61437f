import { useCallback } from 'react'
import { loadOrganization, type OrganizationView } from '../../flows/org/view.ts'
import type { TuiConnection } from '../ports.ts'
import { keepOrganization } from '../state/kept-organizations.ts'
import type { LoadState } from '../state/load-state.ts'
import { useAppState } from './use-app-state.ts'
import { useLoad } from './use-load.ts'
import { useShell } from './use-shell.ts'

/** One organization with all in it, read again after changes. */
export function useOrganization(id: string): LoadState<OrganizationView> {
  const { store, places } = useShell()
  const userId = useAppState().me?.user.id
  const load = useCallback(
    (connection: TuiConnection) => {
      const news = loadOrganization(connection, id, userId)
      keepOrganization(places, store.state, { id, news })
      return news
    },
    [store, places, id, userId],
  )
  return useLoad(load)
}
