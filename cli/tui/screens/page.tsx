import { Box } from 'ink'
import type { ReactNode } from 'react'
import { Footer } from '../components/footer.tsx'
import { Rule } from '../components/rule.tsx'
import type { Detail } from '../details/detail.ts'
import { type Intents, useBindings } from '../hooks/use-bindings.ts'
import { useShell } from '../hooks/use-shell.ts'
import { useShellIntents } from '../hooks/use-shell-intents.ts'
import { screenFooterOf } from '../keys/key-text.ts'
import type { KeyScope } from '../keys/keys.ts'
import type { DisabledReasons } from '../state/overlays.ts'
import { Beside } from './beside.tsx'

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
  /** What the keys of the screen are about is not there yet. */
  readonly isLoading?: boolean
  /** A line above the list, over the whole width. */
  readonly above?: ReactNode
  /** What is selected: a wide terminal shows it beside the list. */
  readonly detail?: Detail | undefined
  readonly children: ReactNode
}

/** The body of a screen and its footer, with the keys of the screen and of the frame around it. */
export function Page(props: PageProps) {
  const { screen, isActive, isLoading, intents, disabledReasons = {}, typing, above, detail, children } = props
  const { width, height, isNarrow, below } = useShell()
  const scope = typing ? 'typing' : screen
  const all = useShellIntents(screen, intents, disabledReasons)
  useBindings(scope, typing ?? all, isActive, isLoading)
  // What does nothing here is not shown.
  const keys = screenFooterOf(scope, below === undefined)
    .filter(({ intent }) => (typing ?? all)[intent] !== undefined)
    .map(({ intent, ...key }) => ({ ...key, isDisabled: disabledReasons[intent] !== undefined }))
  return (
    <Box flexDirection="column">
      <Box flexDirection="column" height={height} overflow="hidden">
        <Box flexDirection="column" flexShrink={0}>
          {above}
          <Beside detail={detail} height={height - (above ? 1 : 0)}>
            {children}
          </Beside>
        </Box>
      </Box>
      {!isNarrow && <Rule width={width} />}
      <Footer keys={keys} width={width} />
    </Box>
  )
}
