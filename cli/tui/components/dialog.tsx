import { Box } from 'ink'
import { type ReactNode, useContext } from 'react'
import { displayWidth } from '../../output/width.ts'
import { ColourContext, type Tone, toneStyle } from '../theme.ts'
import { Blank } from './blank.tsx'
import { Line, Prose } from './words.tsx'

export interface DialogProps {
  readonly title: string
  readonly tone?: Tone
  readonly width: number
  readonly height: number
  /** Columns of its widest line, where that is known: it gets them as long as there is room. */
  readonly content?: number
  /** A title without room in one line goes on in the next one. */
  readonly isTitleWhole?: boolean
  /** Without frame and blank lines: by default where the room is tight. */
  readonly isBare?: boolean
  readonly children: ReactNode
}

/** What running text is set in: longer lines read badly. In columns. */
const proseWidth = 76

/** So little room that a dialog goes without its frame and blank lines. */
export const isTight = (height: number): boolean => height < 9

/** Lines of a dialog that are not its own content: title and frame. */
export const dialogOverhead = (height: number): number => (isTight(height) ? 1 : 3)

const widthOf = (width: number, content = proseWidth - 4): number => Math.min(width, Math.max(44, content + 4))

/** Room for text inside a dialog. */
export const dialogRoom = (width: number, content?: number): number => widthOf(width, content) - 4

export interface ShownPart {
  readonly start: number
  readonly shown: number
  readonly count: number
}

/** With what part is shown of what lies below it, where that is not all. */
export const titleOf = (title: string, { start, shown, count }: ShownPart): string =>
  count > shown ? `${title}  (${start + 1}–${start + shown} of ${count})` : title

/** A framed part in the middle of the screen's room: what lies around it stays to be seen. */
export function Dialog(props: DialogProps) {
  const { title, tone = 'accent', width, height, content, isTitleWhole, isBare = isTight(height), children } = props
  const { color } = toneStyle(tone, useContext(ColourContext))
  const own = widthOf(width, content === undefined ? undefined : Math.max(content, displayWidth(title)))
  const place = { width, height, flexShrink: 0, overflow: 'hidden' } as const
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
      <Box
        flexDirection="column"
        flexShrink={0}
        width={own}
        borderStyle="round"
        {...(color ? { borderColor: color } : {})}
      >
        <Blank width={own - 2} height={height} />
        {inside}
      </Box>
    </Box>
  )
}
