import { useEffect, useState } from 'react'
import { qrLines } from '../../output/qr.ts'

/** The QR code of an address; nothing until it is drawn. */
export function usePicture(address: string): readonly string[] {
  const [lines, setLines] = useState<readonly string[]>([])
  useEffect(() => {
    let isGone = false
    // As little as a camera can do with: lines are dear on a screen.
    qrLines(address, 1).then(
      (drawn) => isGone || setLines(drawn),
      // Too long for a code: the address stands beside it.
      () => {},
    )
    return () => {
      isGone = true
    }
  }, [address])
  return lines
}
