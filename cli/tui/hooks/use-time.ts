import { useEffect, useState } from 'react'

/** The time, in milliseconds since 1970, told anew as often as that. */
export function useNow(every: number): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), every)
    return () => clearInterval(timer)
  }, [every])
  return now
}

/** What takes no longer is not worth a flicker. In milliseconds. */
const flicker = 200

/** Whether something has been so for a while, in milliseconds. */
export function useLate(isSo: boolean, patience = flicker): boolean {
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
