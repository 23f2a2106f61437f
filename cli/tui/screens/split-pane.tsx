import { Box } from 'ink'
import type { ReactNode } from 'react'
import type { Detail } from '../../flows/resource-fields.ts'
import { fitCell } from '../components/columns.ts'
import { Facts } from '../components/facts.tsx'
import { Line, Prose } from '../components/primitives.tsx'
import { ShellContext, useShell } from '../hooks/use-shell.ts'

/** A resource on a screen of its own, one line per value. */
export const DetailView = ({ detail: { facts, texts = [] } }: { readonly detail: Detail }) => (
  <Box flexDirection="column" rowGap={1}>
    <Facts facts={facts} />
    {texts.map(({ text, tone }) => (
      <Prose key={text} text={text} tone={tone} />
    ))}
  </Box>
)

/** Leaves room for a whole id in a terminal of 120 columns. */
const labelWidth = 12

/** The details beside a list, where long values wrap. */
const DetailPane = ({ detail: { title, facts, texts = [] } }: { readonly detail: Detail }) => (
  <Box flexDirection="column" flexShrink={0}>
    <Line spans={[{ text: title, isBold: true }]} />
    <Line spans={[{ text: ' ' }]} />
    {facts.map(({ label, value, tone }) => (
      <Box key={label} flexShrink={0} columnGap={1}>
        <Box flexShrink={0}>
          <Line spans={[{ text: fitCell(label, labelWidth), tone: 'muted' }]} />
        </Box>
        <Box flexShrink={1}>
          <Prose text={value} tone={tone ?? 'plain'} />
        </Box>
      </Box>
    ))}
    {texts.map(({ text, tone }) => (
      <Box key={text} marginTop={1} flexShrink={0}>
        <Prose text={text} tone={tone} />
      </Box>
    ))}
  </Box>
)

/** Columns inside the frame of a 120-column terminal. From this width on, a list and its details fit side by side. */
const minSplitWidth = 118
/** A line with a blank column on each side. */
const gap = 3
const maxDetail = 80

/**
 * Shows a list, and in a wide terminal the details of the selected item beside it. The list gets the remaining width
 * from the context.
 */
export function SplitPane({ detail, height, children }: SplitPaneProps) {
  const shell = useShell()
  const shown = shell.width >= minSplitWidth ? detail : undefined
  const width = Math.min(maxDetail, Math.floor(shell.width * 0.42))
  const room = shown ? shell.width - width - gap : shell.width
  return (
    <Box height={height}>
      <Box flexDirection="column" width={room} flexShrink={0}>
        <ShellContext.Provider value={{ ...shell, width: room }}>{children}</ShellContext.Provider>
      </Box>
      {shown && (
        <Box
          borderStyle="single"
          borderTop={false}
          borderBottom={false}
          borderRight={false}
          borderDimColor
          marginLeft={1}
          paddingLeft={1}
          width={width + gap - 1}
          height={height}
          overflow="hidden"
          flexDirection="column"
        >
          <DetailPane detail={shown} />
        </Box>
      )}
    </Box>
  )
}

interface SplitPaneProps {
  readonly detail: Detail | undefined
  readonly height: number
  readonly children: ReactNode
}
