import { type Key, useInput, useStdin } from 'ink'
import { useCallback, useLayoutEffect, useRef } from 'react'
import { keyName } from '../keys/key-name.ts'
import { findBinding, type Intent, type KeyScope } from '../keys/keys.ts'

export type Intents = Partial<Readonly<Record<Intent, () => void>>>

/** Runs what a key means in a scope, by what was painted last. A pasted text is no key. */
export function useBindings(scope: KeyScope, intents: Intents, isActive = true): void {
  const { stdin } = useStdin()
  const latest = useRef({ scope, intents, isActive })
  // In the commit itself: effects run later, and a key between the two would meet the screen before this one.
  useLayoutEffect(() => {
    latest.current = { scope, intents, isActive }
  })
  const handle = useCallback(
    (input: string, key: Key) => {
      const now = latest.current
      if (!now.isActive || Reflect.get(stdin, 'isPasting') === true) return
      const binding = findBinding(now.scope, keyName(input, key))
      if (binding) now.intents[binding.intent]?.()
    },
    [stdin],
  )
  useInput(handle)
}
