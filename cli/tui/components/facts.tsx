import { Box } from 'ink'
import type { Fact } from '../../flows/resource-fields.ts'
import { escapeControls } from '../../output/escape-controls.ts'
import { fitCell } from './columns.ts'
import { Line } from './primitives.tsx'

/** The labelled values of one resource, one per line. */
export const Facts = ({
  facts,
  labelWidth = 14,
}: {
  readonly facts: readonly Fact[]
  readonly labelWidth?: number
}) => (
  <Box flexDirection="column">
    {facts.map(({ label, value, tone }) => (
      <Line
        key={label}
        spans={[
          { text: `${fitCell(escapeControls(label), labelWidth)} `, tone: 'muted' },
          { text: value, tone },
        ]}
      />
    ))}
  </Box>
)
