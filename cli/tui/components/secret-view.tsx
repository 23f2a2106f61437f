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
      {/* Where there is little room the end of the advice goes, never a part of the secret. */}
      <Box marginY={margin} flexDirection="column" flexShrink={0}>
        <Prose text={secret} tone="accent" isBold />
      </Box>
      <Box flexDirection="column" flexShrink={0}>
        <Line spans={[{ text: 'y', tone: 'accent' }, { text: ' copies it' }]} />
        <Prose text="This is shown once. Keep it where secrets are kept." />
      </Box>
    </Dialog>
  )
}
