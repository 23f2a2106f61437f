import { Box } from 'ink'
import { useState } from 'react'
import { useBindings } from '../hooks/use-bindings.ts'
import { cell } from './columns.ts'
import { Dialog, dialogOverhead, dialogRoom } from './dialog.tsx'
import { TextField } from './field.tsx'
import { Line, type Span } from './words.tsx'

interface HelpLine {
  readonly keys: string
  readonly label: string
  readonly disabledReason: string | undefined
}

export interface HelpProps {
  readonly sections: readonly { readonly title: string; readonly lines: readonly HelpLine[] }[]
  readonly width: number
  readonly height: number
  /** Whether a filter is typed. */
  readonly isTyping: boolean
  readonly setTyping: (isTyping: boolean) => void
  readonly onClose: () => void
}

const keysWidth = 14

/** All keys of a screen, those of their own first; a filter narrows them. */
export function Help({ sections, width, height, isTyping, setTyping, onClose }: HelpProps) {
  const [filter, setFilter] = useState('')
  const [asked, setStart] = useState(0)
  const lines = linesOf(sections, filter.toLowerCase())
  const isFiltered = isTyping || filter !== ''
  const room = Math.max(1, Math.min(lines.length, height - dialogOverhead(height) - (isFiltered ? 1 : 0)))
  const start = Math.max(0, Math.min(asked, lines.length - room))
  const scroll = (by: number) => () => setStart(Math.max(0, start + by))
  const clear = () => {
    setFilter('')
    setTyping(false)
  }
  useBindings(
    isTyping ? 'typing' : 'help',
    isTyping
      ? { keep: () => setTyping(false), cancel: clear }
      : {
          up: scroll(-1),
          down: scroll(1),
          filter: () => setTyping(true),
          cancel: isFiltered ? clear : onClose,
        },
  )
  const more = lines.length > room ? `  (${start + 1}–${start + room} of ${lines.length})` : ''
  return (
    <Dialog title={`Keys of this screen${more}`} width={width} height={height}>
      {isFiltered && (
        <TextField
          label="/"
          labelWidth={1}
          value={filter}
          isActive={isTyping}
          width={dialogRoom(width)}
          onChange={setFilter}
        />
      )}
      <Box flexDirection="column" height={room}>
        {lines.slice(start, start + room).map((spans, index) => (
          <Line key={index} spans={spans} />
        ))}
        {lines.length === 0 && <Line spans={[{ text: 'Nothing matches', tone: 'muted' }]} />}
      </Box>
    </Dialog>
  )
}

const linesOf = (sections: HelpProps['sections'], wanted: string): readonly (readonly Span[])[] =>
  sections.flatMap(({ title, lines }) => {
    const shown = lines.filter(({ keys, label }) => `${keys} ${label}`.toLowerCase().includes(wanted))
    return shown.length > 0 ? [[{ text: title, isBold: true }], ...shown.map(spansOf)] : []
  })

const spansOf = ({ keys, label, disabledReason }: HelpLine): readonly Span[] => [
  { text: `  ${cell(keys, keysWidth)}`, tone: 'accent' },
  { text: label, tone: disabledReason ? 'muted' : 'plain' },
  { text: disabledReason ? `  (not now: ${disabledReason})` : '', tone: 'warning' },
]
