import { Box, useStdin } from 'ink'
import { type ReactNode, useEffect, useLayoutEffect, useState } from 'react'
import type { BrowserTask } from '../../flows/waiting.ts'
import { qrLines } from '../../output/qr.ts'
import { clockText } from '../../output/time.ts'
import { displayWidth } from '../../output/width.ts'
import { useBindings } from '../hooks/use-bindings.ts'
import { useKeymap } from '../hooks/use-keymap.ts'
import { useNow } from '../hooks/use-time.ts'
import { keyOf } from '../keymap/key-text.ts'
import { Keyboard } from '../terminal/keyboard.ts'
import type { Tone } from '../theme.ts'
import { Facts } from './facts.tsx'
import { Blank, Line, Prose, useBorder } from './primitives.tsx'

export interface DialogProps {
  readonly title: string
  readonly tone?: Tone
  readonly width: number
  readonly height: number
  /** Columns of the widest line, if known. The dialog takes them if there is room. */
  readonly content?: number
  /** Wraps a title that does not fit in one line. */
  readonly isTitleWhole?: boolean
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

export interface VisibleRange {
  readonly start: number
  readonly shown: number
  readonly count: number
}

/** The title with the visible range, when not everything fits. */
export const titleWithRange = (title: string, { start, shown, count }: VisibleRange): string =>
  count > shown ? `${title}  (${start + 1}–${start + shown} of ${count})` : title

/** A framed box in the middle of the screen. What lies around it stays visible. */
export function Dialog(props: DialogProps) {
  const {
    title,
    tone = 'accent',
    width,
    height,
    content,
    isTitleWhole,
    isBare = hasTightHeight(height),
    children,
  } = props
  const border = useBorder(tone)
  const own = widthOf(width, content === undefined ? undefined : Math.max(content, displayWidth(title)))
  const place = { width, height, flexShrink: 0, overflowY: 'hidden' } as const
  const inside = (
    <Box flexDirection="column" paddingX={1}>
      <Box flexShrink={0}>
        {isTitleWhole ? (
          <Prose text={title} isBold tone={tone} />
        ) : (
          <Line spans={[{ text: title, isBold: true, tone }]} />
        )}
      </Box>
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

interface ErrorViewProps {
  readonly title?: string | undefined
  readonly sentence: string
  readonly hint: string | undefined
  readonly details: readonly (readonly [label: string, value: string])[]
  /** The form that fixes the failure. */
  readonly offer: { readonly label: string; readonly onTake: () => void } | undefined
  readonly width: number
  readonly height: number
  readonly onClose: () => void
}

/** A failure in full: what happened, what to do next, and the details. */
export function ErrorView({
  title = 'That did not work',
  sentence,
  hint,
  details,
  offer,
  width,
  height,
  onClose,
}: ErrorViewProps) {
  const margin = hasTightHeight(height) ? 0 : 1
  useBindings(offer ? 'offer' : 'error', { cancel: onClose, ...(offer ? { open: offer.onTake } : {}) })
  return (
    <Dialog title={title} tone="danger" width={width} height={height}>
      <Box flexDirection="column" marginTop={margin}>
        <Prose text={sentence} />
        {hint !== undefined && <Prose text={hint} tone="muted" />}
        {offer && <Line spans={[{ text: 'enter', tone: 'accent' }, { text: `  ${offer.label}` }]} />}
      </Box>
      <Box marginTop={margin}>
        <Facts facts={details.map(([label, value]) => ({ label, value, tone: 'muted' }))} labelWidth={8} />
      </Box>
    </Dialog>
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
    <Dialog title={title} tone="danger" isTitleWhole width={width} height={height}>
      <Box marginTop={margin} flexDirection="column" flexShrink={0}>
        <Prose text={sentence} isBold />
      </Box>
      <Box marginTop={margin} flexDirection="column">
        <Prose text={advice} tone="muted" />
      </Box>
    </Dialog>
  )
}

interface WaitingViewProps {
  readonly task: BrowserTask
  readonly note: string | undefined
  readonly width: number
  readonly height: number
  readonly onCancel: () => void
  readonly onCopy: () => void
}

/** Columns that the text needs beside the QR code. */
const minTextWidth = 34

/** What to do in a browser and the time left, with the address as a QR code if there is room. */
export function WaitingView({ task, note, width, height, onCancel, onCopy }: WaitingViewProps) {
  useBindings('waiting', { cancel: onCancel, 'copy-id': onCopy })
  const left = useTimeLeft(task.until)
  const picture = usePicture(task.url)
  const room = width - (picture[0]?.length ?? 0) - 2
  const hasRoom = picture.length > 0 && picture.length <= height && room >= minTextWidth
  return (
    <Box width={width} height={height} flexShrink={0} overflow="hidden" columnGap={2}>
      <Box flexDirection="column" flexShrink={0} width={hasRoom ? room : width} rowGap={height < 12 ? 0 : 1}>
        <Line spans={[{ text: task.title, isBold: true, tone: 'accent' }]} />
        <Instructions task={task} />
        <Line spans={[{ text: 'Waiting, ' }, { text: left, tone: 'accent' }, { text: ' left' }]} />
        {note !== undefined && <Prose text={note} tone="warning" />}
      </Box>
      {hasRoom && <Picture lines={picture} />}
    </Box>
  )
}

function Instructions({ task: { url, code, opened } }: { readonly task: BrowserTask }) {
  const shows = opened?.code === undefined ? '' : `; it shows ${opened.code}`
  return (
    <Box flexDirection="column" flexShrink={0}>
      {opened && <Prose text={`A page was opened in your browser${shows}`} />}
      <Prose text={opened ? 'Elsewhere, open' : 'Open'} />
      <Prose text={url} tone="accent" />
      {code !== undefined && <Line spans={[{ text: 'and type ' }, { text: code, isBold: true, tone: 'accent' }]} />}
    </Box>
  )
}

const Picture = ({ lines }: { readonly lines: readonly string[] }) => (
  <Box flexDirection="column" flexShrink={0}>
    {lines.map((line, index) => (
      <Line key={index} spans={[{ text: line, tone: 'picture' }]} />
    ))}
  </Box>
)

/** The QR code of an address. Empty until it is drawn. */
function usePicture(address: string): readonly string[] {
  const [lines, setLines] = useState<readonly string[]>([])
  useEffect(() => {
    let isGone = false
    // The smallest margin that cameras can read, to save lines.
    qrLines(address, 1).then(
      (drawn) => isGone || setLines(drawn),
      // Too long for a QR code. The address is shown as text anyway.
      () => {},
    )
    return () => {
      isGone = true
    }
  }, [address])
  return lines
}

/** Counts down to a time (milliseconds since 1970). */
const useTimeLeft = (until: number): string => clockText(until - useNow(1000))
