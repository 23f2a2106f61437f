import { createContext, useContext, useEffect, useState, useSyncExternalStore } from 'react'
import { ownerOf } from '../state/app-state.ts'
import type { AppStore } from '../state/app-store.ts'
import type { Places } from '../state/shell-state.ts'
import { useShell } from './use-shell.ts'

/** The key under which the state of a screen and its subject is kept. */
export const PlaceContext = createContext('')

export const usePlace = (): string => useContext(PlaceContext)

/** State that survives leaving the screen. */
export function useKept<T>(name: string, initial: T): readonly [T, (value: T) => void] {
  const { places } = useShell()
  const key = `${usePlace()} ${name}`
  const [value, set] = useState(() => (places.has(key) ? (places.get(key) as T) : initial))
  useEffect(() => void places.set(key, value), [places, key, value])
  return [value, set]
}

/** The kept state of the current user. Another user gets a fresh one. */
export function usePlaces(store: AppStore): Places {
  const owner = useSyncExternalStore(store.subscribe, () => ownerOf(store.state))
  const [kept, keep] = useState<{ readonly owner: string | undefined; readonly places: Places }>(() => ({
    owner,
    places: new Map(),
  }))
  if (owner !== undefined && owner !== kept.owner)
    keep({ owner, places: kept.owner === undefined ? kept.places : new Map() })
  return kept.places
}
