import { Box, type Key, useInput } from 'ink'
import { useState } from 'react'
import { visible } from '../../output/filter.ts'
import { doneMask, maskSign } from '../../output/mask.ts'
import { wrapText } from '../../output/width.ts'
import { keyName } from '../keys/key-name.ts'
import { intentIn } from '../keys/keys.ts'
import { edited, insert, type TypedLine, windowOf } from '../text/line-editing.ts'
import { symbols, type Tone } from '../theme.ts'
import { cell } from './columns.ts'
import { Line } from './words.tsx'

export interface TextFieldProps {
  readonly label: string
  readonly labelWidth: number
  readonly value: string
  readonly isSecret?: boolean
  /** A secret that is shown all the same. */
  readonly isRevealed?: boolean
  readonly isActive: boolean
  /** The sign of the active field among several; a field alone needs none. */
  readonly hasSign?: boolean
  readonly problem?: string | undefined
  readonly width: number
  readonly onChange: (text: string) => void
}

/** No text of a field is longer, in code units. */
const maxLength = 16_384
// Lone surrogates are left where half a character was deleted; the others would act on the terminal or hide in it.
const unwanted = /[\p{Cs}\p{Cc}\p{Zl}\p{Zp}]/gu
const disguises = /[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu

/** What a field keeps of what was typed or pasted. A secret keeps all that can be sent. */
export function keepText(text: string, isSecret: boolean): string {
  const kept = text.replaceAll(unwanted, '')
  return (isSecret ? kept : kept.replaceAll(disguises, '')).slice(0, maxLength)
}

/** A line to type into; of a text longer than its room the part before the cursor is shown. */
export function TextField(props: TextFieldProps) {
  const { label, labelWidth, isActive, problem, width, hasSign = false } = props
  const tone: Tone = isActive ? 'accent' : 'muted'
  return (
    <Box flexDirection="column" flexShrink={0}>
      <Box height={1}>
        <Box flexShrink={0}>
          <Line spans={[{ text: `${isActive && hasSign ? symbols.cursor : ' '} ${cell(label, labelWidth)} `, tone }]} />
        </Box>
        <Typed {...props} room={Math.max(1, width - labelWidth - 4)} />
      </Box>
      <Problem text={problem} indent={labelWidth + 3} width={width} />
    </Box>
  )
}

export interface ProblemProps {
  readonly text: string | undefined
  readonly tone?: Tone
  readonly indent: number
  readonly width: number
}

/** Of a narrow window a long label would leave nothing. */
const marginOf = ({ indent, width }: ProblemProps): number => Math.min(indent, Math.floor(width / 3))

export const problemLines = (props: ProblemProps): readonly string[] =>
  props.text === undefined ? [] : wrapText(visible(props.text), Math.max(10, props.width - marginOf(props)))

/** What is wrong with a field, below it and whole. */
export function Problem(props: ProblemProps) {
  if (props.text === undefined) return null
  return (
    <Box marginLeft={marginOf(props)} flexDirection="column" flexShrink={0}>
      {problemLines(props).map((line, index) => (
        <Line key={index} spans={[{ text: line, tone: props.tone ?? 'danger' }]} />
      ))}
    </Box>
  )
}

/** The text with its cursor. */
function Typed({ value, isSecret = false, isRevealed, isActive, room, onChange }: TextFieldProps & Room) {
  // At the end until it is moved, also of a text that comes from elsewhere.
  const [cursor, setCursor] = useState<number>()
  const line = { text: value, at: Math.min(cursor ?? value.length, value.length) }
  useInput(
    (input, key) => {
      const next = lineAfter(line, input, key)
      if (!next) return
      const text = keepText(next.text, isSecret)
      // What is not kept may have stood before the cursor.
      setCursor(keepText(next.text.slice(0, next.at), isSecret).length)
      if (text !== value) onChange(text)
    },
    { isActive },
  )
  const { before, under, after } = windowOf(isSecret && !isRevealed ? masked(line, isActive) : line, room)
  return <Line spans={[{ text: before }, { text: under, isInverse: isActive }, { text: after }]} />
}

interface Room {
  readonly room: number
}

const masked = ({ text, at }: TypedLine, isActive: boolean): TypedLine =>
  isActive ? { text: maskSign.repeat(text.length), at } : { text: doneMask(text), at: 0 }

/** Undefined where the key is none for a text. */
function lineAfter(line: TypedLine, input: string, key: Key): TypedLine | undefined {
  const intent = intentIn('line', keyName(input, key))
  if (intent) return edited(line, intent)
  const isTyped = input !== '' && !key.ctrl && !key.meta && !key.tab && !key.return
  return isTyped ? insert(line, input) : undefined
}
