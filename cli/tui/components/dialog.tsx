import { Box } from 'ink'
import { type ReactNode, useContext } from 'react'
import { ColourContext, styleOf, type Tone } from '../theme.ts'
import { Line } from './words.tsx'

export interface DialogProps {
  readonly title: string
  readonly tone?: Tone
  readonly width: number
  readonly height: number
  readonly children: ReactNode
}

/** Widest dialog: longer lines read badly. In columns. */
const widest = 76

/** A framed part in the middle of the screen's room. */
export function Dialog({ title, tone = 'accent', width, height, children }: DialogProps) {
  const { color } = styleOf(tone, useContext(ColourContext))
  return (
    <Box width={width} height={height} justifyContent="center" alignItems="center">
      <Box
        flexDirection="column"
        borderStyle="round"
        paddingX={1}
        width={Math.min(widest, width)}
        overflow="hidden"
        {...(color ? { borderColor: color } : {})}
      >
        <Line spans={[{ text: title, isBold: true, tone }]} />
        {children}
      </Box>
    </Box>
  )
}

/** Room for text inside a dialog. */
export const dialogRoom = (width: number): number => Math.min(widest, width) - 4
