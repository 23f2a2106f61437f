import { createContext, useContext } from 'react'
import type { Size } from '../terminal/terminal.ts'

/** The window size, from the one place that listens for resizes. */
export const SizeContext = createContext<Size>({ columns: 80, rows: 24 })

/** One line less than the window, otherwise the terminal would scroll. */
interface Layout {
  /** Columns inside the frame. */
  readonly width: number
  /** Lines of the frame. */
  readonly frame: number
  /** Lines between the breadcrumb and the footer, minus a blank one if there is room. */
  readonly body: number
  /** Below 60×15: one column and no rules. */
  readonly isNarrow: boolean
  /** Below 40×10: nothing can be shown. */
  readonly isTooSmall: boolean
}

const layoutOf = ({ columns, rows }: Size): Layout => {
  const isNarrow = columns < 60 || rows < 15
  const frame = rows - 1
  return {
    width: columns - 2,
    frame,
    body: Math.max(1, frame - (isNarrow ? 4 : 7)),
    isNarrow,
    isTooSmall: columns < 40 || rows < 10,
  }
}

export const useLayout = (): Layout => layoutOf(useContext(SizeContext))
