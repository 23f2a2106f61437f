import { useStdin } from 'ink'
import { useContext, useEffect, useLayoutEffect, useRef, useSyncExternalStore } from 'react'
import { ownerOf } from '../state/app-state.ts'
import type { AppStore } from '../state/app-store.ts'
import { Keyboard } from '../terminal/keyboard.ts'
import { TopScreenContext } from './use-top-screen.ts'

/** Keys typed ahead were meant for data. Where something else is shown in its place, they would be commands. */
export function useDroppedKeys(isMissing: boolean): void {
  const { stdin } = useStdin()
  const isOnTop = useContext(TopScreenContext)
  // In the commit itself: a key typed after the frame is an answer to it.
  useLayoutEffect(() => {
    if (isMissing && isOnTop && stdin instanceof Keyboard) stdin.forgetUnseen()
  }, [stdin, isMissing, isOnTop])
}

/** What a key does, unless it and all after it have to wait for data. */
export function useHeldUntil(isThere: boolean, run: () => void): () => void {
  const { stdin } = useStdin()
  useLayoutEffect(() => {
    if (isThere || !(stdin instanceof Keyboard)) return undefined
    return () => stdin.release()
  }, [stdin, isThere])
  return isThere || !(stdin instanceof Keyboard) ? run : () => stdin.hold()
}

/** Drops keys typed ahead for one user before another user's data arrives. */
export function useKeysOfUser(store: AppStore): void {
  const { stdin } = useStdin()
  const owner = useSyncExternalStore(store.subscribe, () => ownerOf(store.state))
  const before = useRef(owner)
  useEffect(() => {
    const isOther = before.current !== undefined && before.current !== owner
    before.current = owner
    if (isOther && stdin instanceof Keyboard) stdin.forgetHeld()
  }, [stdin, owner])
}
