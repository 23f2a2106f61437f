import { useSyncExternalStore } from 'react'
import type { DeskState } from '../desk.ts'
import { useShell } from './use-shell.ts'

/** Whose session we act with, painted again when that changes. */
export function useDesk(): DeskState {
  const { desk } = useShell()
  return useSyncExternalStore(desk.subscribe, desk.snapshot)
}
