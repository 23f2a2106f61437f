import { createContext, useContext } from 'react'
import type { Size } from '../terminal/terminal.ts'

/** The window, handed down from the one place that hears of a resize. */
export const SizeContext = createContext<Size>({ columns: 80, rows: 24 })

/** Lines of the frame: one less than the window, or the terminal would scroll. */
export interface Layout {
  /** Columns inside the frame. */
  readonly width: number
  /** Lines of the frame. */
  readonly frame: number
  /** Lines between the breadcrumb and the footer, less a blank one where there is room. */
  readonly body: number
  /** Below 60×15: one column, no rules. */
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
