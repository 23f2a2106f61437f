import { Box, type DOMElement } from 'ink'
import { type ReactNode, useContext, useReducer, useRef, useState } from 'react'
import type { Detail } from '../../flows/resource-fields.ts'
import { fitCell } from '../components/columns.ts'
import { Line, Prose, useBorder } from '../components/primitives.tsx'
import { PageMouseContext, useMouse } from '../hooks/use-mouse.ts'
import { ShellContext, useShell } from '../hooks/use-shell.ts'

/** Leaves room for a whole id in a terminal of 120 columns. */
const labelWidth = 12

/** The details beside a list, where long values wrap. */
const DetailPane = ({ detail: { title, facts, texts = [] } }: { readonly detail: Detail }) => (
  <Box flexDirection="column" flexShrink={0}>
    <Line spans={[{ text: title, isBold: true }]} />
    <Line spans={[{ text: ' ' }]} />
    {facts.map(({ label, value, tone }) => (
      <Box key={label} flexShrink={0} columnGap={1}>
        <Box flexShrink={0}>
          <Line spans={[{ text: fitCell(label, labelWidth), tone: 'muted' }]} />
        </Box>
        <Box flexShrink={1}>
          <Prose text={value} tone={tone ?? 'plain'} />
        </Box>
      </Box>
    ))}
    {texts.map(({ text, tone }) => (
      <Box key={text} marginTop={1} flexShrink={0}>
        <Prose text={text} tone={tone} />
      </Box>
    ))}
  </Box>
)

/** Columns inside the frame of a 120-column terminal. From this width on, a list and its details fit side by side. */
const minSplitWidth = 118
/** A line with a blank column on each side. */
const gap = 3
const maxDetail = 80
const minDetail = 30
const minList = 40

/**
 * Shows a list, and in a wide terminal the details of the selected item beside it. The list gets the remaining width
 * from the context.
 */
export function SplitPane({ detail, height, children }: SplitPaneProps) {
  const shell = useShell()
  const shown = shell.width >= minSplitWidth ? detail : undefined
  const { width, dragTo } = useSplit()
  const { isActive } = useContext(PageMouseContext)
  const border = useBorder('muted')
  const divider = useMouse(isActive, { drag: (_, column) => dragTo(column) })
  const room = shown ? shell.width - width - gap : shell.width
  return (
    <Box height={height}>
      <Box flexDirection="column" width={room} flexShrink={0}>
        <ShellContext.Provider value={{ ...shell, width: room }}>{children}</ShellContext.Provider>
      </Box>
      {shown && (
        <>
          <Box
            ref={divider}
            borderStyle="single"
            borderTop={false}
            borderBottom={false}
            borderRight={false}
            {...border}
            marginLeft={1}
            width={gap - 1}
            height={height}
          />
          {/* Another item starts at its top, and the same one stays where it is while its values change. */}
          <ScrollingPane key={shown.id} detail={shown} width={width} height={height} />
        </>
      )}
    </Box>
  )
}

/** The details, which the wheel scrolls when they are longer than the screen. */
function ScrollingPane({ detail, width, height }: ScrollingPaneProps) {
  const { isActive } = useContext(PageMouseContext)
  const [start, setStart] = useState(0)
  const content = useRef<DOMElement>(null)
  const lines = () => content.current?.yogaNode?.getComputedHeight() ?? 0
  const box = useMouse(isActive, {
    wheel: (by) => setStart((now) => Math.max(0, Math.min(now + by, lines() - height))),
  })
  return (
    <Box ref={box} width={width} height={height} overflowY="hidden" flexDirection="column">
      <Box ref={content} marginTop={-start} flexShrink={0} flexDirection="column">
        <DetailPane detail={detail} />
      </Box>
    </Box>
  )
}

interface ScrollingPaneProps {
  readonly detail: Detail
  readonly width: number
  readonly height: number
}

const splitKey = 'split'

/** The width of the details, the same on all screens. `dragTo` moves the dividing line by columns to the right. */
function useSplit() {
  const { width: room, places } = useShell()
  const [, render] = useReducer((count: number) => count + 1, 0)
  const kept = places.get(splitKey)
  const wanted = typeof kept === 'number' ? kept : Math.min(maxDetail, Math.floor(room * 0.42))
  const width = Math.max(minDetail, Math.min(wanted, room - gap - minList))
  const dragTo = (column: number) => {
    places.set(splitKey, width - column)
    render()
  }
  return { width, dragTo }
}

interface SplitPaneProps {
  readonly detail: Detail | undefined
  readonly height: number
  readonly children: ReactNode
}
