import { createContext, useContext, useEffect, useRef } from 'react'

/** Whether the surrounding screen is on top of the stack. */
export const TopScreenContext = createContext(true)

/** Returns whether the screen is still on top, for answers that arrive late: nobody is led away who has moved on. */
export function useIsThere(): () => boolean {
  const isOnTop = useContext(TopScreenContext)
  const isThere = useRef(true)
  useEffect(() => {
    isThere.current = isOnTop
    return () => {
      isThere.current = false
    }
  }, [isOnTop])
  return () => isThere.current
}
