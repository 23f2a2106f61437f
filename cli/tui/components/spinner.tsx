import { useNow } from '../hooks/use-now.ts'
import { spinnerFrames } from '../theme.ts'
import { Line } from './words.tsx'

const frameTime = 100

/** Something goes on, in one column. */
export function Spinner() {
  const frame = Math.floor(useNow(frameTime) / frameTime) % spinnerFrames.length
  return <Line spans={[{ text: spinnerFrames[frame] ?? '', tone: 'accent' }]} />
}
