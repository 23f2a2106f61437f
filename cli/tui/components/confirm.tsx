import { Box, useStdin } from 'ink'
import { useLayoutEffect, useState } from 'react'
import { escapeControls } from '../../output/escape-controls.ts'
import { displayWidth, wrapAtMost, wrapText } from '../../output/width.ts'
import { countText } from '../../output/words.ts'
import { useBindings } from '../hooks/use-bindings.ts'
import { Keyboard } from '../terminal/keyboard.ts'
import { Dialog, dialogRoom, hasTightHeight } from './dialog.tsx'
import { indentOf, problemLines, TextField } from './field.tsx'
import { Line, Lines, type Span, type SpanLines, wrapSpans } from './primitives.tsx'

interface ConfirmProps {
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
  const [problem, setProblem] = useState<string>()
  useLayoutEffect(() => {
    if (stdin instanceof Keyboard) stdin.forgetUnseen()
  }, [stdin])
  const { isNarrow, content, room, asked, titleLines, commandLines } = layoutOf(props, problem)
  const margin = isNarrow ? 0 : 1
  const typed = { ...props, room, problem, setProblem }
  const answer = word === undefined ? <YesOrNo {...props} /> : <TypeWord {...typed} word={word} asked={asked} />
  const isFirst = isNarrow && word !== undefined
  return (
    <Dialog {...{ width, height, content, titleLines }} title={question} tone="warning" isBare={isNarrow}>
      {isFirst && answer}
      <Box flexDirection="column" flexShrink={0} marginTop={margin}>
        {detailsOf(props, isNarrow).map((span, index) => (
          <Line key={index} spans={[span]} />
        ))}
      </Box>
      <Box marginY={margin} flexDirection="column" flexShrink={0}>
        <Lines
          lines={wrapAtMost(escapeControls(command), room, commandLines).map((text) => [{ text, tone: 'muted' }])}
        />
      </Box>
      {!isFirst && answer}
    </Dialog>
  )
}

interface ConfirmLayout {
  /** There is no room for a frame and blank lines. */
  readonly isNarrow: boolean
  readonly content: number
  /** Columns for text. */
  readonly room: number
  /** What to type. */
  readonly asked: SpanLines
  readonly titleLines: number
  /** A command about many is longer than any window. */
  readonly commandLines: number
}

/** Where there is room for fewer lines of a longer command, the frame and the blank lines go. */
const leastCommandLines = 3

/** The input line has to stay visible, whatever else has no room. */
function layoutOf(props: ConfirmProps, problem: string | undefined): ConfirmLayout {
  const { question, details, command, word, width, height } = props
  const content = Math.max(...[question, command, ...details].map((text) => displayWidth(escapeControls(text))))
  const framed = dialogRoom(width, content)
  const least = Math.min(leastCommandLines, lineCount(command, framed))
  const isNarrow = hasTightHeight(height) || linesBeside(props, { room: framed, problem: mismatch }) + least > height
  const room = isNarrow ? width - 2 : framed
  const beside = linesBeside(props, isNarrow ? { room, problem, isNarrow } : { room, problem: mismatch })
  const common = { isNarrow, content, room, commandLines: Math.max(1, height - beside) }
  if (word === undefined) return { ...common, asked: [], titleLines: height }
  const free = height - 1 - problemLinesOf(problem, room)
  const asked = instruction(word, room, isNarrow).slice(0, Math.max(1, free - 1))
  return { ...common, asked, titleLines: isNarrow ? Math.max(1, free - asked.length) : height }
}

/** Where lines are few, they are for the word alone. */
function instruction(word: string, room: number, isNarrow = false): SpanLines {
  const spans = [{ text: 'Type ' }, { text: word, isBold: true }]
  const lines = wrapSpans([...spans, { text: ' to confirm.' }], room)
  return isNarrow && lines.length > 1 ? wrapSpans(spans, room) : lines
}

const mismatch = 'This does not match, so nothing was done'

const problemLinesOf = (text: string | undefined, width: number): number =>
  problemLines({ text, indent: indentOf(labelWidth), width }).length

/** The first few are listed and the rest is counted. */
function detailsOf({ details }: ConfirmProps, isNarrow: boolean): readonly Span[] {
  const shown = details.slice(0, isNarrow ? 1 : 5)
  const rest = details.length - shown.length
  const spans = shown.map((text): Span => ({ text }))
  return rest > 0 ? [...spans, { text: `and ${countText(rest)} more`, tone: 'muted' }] : spans
}

const lineCount = (text: string, room: number): number => wrapText(escapeControls(text), room).length

interface Beside {
  readonly room: number
  /** The problem with the typed word, for which room is kept. */
  readonly problem: string | undefined
  readonly isNarrow?: boolean
}

/** Lines of all but the command, with a frame and blank lines unless it is narrow: then the keys are in the footer alone. */
function linesBeside(props: ConfirmProps, { room, problem, isNarrow = false }: Beside): number {
  const { question, word } = props
  const typed = word === undefined ? 0 : instruction(word, room, isNarrow).length + 1 + problemLinesOf(problem, room)
  const keys = word === undefined && !isNarrow ? 1 : 0
  return lineCount(question, room) + detailsOf(props, isNarrow).length + typed + keys + (isNarrow ? 0 : 5)
}

function YesOrNo({ onYes, onNo }: ConfirmProps) {
  useBindings('confirm', { yes: onYes, cancel: onNo })
  return (
    <Line
      spans={[{ text: 'y', tone: 'accent' }, { text: ' yes    ' }, { text: 'n', tone: 'accent' }, { text: ' no' }]}
    />
  )
}

interface TypeWordProps extends Pick<ConfirmProps, 'onYes' | 'onNo'> {
  readonly word: string
  readonly asked: SpanLines
  readonly room: number
  readonly problem: string | undefined
  readonly setProblem: (problem: string | undefined) => void
}

/** A single field needs no label. */
const labelWidth = 0

function TypeWord({ word, asked, room, problem, setProblem, onYes, onNo }: TypeWordProps) {
  const [text, setText] = useState('')
  const submit = () => (text === word ? onYes() : setProblem(mismatch))
  useBindings('typed-confirm', { submit, cancel: onNo })
  const type = (next: string, said?: string) => {
    setText(next)
    setProblem(said)
  }
  return (
    <Box flexDirection="column" flexShrink={0}>
      <Lines lines={asked} />
      <TextField
        label=""
        labelWidth={labelWidth}
        value={text}
        isActive
        problem={problem}
        width={room}
        onChange={type}
      />
    </Box>
  )
}
