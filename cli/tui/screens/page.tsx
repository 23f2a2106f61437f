import { Box } from 'ink'
import type { ReactNode } from 'react'
import { Footer } from '../components/footer.tsx'
import { Rule } from '../components/rule.tsx'
import { type Intents, useBindings } from '../hooks/use-bindings.ts'
import { useShell } from '../hooks/use-shell.ts'
import { useShellIntents } from '../hooks/use-shell-intents.ts'
import { footerOf, type KeyScope } from '../keys/keys.ts'
import type { DisabledReasons } from '../state/overlays.ts'

export interface ScreenProps {
  /** On top of the stack, with nothing over it. */
  readonly isActive: boolean
}

export interface PageProps extends ScreenProps {
  readonly screen: KeyScope
  readonly intents: Intents
  /** Why an intent is disabled now; it stays listed. */
  readonly disabledReasons?: DisabledReasons
  /** While a filter is typed its keys take the place of the screen's. */
  readonly typing?: Intents | undefined
  readonly children: ReactNode
}

/** The body of a screen and its footer, with the keys of the screen and of the frame around it. */
export function Page({ screen, isActive, intents, disabledReasons = {}, typing, children }: PageProps) {
  const { width, height, isNarrow } = useShell()
  const scope = typing ? 'typing' : screen
  const all = useShellIntents(screen, intents, disabledReasons)
  useBindings(scope, typing ?? all, isActive)
  const keys = footerOf(scope).map(({ intent, ...key }) => ({
    ...key,
    isDisabled: disabledReasons[intent] !== undefined,
  }))
  return (
    <Box flexDirection="column">
      <Box flexDirection="column" height={height} overflow="hidden">
        <Box flexDirection="column" flexShrink={0}>
          {children}
        </Box>
      </Box>
      {!isNarrow && <Rule width={width} />}
      <Footer keys={keys} width={width} />
    </Box>
  )
}
