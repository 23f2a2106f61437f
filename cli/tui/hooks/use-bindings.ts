import { type Key, useInput, useStdin } from 'ink'
import { useCallback, useLayoutEffect, useRef } from 'react'
import { keyName } from '../keymap/key-name.ts'
import { type Binding, findBinding, isTextScope, keyGroups } from '../keymap/keymap.ts'
import { type Intent, type KeyScope } from '../keymap/names.ts'
import { Keyboard } from '../terminal/keyboard.ts'
import { useKeymap } from './use-keymap.ts'

export type Intents = Partial<Readonly<Record<Intent, () => void>>>

/**
 * Runs the intents of a scope's keys, as of the last render. Pasted text never counts as keys. With `isLoading`, all
 * keys wait for the data, except those that work everywhere.
 */
export function useBindings(scope: KeyScope, intents: Intents, isActive = true, isLoading = false): void {
  const { stdin } = useStdin()
  const keymap = useKeymap()
  const latest = useRef({ scope, intents, isActive, isLoading })
  // In the commit itself: effects run later, and a key in between would reach the previous screen.
  useLayoutEffect(() => {
    latest.current = { scope, intents, isActive, isLoading }
  })
  useLayoutEffect(() => {
    if (!isActive || !isLoading || !(stdin instanceof Keyboard)) return undefined
    return () => stdin.release()
  }, [stdin, isActive, isLoading])
  const handle = useCallback(
    (input: string, key: Key) => {
      const now = latest.current
      if (!now.isActive || isPasting(stdin)) return
      const name = keyName(input, key)
      if (isTwoKeys(now.scope, name) && stdin instanceof Keyboard) return stdin.comeApart()
      const binding = findBinding(keymap, now.scope, name)
      // Escape drops what is held back. Held itself, it would come again and again.
      if (now.isLoading && name !== 'esc' && isHeld(stdin, binding)) return
      if (binding) now.intents[binding.intent]?.()
    },
    [stdin, keymap],
  )
  useInput(handle)
}

/** In a menu, the key of an action runs it, as on the screen below. */
export function useActKeys<C extends { readonly key?: string | undefined }>(
  choices: readonly C[],
  run: (choice: C) => void,
): void {
  const { stdin } = useStdin()
  useInput((input, key) => {
    if (isPasting(stdin)) return
    const choice = choices.find((one) => one.key !== undefined && one.key === keyName(input, key))
    if (choice) run(choice)
  })
}

const isPasting = (stdin: object): boolean => Reflect.get(stdin, 'isPasting') === true

/** Only text fields use Alt. Elsewhere Alt and a key are Escape and that key, arrived together. */
const isTwoKeys = (scope: KeyScope, name: string): boolean => name.startsWith('alt-') && !isTextScope(scope)

/** Holds back keys that do not work everywhere until the data is there. */
function isHeld(stdin: unknown, binding: Binding | undefined): boolean {
  if (isForShell(binding) || !(stdin instanceof Keyboard)) return false
  stdin.hold()
  return true
}

/** Whether the key works on every screen. */
const isForShell = (binding: Binding | undefined): boolean =>
  [...keyGroups.shell, ...keyGroups.reload].some(({ intent }) => intent === binding?.intent)
