import { Box } from 'ink'
import { type ReactNode, useContext } from 'react'
import { ColourContext, type Tone, toneStyle } from '../theme.ts'
import { Line } from './words.tsx'

export interface DialogProps {
  readonly title: string
  readonly tone?: Tone
  readonly width: number
  readonly height: number
  readonly children: ReactNode
}

/** Widest dialog: longer lines read badly. In columns. */
const maxWidth = 76

/** So little room that a dialog goes without its frame and blank lines. */
export const isTight = (height: number): boolean => height < 9

/** Lines of a dialog that are not its own content: title and frame. */
export const dialogOverhead = (height: number): number => (isTight(height) ? 1 : 3)

/** Room for text inside a dialog. */
export const dialogRoom = (width: number): number => Math.min(maxWidth, width) - 4

/** A framed part in the middle of the screen's room. */
export function Dialog({ title, tone = 'accent', width, height, children }: DialogProps) {
  const { color } = toneStyle(tone, useContext(ColourContext))
  const border = isTight(height) ? {} : ({ borderStyle: 'round', ...(color ? { borderColor: color } : {}) } as const)
  return (
    <Box width={width} height={height} flexShrink={0} justifyContent="center" alignItems="center" overflow="hidden">
      <Box flexDirection="column" flexShrink={0} paddingX={1} width={Math.min(maxWidth, width)} {...border}>
        <Line spans={[{ text: title, isBold: true, tone }]} />
        {children}
      </Box>
    </Box>
  )
}
