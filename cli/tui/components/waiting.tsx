import { Box } from 'ink'
import { useEffect, useState } from 'react'
import type { BrowserTask } from '../../flows/waiting.ts'
import { qrLines } from '../../output/qr.ts'
import { clockText } from '../../output/time.ts'
import { useBindings } from '../hooks/use-bindings.ts'
import { useNow } from '../hooks/use-time.ts'
import { Lines, type Span, type SpanLines, wrapSpans } from './primitives.tsx'

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
/** With fewer lines nothing is blank. */
const minSpacedHeight = 12

/** What to do in a browser and the time left, with the address as a QR code if there is room. */
export function WaitingView({ task, note, width, height, onCancel, onCopy }: WaitingViewProps) {
  useBindings('waiting', { cancel: onCancel, 'copy-id': onCopy })
  const left = useTimeLeft(task.until)
  const picture = usePicture(task.url)
  const room = width - (picture[0]?.length ?? 0) - 2
  const hasRoom = picture.length > 0 && picture.length <= height && room >= minTextWidth
  const textWidth = hasRoom ? room : width
  return (
    <Box width={width} height={height} flexShrink={0} overflow="hidden" columnGap={2}>
      <Box flexDirection="column" flexShrink={0} width={textWidth}>
        <Lines lines={fitted(partsOf(task, { left, note }, textWidth), height)} />
      </Box>
      {hasRoom && <Lines lines={picture.map((line) => [{ text: line, tone: 'picture' }])} />}
    </Box>
  )
}

interface Part {
  readonly lines: SpanLines
  /** Where there is too little room, the highest rank is left out first. */
  readonly rank: number
  /** A blank line stands before it where there is room. */
  readonly isNext?: boolean
}

interface Progress {
  readonly left: string
  readonly note: string | undefined
}

/** Without the code and the address nobody can go on, so they have the lowest ranks. */
function partsOf({ title, url, code, opened }: BrowserTask, { left, note }: Progress, width: number): readonly Part[] {
  const part = (rank: number, spans: readonly Span[], isNext = false): Part => ({
    lines: wrapSpans(spans, width),
    rank,
    isNext,
  })
  const shows = opened?.code === undefined ? '' : `; it shows ${opened.code}`
  return [
    part(6, [{ text: title, isBold: true, tone: 'accent' }]),
    ...(opened ? [part(2, [{ text: `A page was opened in your browser${shows}` }], true)] : []),
    part(5, [{ text: opened ? 'Elsewhere, open' : 'Open' }], !opened),
    part(1, [{ text: url, tone: 'accent' }]),
    ...(code === undefined ? [] : [part(0, [{ text: 'and type ' }, { text: code, isBold: true, tone: 'accent' }])]),
    part(4, [{ text: 'Waiting, ' }, { text: left, tone: 'accent' }, { text: ' left' }], true),
    ...(note === undefined ? [] : [part(3, [{ text: note, tone: 'warning' }], true)]),
  ]
}

/** The lines of the parts that fit. Only an address that fits nowhere is cut: a key copies it. */
function fitted(parts: readonly Part[], height: number): SpanLines {
  const spaced = parts.flatMap(({ lines, isNext }) => [...(isNext ? [[]] : []), ...lines])
  if (height >= minSpacedHeight && spaced.length <= height) return spaced
  let free = height
  const kept = new Map<Part, SpanLines>()
  for (const part of [...parts].sort((one, other) => one.rank - other.rank)) {
    const lines = part.lines.length <= free ? part.lines : part.rank === 1 ? part.lines.slice(0, free) : []
    kept.set(part, lines)
    free -= lines.length
  }
  return parts.flatMap((part) => kept.get(part) ?? [])
}

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
