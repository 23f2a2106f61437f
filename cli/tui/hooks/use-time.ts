import { useEffect, useState } from 'react'

/** The current time in milliseconds since 1970, updated every `every` milliseconds. */
export function useNow(every: number): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), every)
    return () => clearInterval(timer)
  }, [every])
  return now
}

/** Milliseconds. Anything faster shows no indicator, which would flicker. */
const flickerTime = 200

/** Whether `isSo` has been true for a while (milliseconds). */
export function useDelayedFlag(isSo: boolean, patience = flickerTime): boolean {
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    if (!isSo) return undefined
    const timer = setTimeout(() => setLate(true), patience)
    return () => {
      clearTimeout(timer)
      setLate(false)
    }
  }, [isSo, patience])
  return isSo && isLate
}
