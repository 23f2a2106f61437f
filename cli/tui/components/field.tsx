import { Box, type Key, useInput, useStdin } from 'ink'
import { useLayoutEffect, useState } from 'react'
import { escapeControls } from '../../output/escape-controls.ts'
import { graphemes } from '../../output/graphemes.ts'
import { maskSign, secretMask } from '../../output/mask.ts'
import { characterAt, insert, type TypedLine } from '../../output/typed-line.ts'
import { displayWidth, truncateEnd, truncateStart, wrapText } from '../../output/width.ts'
import { countText } from '../../output/words.ts'
import { keyName } from '../keymap/key-name.ts'
import { edited, intentInLine } from '../keymap/keymap.ts'
import type { Intent } from '../keymap/names.ts'
import { Keyboard } from '../terminal/keyboard.ts'
import { symbols, type Tone } from '../theme.ts'
import { fitCell } from './columns.ts'
import { Line } from './primitives.tsx'

interface TextFieldProps {
  readonly label: string
  readonly labelWidth: number
  readonly value: string
  readonly isSecret?: boolean
  /** Shows a secret as it is typed. */
  readonly isRevealed?: boolean
  /** The value is a proposal: typing replaces it, moving the cursor edits it. */
  readonly isSuggested?: boolean
  /** Shown while the field is empty. */
  readonly example?: string | undefined
  readonly isActive: boolean
  /** Marks the active field among several. A single field needs no mark. */
  readonly hasSign?: boolean
  readonly problem?: string | undefined
  readonly width: number
  /** `problem` is given when there was no room for all that was typed or pasted. */
  readonly onChange: (text: string, problem?: string) => void
}

