import { useEffect, useState } from 'react'
import { clockText } from '../../output/time.ts'

/** What is left until a moment (milliseconds since 1970), counted down. */
export function useTimeLeft(until: number): string {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  return clockText(until - now)
}
