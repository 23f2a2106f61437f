import { type DOMElement, useStdin } from 'ink'
import { createContext, type RefObject, useEffect, useLayoutEffect, useRef } from 'react'
import { displayWidth } from '../../output/width.ts'
import { Keyboard } from '../terminal/keyboard.ts'
import type { MouseReport } from '../terminal/mouse.ts'

/** What a box does with the mouse. Lines and columns count from its corner. */
interface MouseActions {
  readonly press?: (line: number, column: number) => void
  /** Down is positive. */
  readonly wheel?: (by: number) => void
  /** With the button held, wherever the pointer is since the press in this box. */
  readonly drag?: (line: number, column: number) => void
}

/** The actions of the page around a list, as a click needs them. */
interface PageMouse {
  readonly isActive: boolean
  readonly open: (() => void) | undefined
}

export const PageMouseContext = createContext<PageMouse>({ isActive: false, open: undefined })

/** Lines that one turn of the wheel moves. */
const wheelStep = 3

/** Gives the mouse to a box while it is active. Returns the ref of the box. */
export function useMouse(isActive: boolean, actions: MouseActions): RefObject<DOMElement | null> {
  const { stdin } = useStdin()
  const box = useRef<DOMElement>(null)
  const isHeld = useRef(false)
  const latest = useRef(actions)
  useLayoutEffect(() => {
    latest.current = actions
  })
  useEffect(() => {
    if (!isActive || !(stdin instanceof Keyboard)) return undefined
    const handle = (report: MouseReport) => {
      const at = placeIn(box.current, report)
      const wasHeld = isHeld.current
      isHeld.current = report.kind === 'press' ? at?.isInside === true : wasHeld && report.kind === 'drag'
      if (at && (at.isInside || wasHeld)) act(latest.current, { ...report, ...at }, wasHeld)
    }
    stdin.on('mouse', handle)
    return () => void stdin.off('mouse', handle)
  }, [stdin, isActive])
  return box
}

function act({ press, wheel, drag }: MouseActions, { kind, line, column }: MouseReport, isHeld: boolean): void {
  if (kind === 'press') press?.(line, column)
  if (kind === 'wheel-up') wheel?.(-wheelStep)
  if (kind === 'wheel-down') wheel?.(wheelStep)
  if (kind === 'drag' && isHeld) drag?.(line, column)
}

/** Which of the texts in a line stands in that column. */
export function indexAt(texts: readonly string[], gap: string, column: number): number | undefined {
  let end = 0
  for (const [index, text] of texts.entries()) {
    const start = end
    end += displayWidth(text)
    if (column >= start && column < end) return index
    end += displayWidth(gap)
  }
  return undefined
}

interface Place {
  readonly line: number
  readonly column: number
  readonly isInside: boolean
}

/** The place of a report within a box, as Ink laid it out last. */
function placeIn(box: DOMElement | null, report: MouseReport): Place | undefined {
  const size = box?.yogaNode
  if (!size) return undefined
  const nodes = withParents(box).flatMap(({ yogaNode }) => yogaNode ?? [])
  const line = nodes.reduce((left, node) => left - node.getComputedTop(), report.line)
  const column = nodes.reduce((left, node) => left - node.getComputedLeft(), report.column)
  const isInside = isWithin(line, size.getComputedHeight()) && isWithin(column, size.getComputedWidth())
  return { line, column, isInside }
}

const isWithin = (at: number, length: number): boolean => at >= 0 && at < length

const withParents = (node: DOMElement | undefined): readonly DOMElement[] =>
  node ? [node, ...withParents(node.parentNode)] : []
