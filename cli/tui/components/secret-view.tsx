import { Box } from 'ink'
import { useBindings } from '../hooks/use-bindings.ts'
import { Dialog, isTight } from './dialog.tsx'
import { Line, Prose } from './words.tsx'

export interface SecretViewProps {
  /** What was done. */
  readonly sentence: string
  readonly secret: string
  readonly width: number
  readonly height: number
  readonly onCopy: () => void
  readonly onClose: () => void
}

/** A secret that nobody can look at again. No key that a person types ahead closes it. */
export function SecretView({ sentence, secret, width, height, onCopy, onClose }: SecretViewProps) {
  const margin = isTight(height) ? 0 : 1
  useBindings('secret', { 'copy-id': onCopy, cancel: onClose })
  return (
    <Dialog title={sentence} width={width} height={height}>
      <Box marginY={margin} flexDirection="column">
        <Prose text={secret} tone="accent" isBold />
      </Box>
      <Prose text="This is shown once. Keep it where secrets are kept." />
      <Line spans={[{ text: 'y', tone: 'accent' }, { text: ' copies it' }]} />
    </Dialog>
  )
}
