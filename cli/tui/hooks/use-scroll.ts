import type { DOMElement } from 'ink'
import { type RefObject, useState } from 'react'
import type { Intents } from './use-bindings.ts'
import { useMouse } from './use-mouse.ts'

interface ScrollControl {
  /** The first visible line. */
  readonly start: number
  /** None when everything is visible. */
  readonly intents: Intents
  /** For the box that the wheel scrolls. */
  readonly box: RefObject<DOMElement | null>
}

/** Scrolls text: a window of `room` lines on all of them. */
export function useScroll(lines: number, room: number, isActive = true): ScrollControl {
  const [asked, setStart] = useState(0)
  const start = Math.max(0, Math.min(asked, lines - room))
  const by = (count: number) => () => setStart(start + count)
  const box = useMouse(isActive, { wheel: (count) => by(count)() })
  const intents: Intents = {
    up: by(-1),
    down: by(1),
    'page-up': by(-room),
    'page-down': by(room),
    first: by(-lines),
    last: by(lines),
  }
  return { start, intents: lines > room ? intents : {}, box }
}
