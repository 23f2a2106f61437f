import { Box, useStdin } from 'ink'
import { useLayoutEffect, useState } from 'react'
import { escapeControls } from '../../output/escape-controls.ts'
import { displayWidth, wrapText } from '../../output/width.ts'
import { useBindings } from '../hooks/use-bindings.ts'
import { Keyboard } from '../terminal/keyboard.ts'
import { Dialog, dialogRoom, hasTightHeight } from './dialog.tsx'
import { TextField } from './field.tsx'
import { Line, Prose, type Span } from './primitives.tsx'

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

/** Asks for consent, showing what the action affects and its command. With `word`, the user has to type that word. */
export function Confirm(props: ConfirmProps) {
  const { question, command, word, width, height } = props
  const { stdin } = useStdin()
  useLayoutEffect(() => {
    if (stdin instanceof Keyboard) stdin.forgetUnseen()
  }, [stdin])
  const content = Math.max(...[question, command, ...props.details].map((text) => displayWidth(escapeControls(text))))
  const isNarrow = hasTightHeight(height) || linesOf(props, dialogRoom(width, content)) > height
  const margin = isNarrow ? 0 : 1
  const answer = word === undefined ? <YesOrNo {...props} /> : <TypeWord {...props} word={word} content={content} />
  return (
    <Dialog {...{ width, height, content }} title={question} tone="warning" isTitleWhole isBare={isNarrow}>
      {/* The input line has to stay visible, whatever else has no room. */}
      {isNarrow && word !== undefined && answer}
      <Box flexDirection="column" flexShrink={0} marginTop={margin}>
        {detailsOf(props, isNarrow).map((span, index) => (
          <Line key={index} spans={[span]} />
        ))}
      </Box>
      <Box marginY={margin} flexDirection="column" flexShrink={0}>
        <Prose text={command} tone="muted" />
      </Box>
      {!(isNarrow && word !== undefined) && answer}
    </Dialog>
  )
}

/** The first few are listed and the rest is counted. */
function detailsOf({ details }: ConfirmProps, isNarrow: boolean): readonly Span[] {
  const shown = details.slice(0, isNarrow ? 1 : 5)
  const rest = details.length - shown.length
  const spans = shown.map((text): Span => ({ text }))
  return rest > 0 ? [...spans, { text: `and ${rest} more`, tone: 'muted' }] : spans
}

/** Lines of the whole question, with its frame, blank lines and a problem with the typed word. */
function linesOf(props: ConfirmProps, room: number): number {
  const [question, command] = [props.question, props.command].map((text) => wrapText(escapeControls(text), room).length)
  const answer = props.word === undefined ? 1 : 3
  return (question ?? 1) + detailsOf(props, false).length + (command ?? 1) + answer + 5
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
  const [problem, setProblem] = useState<string>()
  const submit = () => (text === word ? onYes() : setProblem('This does not match, so nothing was done'))
  useBindings('typed-confirm', { submit, cancel: onNo })
  const type = (next: string, said?: string) => {
    setText(next)
    setProblem(said)
  }
  return (
    <Box flexDirection="column" flexShrink={0}>
      <Line spans={[{ text: 'Type ' }, { text: word, isBold: true }, { text: ' to confirm.' }]} />
      <TextField
        label=""
        labelWidth={0}
        value={text}
        isActive
        problem={problem}
        width={dialogRoom(width, content)}
        onChange={type}
      />
    </Box>
  )
}
