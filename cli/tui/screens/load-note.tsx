import { Box } from 'ink'
import { Line, Prose } from '../components/words.tsx'
import type { Fault } from '../fault.ts'

export interface LoadNoteProps {
  readonly isLoading: boolean
  readonly fault: Fault | undefined
  readonly empty: string
}

/** What stands where data will be. */
export function LoadNote({ isLoading, fault, empty }: LoadNoteProps) {
  if (isLoading) return <Line spans={[{ text: 'Asking the service…', tone: 'muted' }]} />
  if (!fault) return <Line spans={[{ text: empty, tone: 'muted' }]} />
  return (
    <Box flexDirection="column">
      <Prose text={fault.sentence} tone="danger" />
      {fault.hint !== undefined && <Prose text={fault.hint} tone="muted" />}
      <Line
        spans={[
          { text: 'R', tone: 'accent' },
          { text: ' tries again', tone: 'muted' },
        ]}
      />
    </Box>
  )
}
