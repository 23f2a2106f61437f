import { Box } from 'ink'
import { type ReactNode, useSyncExternalStore } from 'react'
import type { Form, FormField } from '../../flows/flow.ts'
import { escapeControls } from '../../output/escape-controls.ts'
import { wrapAtMost } from '../../output/width.ts'
import { Footer, type FooterKey } from '../components/footer.tsx'
import { Lines, Rule, type Span } from '../components/primitives.tsx'
import { useShell } from '../hooks/use-shell.ts'
import type { FormState } from '../state/form-state.ts'
import { fieldsLayout } from './form-fields.tsx'

interface FormBodyProps {
  readonly form: Form
  readonly fields: readonly FormField[]
  readonly state: FormState
  readonly isBusy: boolean
  readonly keys: readonly FooterKey[]
  readonly children: ReactNode
}

/** The fields, and below them the note of the form and its command. */
export function FormBody({ form, fields, state, isBusy, keys, children }: FormBodyProps) {
  const shell = useShell()
  const { width, height, isNarrow, store } = shell
  const progress = useSyncExternalStore(store.activity.subscribe, store.activity.progress)
  const free = height - fieldsLayout(fields, state, shell).lines
  const said: Span = isBusy
    ? { text: ['Asking the service…', ...(progress ? [progress] : [])].join(' ') }
    : { text: form.hint(state.values), tone: 'muted' }
  // That something is under way is seen, whatever else has no room.
  const gap = isNarrow || (isBusy && free < 2) ? 0 : 1
  const hasNote = form.note !== undefined && !(isBusy && free < 2 * (1 + gap))
  const texts = [...(hasNote ? [{ text: form.note }] : []), said]
  return (
    <Box flexDirection="column">
      <Box flexDirection="column" height={height} overflow="hidden">
        <Box flexDirection="column" flexShrink={0}>
          {children}
        </Box>
        <Lines lines={linesBelow(texts, { width, free, gap })} />
      </Box>
      {!isNarrow && <Rule width={width} />}
      <Footer keys={keys} width={width} />
    </Box>
  )
}

interface RoomBelow {
  readonly width: number
  /** Lines that the fields leave. */
  readonly free: number
  /** Blank lines before each text. */
  readonly gap: number
}

/** The texts in the lines that are left, each with at least one if there are any. A text without enough ends in `…`. */
function linesBelow(texts: readonly Span[], { width, free, gap }: RoomBelow): readonly (readonly Span[])[] {
  const lines: Span[][] = []
  for (const [index, span] of texts.entries()) {
    const left = free - lines.length - gap
    const most = Math.max(left - (texts.length - 1 - index) * (1 + gap), 1)
    if (left < 1) break
    for (let blank = 0; blank < gap; blank += 1) lines.push([])
    lines.push(...wrapAtMost(escapeControls(span.text), width, most).map((text) => [{ ...span, text }]))
  }
  return lines
}
