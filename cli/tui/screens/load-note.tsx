import { Box } from 'ink'
import { Line, Prose } from '../components/words.tsx'
import type { ShownError } from '../text/shown-error.ts'

export interface LoadNoteProps {
  readonly isLoading: boolean
  readonly shownError: ShownError | undefined
  readonly empty: string
}

/** What stands where data will be. */
export function LoadNote({ isLoading, shownError, empty }: LoadNoteProps) {
  if (isLoading) return <Line spans={[{ text: 'Asking the service…', tone: 'muted' }]} />
  if (!shownError) return <Line spans={[{ text: empty, tone: 'muted' }]} />
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
