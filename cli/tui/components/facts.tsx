import { Box } from 'ink'
import type { Fact } from '../../flows/resource-fields.ts'
import { escapeControls } from '../../output/escape-controls.ts'
import { displayWidth } from '../../output/width.ts'
import { fitCell } from './columns.ts'
import { Line, type SpanLines, wrapSpans } from './primitives.tsx'

const defaultLabelWidth = 14

/** The labelled values in full, long ones in several lines. */
export const factLines = (facts: readonly Fact[], width: number, labelWidth = defaultLabelWidth): SpanLines =>
  facts.flatMap(({ label, value, tone }) =>
    wrapSpans([{ text: value, tone }], Math.max(1, width - labelWidth - 1)).map((spans, index) => [
      { text: `${fitCell(index === 0 ? escapeControls(label) : '', labelWidth)} `, tone: 'muted' as const },
      ...spans,
    ]),
  )

/** The columns of a value where each has one line. */
export const valueWidth = (width: number): number => Math.max(1, width - defaultLabelWidth - 1)

/** Whether a value is cut where each has one line. */
export const hasCutValue = (facts: readonly Fact[], width: number): boolean =>
  facts.some(({ value }) => displayWidth(escapeControls(value)) > valueWidth(width))

/** The labelled values of one resource, one per line. */
export const Facts = ({ facts }: { readonly facts: readonly Fact[] }) => (
  <Box flexDirection="column" flexShrink={0}>
    {facts.map(({ label, value, tone }, index) => (
      <Line
        key={index}
        spans={[
          { text: `${fitCell(escapeControls(label), defaultLabelWidth)} `, tone: 'muted' },
          { text: value, tone },
        ]}
      />
    ))}
  </Box>
)
