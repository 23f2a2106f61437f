import { Box } from 'ink'
import { Line, Prose, Spinner } from '../components/primitives.tsx'
import { useKeymap } from '../hooks/use-keymap.ts'
import { useShell } from '../hooks/use-shell.ts'
import { useDelayedFlag } from '../hooks/use-time.ts'
import { useDroppedKeys } from '../hooks/use-typed-ahead.ts'
import { keyOf } from '../keymap/key-text.ts'
import type { ShownError } from '../text/shown-error.ts'

interface LoadNoteProps {
  readonly isLoading: boolean
  readonly shownError: ShownError | undefined
  readonly empty: string
}

/** Shown in place of missing data. */
export function LoadNote({ isLoading, shownError, empty }: LoadNoteProps) {
  const isLate = useDelayedFlag(isLoading)
  const keymap = useKeymap()
  useDroppedKeys(!isLoading && shownError !== undefined)
  if (isLoading && !isLate) return <Line spans={[{ text: ' ' }]} />
  if (isLoading) return <Waiting leave={keyOf(keymap, 'shell', 'back')} />
  if (!shownError) return <Prose text={empty} tone="muted" />
  return (
    <Box flexDirection="column">
      <Prose text={shownError.sentence} tone="danger" />
      {shownError.hint !== undefined && <Prose text={shownError.hint} tone="muted" />}
      <Line
        spans={[
          { text: keyOf(keymap, 'reload', 'refresh'), tone: 'accent' },
          { text: ' tries again', tone: 'muted' },
        ]}
      />
    </Box>
  )
}

function Waiting({ leave }: { readonly leave: string }) {
  const { isNarrow } = useShell()
  const words = isNarrow ? 'Asking…' : 'Asking the service…'
  return (
    <Box columnGap={1}>
      <Box flexShrink={0}>
        <Spinner />
      </Box>
      <Line spans={[{ text: `${words}   keys wait, ${leave} leaves`, tone: 'muted' }]} />
    </Box>
  )
}
