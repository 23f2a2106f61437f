import { Box } from 'ink'
import { useState } from 'react'
import { visible } from '../../output/filter.ts'
import { displayWidth } from '../../output/width.ts'
import { useBindings } from '../hooks/use-bindings.ts'
import { Dialog, dialogRoom, isTight } from './dialog.tsx'
import { TextField } from './field.tsx'
import { Line, Prose } from './words.tsx'

export interface ConfirmProps {
  readonly question: string
  readonly details: readonly string[]
  readonly command: string
  readonly word?: string | undefined
  readonly width: number
  readonly height: number
  readonly onYes: () => void
  readonly onNo: () => void
}

/** Lines of details that a question shows before it counts the rest. */
const maxDetails = (height: number): number => (isTight(height) ? 1 : 5)

/** Asks before an action, showing what it is done to and its command. With a word, that is typed first. */
export function Confirm(props: ConfirmProps) {
  const { question, details, command, word, width, height } = props
  const isNarrow = isTight(height)
  const margin = isNarrow ? 0 : 1
  const content = Math.max(...[question, command, ...details].map((text) => displayWidth(visible(text))))
  const answer = word === undefined ? <YesOrNo {...props} /> : <TypeWord {...props} word={word} content={content} />
  return (
    <Dialog title={question} tone="warning" width={width} height={height} content={content}>
      {/* What is typed has to be seen, whatever has no room then. */}
      {isNarrow && word !== undefined && answer}
      <Details details={details} height={height} />
      <Box marginY={margin} flexDirection="column" flexShrink={0}>
        <Prose text={command} tone="muted" />
      </Box>
      {!(isNarrow && word !== undefined) && answer}
    </Dialog>
  )
}

function Details({ details, height }: Pick<ConfirmProps, 'details' | 'height'>) {
  const shown = details.slice(0, maxDetails(height))
  const rest = details.length - shown.length
  return (
    <Box flexDirection="column" flexShrink={0} marginTop={isTight(height) ? 0 : 1}>
      {shown.map((text, index) => (
        <Line key={index} spans={[{ text }]} />
      ))}
      {rest > 0 && <Line spans={[{ text: `and ${rest} more`, tone: 'muted' }]} />}
    </Box>
  )
}

function YesOrNo({ onYes, onNo }: ConfirmProps) {
  useBindings('confirm', { yes: onYes, cancel: onNo })
  return (
    <Line
      spans={[{ text: 'y', tone: 'accent' }, { text: ' yes    ' }, { text: 'n', tone: 'accent' }, { text: ' no' }]}
    />
  )
}

interface TypeWordProps extends Pick<ConfirmProps, 'width' | 'onYes' | 'onNo'> {
  readonly word: string
  readonly content: number
}

function TypeWord({ word, width, content, onYes, onNo }: TypeWordProps) {
  const [text, setText] = useState('')
  const [isWrong, setWrong] = useState(false)
  const submit = () => (text === word ? onYes() : setWrong(true))
  useBindings('typed-confirm', { submit, cancel: onNo })
  const type = (next: string) => {
    setText(next)
    setWrong(false)
  }
  return (
    <Box flexDirection="column" flexShrink={0}>
      <Line spans={[{ text: 'Type ' }, { text: word, isBold: true }, { text: ' to do it.' }]} />
      <TextField
        label=""
        labelWidth={0}
        value={text}
        isActive
        problem={isWrong ? 'This is not the same text; nothing was done' : undefined}
        width={dialogRoom(width, content)}
        onChange={type}
      />
    </Box>
  )
}
