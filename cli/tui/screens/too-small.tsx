import { Box } from 'ink'
import { Line } from '../components/words.tsx'
import { useLayout } from '../hooks/use-size.ts'

/** What a window shows that has no room for a frame. */
export function TooSmall() {
  const { width, frame } = useLayout()
  return (
    <Box flexDirection="column" height={Math.max(1, frame)} overflow="hidden">
      <Line spans={[{ text: `Too small: ${width + 2}×${frame + 1}` }]} />
      <Line spans={[{ text: 'Needed: 40×10. ctrl+c quits', tone: 'muted' }]} />
    </Box>
  )
}