/** The longest text of a field, in code units. */
const maxLength = 16_384
const cutText = `Cut at ${countText(maxLength)} characters`
// Lone surrogates are left when half a character was deleted. The others could control the terminal or are invisible.
const unwanted = /[\p{Cs}\p{Cc}\p{Zl}\p{Zp}]/gu
const disguises = /[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu

/** The part of typed or pasted text that a field keeps. A secret may contain invisible characters. */
export function sanitizeText(text: string, isSecret: boolean): string {
  const kept = text.replaceAll(unwanted, '')
  return isSecret ? kept : kept.replaceAll(disguises, '')
}

/** An input line. A text that is too long is scrolled to the cursor, with `…` where it goes on. */
export function TextField(props: TextFieldProps) {
  const { label, labelWidth, isActive, problem, width, hasSign = false } = props
  const tone: Tone = isActive ? 'accent' : 'muted'
  return (
    <Box flexDirection="column" flexShrink={0}>
      <Box height={1}>
        <Box flexShrink={0}>
          <Line
            spans={[{ text: `${isActive && hasSign ? symbols.cursor : ' '} ${fitCell(label, labelWidth)} `, tone }]}
          />
        </Box>
        <EditableText {...props} room={Math.max(1, width - labelWidth - 4)} />
      </Box>
      <Problem text={problem} indent={indentOf(labelWidth)} width={width} />
    </Box>
  )
}

/** Where the text of a field begins. */
export const indentOf = (labelWidth: number): number => labelWidth + 3

interface ProblemProps {
  readonly text: string | undefined
  readonly tone?: Tone
  readonly indent: number
  readonly width: number
}

/** In a narrow window a long label would leave no room. */
const marginOf = ({ indent, width }: ProblemProps): number => Math.min(indent, Math.floor(width / 3))

export const problemLines = (props: ProblemProps): readonly string[] =>
  props.text === undefined ? [] : wrapText(escapeControls(props.text), Math.max(10, props.width - marginOf(props)))

/** The problem with a field, below it and in full. */
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

/** The text of a field with its cursor. */
function EditableText(props: TextFieldProps & { readonly room: number }) {
  const { value, isSecret = false, isRevealed, isActive, room, isSuggested = false, onChange } = props
  const { stdin } = useStdin()
  useLayoutEffect(() => (isActive && stdin instanceof Keyboard ? stdin.joinLetters() : undefined), [stdin, isActive])
  // At the end until the user moves it, also when the text comes from outside.
  const [cursor, setCursor] = useState<number>()
  const line = { text: value, at: Math.min(cursor ?? value.length, value.length) }
  const isSelected = isSuggested && cursor === undefined
  useInput(
    (input, key) => {
      const from = isSelected && isReplacing(input, key) ? { text: '', at: 0 } : line
      const next = lineAfter(from, input, key, isSecret)
      if (!next) return
      const text = sanitizeText(next.text, isSecret)
      // Characters that were dropped may have stood before the cursor.
      setCursor(sanitizeText(next.text.slice(0, next.at), isSecret).length)
      if (text !== value || next.isCut) onChange(text, next.isCut ? cutText : undefined)
    },
    { isActive },
  )
  const { before, under, after } = windowOf(isSecret && !isRevealed ? masked(line, isActive) : line, room)
  if (value === '' && props.example !== undefined) return <Example {...props} example={props.example} />
  const isAllInverse = isActive && isSelected
  return (
    <Line
      spans={[
        { text: before, isInverse: isAllInverse },
        { text: under, isInverse: isActive },
        { text: after, isInverse: isAllInverse },
      ]}
    />
  )
}

/** In words as well as dimmed, since not all terminals have colour: an example must not look like a value. */
const Example = ({ example, isActive }: { readonly example: string; readonly isActive: boolean }) => (
  <Line
    spans={[
      // The cursor stands on it, so that examples and values begin in one column.
      { text: 'l', tone: isActive ? 'plain' : 'muted', isInverse: isActive },
      { text: `ike ${example}`, tone: 'muted' },
    ]}
  />
)

/** A text is no key, even if it spells the name of one. */
const intentOf = (input: string, key: Key): Intent | undefined =>
  input.length > 1 ? undefined : intentInLine(keyName(input, key))

/** Whether a key replaces a selected text instead of moving in it. */
function isReplacing(input: string, key: Key): boolean {
  const intent = intentOf(input, key)
  return intent === undefined || intent.startsWith('erase')
}

const masked = ({ text, at }: TypedLine, isActive: boolean): TypedLine =>
  isActive ? { text: maskSign.repeat(text.length), at } : { text: secretMask(text), at: 0 }

interface EditedLine extends TypedLine {
  /** There was no room for all that was typed. */
  readonly isCut?: boolean
}

/** Undefined when the key does not edit text. */
function lineAfter(line: TypedLine, input: string, key: Key, isSecret: boolean): EditedLine | undefined {
  const intent = intentOf(input, key)
  if (intent) return edited(line, intent)
  const isTyped = input !== '' && !key.ctrl && !key.meta && !key.tab && !key.return
  return isTyped ? insertInRoom(line, sanitizeText(input, isSecret)) : undefined
}

/** Inserts the first characters that fit. What the line already contains stays. */
function insertInRoom(line: TypedLine, typed: string): EditedLine {
  const room = Math.max(0, maxLength - line.text.length)
  const kept = typed.slice(0, graphemes.segment(typed).containing(room)?.index)
  return { ...insert(line, kept), isCut: kept.length < typed.length }
}

/** The part of a line that fits, always with the cursor. `under` is the character at the cursor. */
interface LineWindow {
  readonly before: string
  readonly under: string
  readonly after: string
}

function windowOf({ text, at }: TypedLine, room: number): LineWindow {
  const under = characterAt(text, at) || ' '
  const left = room - displayWidth(under)
  // No character has more code units per column, so only this part of a long text is examined.
  const near = (left + 1) * 16
  const rest = text.slice(at + under.length).slice(0, near)
  const before = truncateStart(text.slice(Math.max(0, at - near), at), left - (rest === '' ? 0 : 1))
  return { before, under, after: truncateEnd(rest, left - displayWidth(before)) }
}
