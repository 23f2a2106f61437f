import { useCallback } from 'react'
import { countUnseen } from '../../flows/member/unseen.ts'
import type { TuiConnection } from '../ports.ts'
import { ownerOf } from '../state/app-state.ts'
import { useLoad } from './use-load.ts'
import { useAppState, useShell } from './use-shell.ts'

/** Milliseconds for which a number is good enough. */
const lifetime = 600_000

interface KeptCount {
  readonly of: string
  readonly until: number
  readonly count: Promise<number>
}

/**
 * How many members of the organization were not seen lately. Zero also if the service cannot tell.
 * The service looks at every member for it, so it is asked after a change and every ten minutes, not at every beat.
 */
export function useUnseen(organizationId: string | null): number | undefined {
  const { places } = useShell()
  const app = useAppState()
  const of = `${ownerOf(app)} ${organizationId} ${app.revision}`
  const load = useCallback(
    (connection: TuiConnection): Promise<number> => {
      if (organizationId === null) return Promise.resolve(0)
      const kept = places.get('unseen') as KeptCount | undefined
      if (kept?.of === of && Date.now() < kept.until) return kept.count
      const count = countUnseen(connection, organizationId).catch(() => 0)
      places.set('unseen', { of, until: Date.now() + lifetime, count } satisfies KeptCount)
      return count
    },
    [places, organizationId, of],
  )
  return useLoad(load).data
}
