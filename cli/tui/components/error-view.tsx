import { Box } from 'ink'
import { useBindings } from '../hooks/use-bindings.ts'
import { Dialog, isTight } from './dialog.tsx'
import { Facts } from './facts.tsx'
import { Line, Prose } from './words.tsx'

export interface ErrorViewProps {
  readonly title?: string | undefined
  readonly sentence: string
  readonly hint: string | undefined
  readonly details: readonly (readonly [label: string, value: string])[]
  /** What mends it. */
  readonly offer: { readonly label: string; readonly onTake: () => void } | undefined
  readonly width: number
  readonly height: number
  readonly onClose: () => void
}

/** A failure whole: what happened, what to do next, and the rest. */
export function ErrorView({
  title = 'That did not work',
  sentence,
  hint,
  details,
  offer,
  width,
  height,
  onClose,
}: ErrorViewProps) {
  const margin = isTight(height) ? 0 : 1
  useBindings(offer ? 'offer' : 'error', { cancel: onClose, ...(offer ? { open: offer.onTake } : {}) })
  return (
    <Dialog title={title} tone="danger" width={width} height={height}>
      <Box flexDirection="column" marginTop={margin}>
        <Prose text={sentence} />
        {hint !== undefined && <Prose text={hint} tone="muted" />}
        {offer && <Line spans={[{ text: 'enter', tone: 'accent' }, { text: `  ${offer.label}` }]} />}
      </Box>
      <Box marginTop={margin}>
        <Facts facts={details.map(([label, value]) => ({ label, value, tone: 'muted' }))} labelWidth={8} />
      </Box>
    </Dialog>
  )
}
