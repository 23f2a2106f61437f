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
    return () => {
      poller.stop()
      keyboard?.off('focus', focus)
    }
  }, [store, stdin])
}
