import { Box, useStdin } from 'ink'
import { type ReactNode, useLayoutEffect } from 'react'
import { escapeControls } from '../../output/escape-controls.ts'
import { displayWidth, wrapAtMost } from '../../output/width.ts'
import { countText } from '../../output/words.ts'
import { useBindings } from '../hooks/use-bindings.ts'
import { useKeymap } from '../hooks/use-keymap.ts'
import { keyOf } from '../keymap/key-text.ts'
import { Keyboard } from '../terminal/keyboard.ts'
import type { Tone } from '../theme.ts'
import { Blank, Line, Lines, Prose, useBorder } from './primitives.tsx'

interface DialogProps {
  readonly title: string
  readonly tone?: Tone
  readonly width: number
  readonly height: number
  /** Columns of the widest line, if known. The dialog takes them if there is room. */
  readonly content?: number
  /** Lines for a title that does not fit in one. */
  readonly titleLines?: number
  /** Without frame and blank lines. By default when the room is tight. */
  readonly isBare?: boolean
  readonly children: ReactNode
}

/** Columns of running text. Longer lines are hard to read. */
const proseWidth = 76

/** Whether there is too little room for a dialog's frame and blank lines. */
export const hasTightHeight = (height: number): boolean => height < 9

/** Lines of a dialog besides its content: title and frame. */
export const dialogOverhead = (height: number): number => (hasTightHeight(height) ? 1 : 3)

const widthOf = (width: number, content = proseWidth - 4): number => Math.min(width, Math.max(44, content + 4))

/** Columns for text inside a dialog. */
export const dialogRoom = (width: number, content?: number): number => widthOf(width, content) - 4

interface VisibleRange {
  readonly start: number
  readonly shown: number
  readonly count: number
}

/** The title with the visible range, when not everything fits. */
export const titleWithRange = (title: string, { start, shown, count }: VisibleRange): string =>
  count > shown ? `${title}  (${countText(start + 1)}–${countText(start + shown)} of ${countText(count)})` : title

/** A framed box in the middle of the screen. What lies around it stays visible. */
export function Dialog(props: DialogProps) {
  const {
    title,
    tone = 'accent',
    width,
    height,
    content,
    titleLines = 1,
    isBare = hasTightHeight(height),
    children,
  } = props
  const border = useBorder(tone)
  const own = widthOf(width, content === undefined ? undefined : Math.max(content, displayWidth(title)))
  const place = { width, height, flexShrink: 0, overflowY: 'hidden' } as const
  const inside = (
    <Box flexDirection="column" paddingX={1}>
      <Lines
        lines={wrapAtMost(escapeControls(title), isBare ? width - 2 : own - 4, titleLines).map((text) => [
          { text, isBold: true, tone },
        ])}
      />
      {children}
    </Box>
  )
  if (isBare)
    return (
      <Box {...place} flexDirection="column">
        <Blank width={width} height={height} />
        {inside}
      </Box>
    )
  return (
    <Box {...place} justifyContent="center" alignItems="center">
      <Box flexDirection="column" flexShrink={0} width={own} borderStyle="round" {...border}>
        <Blank width={own - 2} height={height} />
        {inside}
      </Box>
    </Box>
  )
}

interface SecretViewProps {
  /** What the action did. */
  readonly sentence: string
  readonly secret: string
  readonly width: number
  readonly height: number
  readonly onCopy: () => void
  readonly onClose: () => void
}

/** A secret that is shown only once. Keys typed ahead do not close it. */
export function SecretView({ sentence, secret, width, height, onCopy, onClose }: SecretViewProps) {
  const margin = hasTightHeight(height) ? 0 : 1
  const keymap = useKeymap()
  useBindings('secret', { 'copy-id': onCopy, cancel: onClose })
  return (
    <Dialog title={sentence} width={width} height={height}>
      {/* In a small window the advice is cut, never the secret. */}
      <Box marginY={margin} flexDirection="column" flexShrink={0}>
        <Prose text={secret} tone="accent" isBold />
      </Box>
      <Box flexDirection="column" flexShrink={0}>
        <Line spans={[{ text: keyOf(keymap, 'revealed', 'copy-id'), tone: 'accent' }, { text: ' copies it' }]} />
        <Prose text="This is shown once. Store it safely." />
      </Box>
    </Dialog>
  )
}

interface TakeoverViewProps {
  readonly title: string
  readonly sentence: string
  readonly advice: string
  readonly width: number
  readonly height: number
  readonly onClose: () => void
}

/** The account acts as somebody else from now on. Keys typed for the former user reach nothing. */
export function TakeoverView({ title, sentence, advice, width, height, onClose }: TakeoverViewProps) {
  const { stdin } = useStdin()
  useLayoutEffect(() => {
    if (stdin instanceof Keyboard) stdin.forgetAll()
  }, [stdin, title])
  const margin = hasTightHeight(height) ? 0 : 1
  useBindings('takeover', { cancel: onClose })
  return (
    <Dialog title={title} tone="danger" titleLines={height} width={width} height={height}>
      <Box marginTop={margin} flexDirection="column" flexShrink={0}>
        <Prose text={sentence} isBold />
      </Box>
      <Box marginTop={margin} flexDirection="column" flexShrink={0}>
        <Prose text={advice} tone="muted" />
      </Box>
    </Dialog>
  )
}
