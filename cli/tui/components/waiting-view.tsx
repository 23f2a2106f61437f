import { Box } from 'ink'
import { useEffect, useState } from 'react'
import type { BrowserTask } from '../../flows/waiting.ts'
import { qrLines } from '../../output/qr.ts'
import { clockText } from '../../output/time.ts'
import { useBindings } from '../hooks/use-bindings.ts'
import { useNow } from '../hooks/use-now.ts'
import { Line, Prose } from './words.tsx'

export interface WaitingViewProps {
  readonly task: BrowserTask
  readonly note: string | undefined
  readonly width: number
  readonly height: number
  readonly onCancel: () => void
  readonly onCopy: () => void
}

/** Columns that the words need beside a picture. */
const leastWords = 34

/** What has to be done in a browser, and how long there is for it; with the address as a picture where there is room. */
export function WaitingView({ task, note, width, height, onCancel, onCopy }: WaitingViewProps) {
  useBindings('waiting', { cancel: onCancel, 'copy-id': onCopy })
  const left = useTimeLeft(task.until)
  const picture = usePicture(task.url)
  const room = width - (picture[0]?.length ?? 0) - 2
  const hasRoom = picture.length > 0 && picture.length <= height && room >= leastWords
  return (
    <Box width={width} height={height} flexShrink={0} overflow="hidden" columnGap={2}>
      <Box flexDirection="column" flexShrink={0} width={hasRoom ? room : width} rowGap={height < 12 ? 0 : 1}>
        <Line spans={[{ text: task.title, isBold: true, tone: 'accent' }]} />
        <Instructions task={task} />
        <Line spans={[{ text: 'Waiting, ' }, { text: left, tone: 'accent' }, { text: ' left' }]} />
        {note !== undefined && <Prose text={note} tone="warning" />}
      </Box>
      {hasRoom && <Picture lines={picture} />}
    </Box>
  )
}

function Instructions({ task: { url, code, opened } }: { readonly task: BrowserTask }) {
  const shows = opened?.code === undefined ? '' : `; it shows ${opened.code}`
  return (
    <Box flexDirection="column" flexShrink={0}>
      {opened && <Prose text={`A page was opened in your browser${shows}`} />}
      <Prose text={opened ? 'Elsewhere, open' : 'Open'} />
      <Prose text={url} tone="accent" />
      {code !== undefined && <Line spans={[{ text: 'and type ' }, { text: code, isBold: true, tone: 'accent' }]} />}
    </Box>
  )
}

const Picture = ({ lines }: { readonly lines: readonly string[] }) => (
  <Box flexDirection="column" flexShrink={0}>
    {lines.map((line, index) => (
      <Line key={index} spans={[{ text: line, tone: 'picture' }]} />
    ))}
  </Box>
)

/** The QR code of an address; nothing until it is drawn. */
function usePicture(address: string): readonly string[] {
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

/** What is left until a moment (milliseconds since 1970), counted down. */
const useTimeLeft = (until: number): string => clockText(until - useNow(1000))
