import { Box } from 'ink'
import type { ReactNode } from 'react'
import type { Detail } from '../../flows/resource-fields.ts'
import { Footer } from '../components/footer.tsx'
import { Rule } from '../components/rule.tsx'
import { type Intents, useBindings } from '../hooks/use-bindings.ts'
import type { ListControl } from '../hooks/use-list.ts'
import { useShell } from '../hooks/use-shell.ts'
import { useShellIntents } from '../hooks/use-shell-intents.ts'
import { screenFooterOf } from '../keys/key-text.ts'
import type { Intent, KeyScope } from '../keys/names.ts'
import type { LoadState } from '../state/load-state.ts'
import type { ActionMenu, DisabledReasons } from '../state/overlays.ts'
import { Beside } from './detail-pane.tsx'
import { LoadNote } from './load-note.tsx'

export interface ScreenProps {
  /** On top of the stack, with nothing over it. */
  readonly isActive: boolean
}

type PageList = Pick<ListControl<unknown>, 'state' | 'intents' | 'typing' | 'idle'>

export interface PageProps extends ScreenProps {
  readonly screen: KeyScope
  readonly intents: Intents
  /** Why an intent is disabled now; it stays listed. */
  readonly disabledReasons?: DisabledReasons
  /** What `x` shows, and `:` finds. */
  readonly actions?: ActionMenu | undefined
  /** What the screen is a list of, with the keys to move in it; while a filter is typed its keys take their place. */
  readonly list?: PageList
  /** What the keys of the screen are about is not there yet. */
  readonly isLoading?: boolean
  /** A line above the list, over the whole width. */
  readonly above?: ReactNode
  /** What is selected: a wide terminal shows it beside the list. */
  readonly detail?: Detail | undefined
  readonly children: ReactNode
}

const none: ReadonlySet<Intent> = new Set()

/** The body of a screen and its footer, with the keys of the screen and of the frame around it. */
export function Page(props: PageProps) {
  const { above, detail, children } = props
  const { width, height, isNarrow } = useShell()
  const keys = usePageKeys(props)
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

export type Loaded<V> = Pick<LoadState<V>, 'data' | 'isLoading' | 'shownError'>

interface WaitingProps extends Pick<PageProps, 'screen' | 'intents' | 'isActive'> {
  readonly loaded: Loaded<unknown>
  /** Said where there is nothing. */
  readonly gone: string
}

/** A screen whose data is not there, yet or any more. */
export function Waiting({ loaded: { data, isLoading, shownError }, gone, ...props }: WaitingProps) {
  const waits = data === undefined && isLoading
  return (
    <Page {...props} isLoading={waits}>
      <LoadNote isLoading={waits} shownError={shownError} empty={gone} />
    </Page>
  )
}

/** Has them work, and answers those of the footer. */
function usePageKeys({ screen, isActive, isLoading, list, actions, intents, disabledReasons = {} }: PageProps) {
  const { below } = useShell()
  const typing = list?.state.isTyping ? list.typing.intents : undefined
  const scope = typing ? 'typing' : screen
  const idle = (!isLoading && list?.idle) || none
  const own = { ...list?.intents, ...intents }
  const all = useShellIntents({ scope: screen, own, disabledReasons, idle, actions })
  const working = typing ?? all
  useBindings(scope, working, isActive, isLoading)
  // What does nothing here is not shown.
  return screenFooterOf(scope, below === undefined)
    .filter(({ intent }) => working[intent] !== undefined && !idle.has(intent))
    .map(({ intent, ...key }) => ({ ...key, isDisabled: disabledReasons[intent] !== undefined }))
}
