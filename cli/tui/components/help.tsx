import { Box } from 'ink'
import { useState } from 'react'
import { escapeControls } from '../../output/escape-controls.ts'
import { displayWidth, wrapText } from '../../output/width.ts'
import { useBindings } from '../hooks/use-bindings.ts'
import { useScroll } from '../hooks/use-scroll.ts'
import { fitCell } from './columns.ts'
import { Dialog, dialogOverhead, dialogRoom, titleWithRange } from './dialog.tsx'
import { TextField } from './field.tsx'
import { Line, type Span } from './primitives.tsx'

interface HelpLine {
  readonly keys: string
  readonly label: string
  readonly disabledReason?: string | undefined
}

interface HelpProps {
  readonly sections: readonly { readonly title: string; readonly lines: readonly HelpLine[] }[]
  readonly width: number
  readonly height: number
  /** Whether the user is typing a filter. */
  readonly isTyping: boolean
  readonly setTyping: (isTyping: boolean) => void
  readonly onClose: () => void
}

const keysWidth = 14

/** All keys of a screen, its own first, narrowed by a filter. */
export function Help({ sections, width, height, isTyping, setTyping, onClose }: HelpProps) {
  const [filter, setFilter] = useState('')
  const lines = linesOf(sections, filter.toLowerCase(), dialogRoom(width))
  const isFiltered = isTyping || filter !== ''
  const room = Math.max(1, Math.min(lines.length, height - dialogOverhead(height) - (isFiltered ? 1 : 0)))
  const { start, intents, box } = useScroll(lines.length, room)
  const clear = () => {
    setFilter('')
    setTyping(false)
  }
  useBindings(
    isTyping ? 'typing' : 'help',
    isTyping
      ? { keep: () => setTyping(false), cancel: clear }
      : {
          ...intents,
          filter: () => setTyping(true),
          cancel: isFiltered ? clear : onClose,
        },
  )
  return (
    <Dialog
      title={titleWithRange('Keys of this screen', { start, shown: room, count: lines.length })}
      width={width}
      height={height}
    >
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
      <Box ref={box} flexDirection="column" height={room}>
        {lines.slice(start, start + room).map((spans, index) => (
          <Line key={index} spans={spans} />
        ))}
        {lines.length === 0 && <Line spans={[{ text: 'Nothing matches', tone: 'muted' }]} />}
      </Box>
    </Dialog>
  )
}

const linesOf = (sections: HelpProps['sections'], wanted: string, width: number): readonly (readonly Span[])[] =>
  sections.flatMap(({ title, lines }) => {
    const shown = lines.filter(({ keys, label }) => `${keys} ${label}`.toLowerCase().includes(wanted))
    return shown.length > 0 ? [[{ text: title, isBold: true }], ...shown.flatMap((line) => spansOf(line, width))] : []
  })

/**
 * The action of a key, and why it is disabled. The reason stands beside it if there is room. Wraps to as many lines as
 * needed.
 */
function spansOf({ keys, label, disabledReason }: HelpLine, width: number): readonly (readonly Span[])[] {
  const reason = disabledReason ? `(not now: ${disabledReason})` : ''
  const told: Span = { text: label, tone: reason ? 'muted' : 'plain' }
  const why: Span = { text: reason, tone: 'warning' }
  const room = Math.max(1, width - keysWidth - 2)
  const isBeside = displayWidth(escapeControls(`${label}  ${reason}`)) <= room
  const lines = isBeside ? [[told, { text: '  ' }, why]] : [told, why].flatMap((span) => broken(span, room))
  return lines.map((spans, index) => [
    { text: `  ${fitCell(index === 0 ? keys : '', keysWidth)}`, tone: 'accent' },
    ...spans,
  ])
}

const broken = (span: Span, room: number): readonly (readonly Span[])[] =>
  span.text === '' ? [] : wrapText(escapeControls(span.text), room).map((text) => [{ ...span, text }])
