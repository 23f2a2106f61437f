import { Box } from 'ink'
import { type ReactNode, useContext } from 'react'
import { displayWidth } from '../../output/width.ts'
import { ColourContext, type Tone, toneStyle } from '../theme.ts'
import { Blank } from './blank.tsx'
import { Line } from './words.tsx'

export interface DialogProps {
  readonly title: string
  readonly tone?: Tone
  readonly width: number
  readonly height: number
  /** Columns of its widest line, where that is known: it gets them as long as there is room. */
  readonly content?: number
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

/** A framed part in the middle of the screen's room: what lies around it stays to be seen. */
export function Dialog({ title, tone = 'accent', width, height, content, children }: DialogProps) {
  const { color } = toneStyle(tone, useContext(ColourContext))
  const own = widthOf(width, content === undefined ? undefined : Math.max(content, displayWidth(title)))
  const place = { width, height, flexShrink: 0, overflow: 'hidden' } as const
  const inside = (
    <Box flexDirection="column" paddingX={1}>
      <Line spans={[{ text: title, isBold: true, tone }]} />
      {children}
    </Box>
  )
  if (isTight(height))
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
