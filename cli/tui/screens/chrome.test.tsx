import { expect, test } from 'vitest'
import { SizeContext } from '../hooks/use-size.ts'
import { numberedScreens } from '../keymap/names.ts'
import type { Size } from '../terminal/terminal.ts'
import { painted } from '../testing/painted.tsx'
import { useScreens } from '../testing/screens.ts'
import { Opening, type OpeningProps } from './chrome.tsx'

const screens = useScreens()

const opening = (size: Size, props: Omit<OpeningProps, 'server'>): string =>
  painted(
    <SizeContext.Provider value={size}>
      <Opening server={screens.own.url} {...props} />
    </SizeContext.Provider>,
    size.columns,
  )

const sizes = [
  { columns: 120, rows: 40 },
  { columns: 80, rows: 24 },
  { columns: 59, rows: 14 },
  { columns: 40, rows: 10 },
  { columns: 30, rows: 8 },
]

test.each(sizes)('$columns by $rows: what is around every screen stands where it will stand', (size) => {
  for (const { screen } of numberedScreens) {
    const props = { screen, isReadOnly: screen === 'home' }
    const later = screens.open(screens.own.machine(), { size, ...props }).frame()
    const [first, then] = [opening(size, props), later].map((frame) => frame.trimEnd().split('\n'))
    const around = (lines: readonly string[] = []) => [...lines.slice(0, 2), ...lines.slice(-1), lines.length]
    expect([screen, around(first)]).toEqual([screen, around(then)])
  }
})
