import { Box, useStdin } from 'ink'
import { useContext, useEffect } from 'react'
import { Line, Prose, Spinner } from '../components/primitives.tsx'
import { TopScreenContext } from '../hooks/use-load.ts'
import { useDelayedFlag } from '../hooks/use-time.ts'
import { Keyboard } from '../terminal/keyboard.ts'
import type { ShownError } from '../text/shown-error.ts'

export interface LoadNoteProps {
  readonly isLoading: boolean
  readonly shownError: ShownError | undefined
  readonly empty: string
}

/** Keys typed ahead were meant for data. Where it could not be loaded, they would be commands. */
function useTypedAhead(hasFailed: boolean): void {
  const { stdin } = useStdin()
  const isOnTop = useContext(TopScreenContext)
  useEffect(() => {
    if (hasFailed && isOnTop && stdin instanceof Keyboard) stdin.forgetUnseen()
  }, [stdin, hasFailed, isOnTop])
}

/** Shown in place of missing data. */
export function LoadNote({ isLoading, shownError, empty }: LoadNoteProps) {
  const isLate = useDelayedFlag(isLoading)
  useTypedAhead(!isLoading && shownError !== undefined)
  if (isLoading && !isLate) return <Line spans={[{ text: ' ' }]} />
  if (isLoading) return <Waiting />
  if (!shownError) return <Prose text={empty} tone="muted" />
  return (
    <Box flexDirection="column">
      <Prose text={shownError.sentence} tone="danger" />
      {shownError.hint !== undefined && <Prose text={shownError.hint} tone="muted" />}
      <Line
        spans={[
          { text: 'R', tone: 'accent' },
          { text: ' tries again', tone: 'muted' },
        ]}
      />
    </Box>
  )
}

const Waiting = () => (
  <Box columnGap={1}>
    <Spinner />
    <Line spans={[{ text: 'Asking the service…   keys wait, esc leaves', tone: 'muted' }]} />
  </Box>
)
