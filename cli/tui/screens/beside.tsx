import { Box } from 'ink'
import type { ReactNode } from 'react'
import type { Detail } from '../../flows/resource-fields.ts'
import { ShellContext, useShell } from '../hooks/use-shell.ts'
import { DetailPane } from './detail-pane.tsx'

/** Columns of the frame in a terminal of 120: from there on a list and what is selected in it have room beside each other. */
const enough = 118
/** A line and a blank on each of its sides. */
const gap = 3
const maxDetail = 80

/** A list, and in a wide terminal what is selected beside it; the list believes itself in a narrower one. */
export function Beside({ detail, height, children }: BesideProps) {
  const shell = useShell()
  const shown = shell.width >= enough ? detail : undefined
  const width = Math.min(maxDetail, Math.floor(shell.width * 0.42))
  const room = shown ? shell.width - width - gap : shell.width
  return (
    <Box height={height}>
      <Box flexDirection="column" width={room} flexShrink={0}>
        <ShellContext.Provider value={{ ...shell, width: room }}>{children}</ShellContext.Provider>
      </Box>
      {shown && (
        <Box
          borderStyle="single"
          borderTop={false}
          borderBottom={false}
          borderRight={false}
          borderDimColor
          marginLeft={1}
          paddingLeft={1}
          width={width + gap - 1}
          height={height}
          overflow="hidden"
          flexDirection="column"
        >
          <DetailPane detail={shown} />
        </Box>
      )}
    </Box>
  )
}

interface BesideProps {
  readonly detail: Detail | undefined
  readonly height: number
  readonly children: ReactNode
}
