import { useCallback } from 'react'
import { loadOrganization, type OrganizationView } from '../../flows/org/view.ts'
import type { TuiConnection } from '../ports.ts'
import type { LoadState } from '../state/load-state.ts'
import { useAppState } from './use-app-state.ts'
import { useLoad } from './use-load.ts'

/** One organization with all in it, read again after changes. */
export function useOrganization(id: string): LoadState<OrganizationView> {
  const userId = useAppState().me?.user.id
  const load = useCallback((connection: TuiConnection) => loadOrganization(connection, id, userId), [id, userId])
  return useLoad(load)
}
