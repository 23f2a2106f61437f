import { useEffect, useState } from 'react'

/** The value once it has stayed the same for a while: a question is asked when somebody stops typing. */
export function useDebounced<T>(value: T, milliseconds = 250): T {
  const [settled, settle] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => settle(value), milliseconds)
    return () => clearTimeout(timer)
  }, [value, milliseconds])
  return settled
}
