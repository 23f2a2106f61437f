import { useSyncExternalStore } from 'react'
import type { AppState } from '../state/app-state.ts'
import { useShell } from './use-shell.ts'

/** Whose session we act with, painted again when that changes. */
export function useAppState(): AppState {
  const { store } = useShell()
  return useSyncExternalStore(store.subscribe, store.snapshot)
}
