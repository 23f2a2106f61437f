import { Box } from 'ink'
import { useState } from 'react'
import { useBindings } from '../hooks/use-bindings.ts'
import { cell } from './columns.ts'
import { Dialog, dialogOverhead } from './dialog.tsx'
import { Line } from './words.tsx'

export interface HelpProps {
  readonly lines: readonly {
    readonly keys: string
    readonly label: string
    readonly disabledReason: string | undefined
  }[]
  readonly width: number
  readonly height: number
  readonly onClose: () => void
}

/** All keys of a screen. */
export function Help({ lines, width, height, onClose }: HelpProps) {
  const room = Math.max(1, Math.min(lines.length, height - dialogOverhead(height)))
  const [start, setStart] = useState(0)
  const scroll = (by: number) => () => setStart(Math.max(0, Math.min(start + by, lines.length - room)))
  useBindings('help', { up: scroll(-1), down: scroll(1), cancel: onClose })
  const more = lines.length > room ? `  (${start + 1}–${start + room} of ${lines.length})` : ''
  return (
    <Dialog title={`Keys of this screen${more}`} width={width} height={height}>
      <Box flexDirection="column" height={room}>
        {lines.slice(start, start + room).map(({ keys, label, disabledReason }) => (
          <Line
            key={`${keys} ${label}`}
            spans={[
              { text: cell(keys, 14), tone: 'accent' },
              { text: label, tone: disabledReason ? 'muted' : 'plain' },
              { text: disabledReason ? `  ${disabledReason}` : '', tone: 'warning' },
            ]}
          />
        ))}
      </Box>
    </Dialog>
  )
}
