import { relativeTime } from '../../output/time.ts'
import { Line } from '../components/words.tsx'
import { useAppState } from '../hooks/use-app-state.ts'
import { useNow } from '../hooks/use-now.ts'
import { type Stale, staleIn } from '../state/app-state.ts'

/** How old what is shown is and why, where it is not what the service says now. */
export function StaleLine() {
  const stale = staleIn(useAppState())
  return stale ? <Age {...stale} /> : <Line spans={[{ text: '' }]} />
}

function Age({ asOf, shownError }: Stale) {
  const now = useNow(10_000)
  return (
    <Line
      spans={[
        { text: `As of ${relativeTime(new Date(asOf), Math.max(now, asOf))}: `, tone: 'warning' },
        { text: `${shownError.sentence}  ·  ` },
        { text: 'R', tone: 'accent' },
        { text: ' tries again', tone: 'muted' },
      ]}
    />
  )
}
