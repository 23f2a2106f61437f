import { useSyncExternalStore } from 'react'
import { useLate } from './use-late.ts'
import { useShell } from './use-shell.ts'

/** Whether somebody has been waiting for an answer long enough to wonder. */
export function useBusy(): boolean {
  const { activity } = useShell().store
  return useLate(useSyncExternalStore(activity.subscribe, activity.isBusy))
}
