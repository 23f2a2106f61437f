import { useStdin } from 'ink'
import { useEffect } from 'react'
import type { AppStore } from '../state/app-store.ts'
import { Poller } from '../state/poller.ts'
import { Keyboard } from '../terminal/keyboard.ts'

/** Keeps what is known of accounts and sessions true as long as the terminal is looked at. */
export function usePolling(store: AppStore): void {
  const { stdin } = useStdin()
  useEffect(() => {
    const isOffline = () => store.state.link === 'offline'
    const poller = new Poller({ poll: () => store.poll(), isOffline })
    const focus = (isFocused: boolean) => poller.watched(isFocused)
    const keyboard = stdin instanceof Keyboard ? stdin : undefined
    keyboard?.on('focus', focus)
    poller.start()
    const unsubscribe = whenBack(store, () => poller.soon())
    return () => {
      unsubscribe()
      poller.stop()
      keyboard?.off('focus', focus)
    }
  }, [store, stdin])
}

/** Calls that each time the service is there again, whoever asked it. */
function whenBack(store: AppStore, act: () => void): () => void {
  let { link } = store.state
  return store.subscribe(() => {
    const before = link
    link = store.state.link
    if (before === 'offline' && link === 'online') act()
  })
}
