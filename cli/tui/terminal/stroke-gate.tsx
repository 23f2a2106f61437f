import { useStdin } from 'ink'
import { useEffect, useState } from 'react'
import { Keyboard } from './keyboard.ts'

/**
 * Tells the keyboard that all is painted: what it changes itself comes with all that was changed before, and as the last of
 * the tree its effects run when all others listen.
 */
export function StrokeGate() {
  const { stdin } = useStdin()
  const [asked, paint] = useState(0)
  const keyboard = stdin instanceof Keyboard ? stdin : undefined
  useEffect(() => keyboard?.paintWith(paint), [keyboard])
  useEffect(() => keyboard?.painted(asked), [keyboard, asked])
  return null
}
