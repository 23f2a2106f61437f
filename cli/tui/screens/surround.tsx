import { Box } from 'ink'
import type { ReactNode } from 'react'
import { Breadcrumb } from '../components/breadcrumb.tsx'
import { Rule } from '../components/rule.tsx'
import { Line } from '../components/words.tsx'
import { useLayout } from '../hooks/use-size.ts'
import { shownScreens } from '../keys/names.ts'

export interface SurroundProps {
  /** The top line. */
  readonly top: ReactNode
  /** Of the stack of screens. */
  readonly titles: readonly string[]
  /** The screen that the stack stands on. */
  readonly here: string
  readonly isAdmin: boolean
  readonly isHidden?: boolean
  readonly children: ReactNode
}

/** What every frame has around its screen: the top line, the path, where the number keys lead. */
export function Surround({ top, titles, here, isAdmin, isHidden = false, children }: SurroundProps) {
  const { width, frame, isNarrow } = useLayout()
  const tabs = shownScreens(isAdmin).map(({ screen, key, title }) => ({ key, title, isHere: here === screen }))
  return (
    <Box flexDirection="column" height={frame} paddingX={1} overflow="hidden" display={isHidden ? 'none' : 'flex'}>
      {top}
      <Breadcrumb titles={titles} tabs={tabs} width={width} isNarrow={isNarrow} />
      {!isNarrow && (
        <>
          <Rule width={width} />
          <Line spans={[{ text: ' ' }]} />
        </>
      )}
      {children}
    </Box>
  )
}
