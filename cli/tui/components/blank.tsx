import { Box } from 'ink'
import { Line } from './words.tsx'

export interface BlankProps {
  readonly width: number
  readonly height: number
}

/** Takes away what lies behind the box that it is the first part of. */
export const Blank = ({ width, height }: BlankProps) => (
  <Box position="absolute" width="100%" height="100%" overflow="hidden" flexDirection="column">
    {Array.from({ length: height }, (_, index) => (
      <Box key={index} flexShrink={0} height={1}>
        <Line spans={[{ text: ' '.repeat(Math.max(0, width)) }]} />
      </Box>
    ))}
  </Box>
)
