import { Box } from 'ink'
import { escapeControls } from '../../output/escape-controls.ts'
import { wrapText } from '../../output/width.ts'
import { Line } from './primitives.tsx'

const linesOf = (text: string, width: number): readonly string[] => wrapText(escapeControls(text), width)

interface Room {
  readonly width: number
  /** Lines for the rows and the reason. */
  readonly height: number
  readonly rows: number
}

/** Rows that stay in sight, however long the reason. */
const leastRows = 2

/**
 * Lines to reserve for the reasons that rows cut off: as many as the longest needs, so that nothing moves from row to
 * row, or only those of the selected row if there is no room.
 */
export function keptFor(cut: readonly string[], selected: string | undefined, { width, height, rows }: Room): number {
  const longest = Math.max(0, ...cut.map((reason) => linesOf(reason, width).length))
  if (rows + longest <= height) return longest
  const own = selected !== undefined && cut.includes(selected) ? linesOf(selected, width).length : 0
  return Math.min(own, Math.max(0, height - leastRows))
}

interface ReasonProps {
  readonly text: string | undefined
  readonly width: number
  readonly height: number
}

/** Why the selected row is disabled, in full, if the row cuts it off. */
export const Reason = ({ text = '', width, height }: ReasonProps) => (
  <Box flexDirection="column" height={height} flexShrink={0}>
    {linesOf(text, width)
      .slice(0, height)
      .map((line, index) => (
        <Line key={index} spans={[{ text: line, tone: 'warning' }]} />
      ))}
  </Box>
)
