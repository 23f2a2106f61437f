import { createContext, useContext, useEffect, useState, useSyncExternalStore } from 'react'
import { ownerOf } from '../state/app-state.ts'
import type { AppStore } from '../state/app-store.ts'
import type { ScreenStates } from '../state/shell-state.ts'
import { useShell } from './use-shell.ts'

/** The key under which the state of a screen and its subject is kept. */
export const ScreenKeyContext = createContext('')

export const useScreenKey = (): string => useContext(ScreenKeyContext)

/** State that survives leaving the screen. */
export function useKeptState<T>(name: string, initial: T): readonly [T, (value: T) => void] {
  const { places } = useShell()
  const key = `${useScreenKey()} ${name}`
  const [value, set] = useState(() => (places.has(key) ? (places.get(key) as T) : initial))
  useEffect(() => void places.set(key, value), [places, key, value])
  return [value, set]
}

/** The kept state of the current user. Another user gets a fresh one. */
export function useScreenStates(store: AppStore): ScreenStates {
  const owner = useSyncExternalStore(store.subscribe, () => ownerOf(store.state))
  const [kept, keep] = useState<{ readonly owner: string | undefined; readonly places: ScreenStates }>(() => ({
    owner,
    places: new Map(),
  }))
  if (owner !== undefined && owner !== kept.owner)
    keep({ owner, places: kept.owner === undefined ? kept.places : new Map() })
  return kept.places
}
