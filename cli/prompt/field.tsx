import { type Key, Text, useInput } from 'ink'
import { useState } from 'react'
import { graphemes } from '../output/graphemes.ts'

export interface FieldProps {
  readonly value: string
  /** Shown for each character. */
  readonly mask?: string
  readonly onChange: (text: string) => void
  readonly onSubmit: (text: string) => void
}

/** An input line. Its cursor never leaves the text, and no key cuts a character in half. */
export function Field({ value, mask, onChange, onSubmit }: FieldProps) {
  // At the end until somebody moves it, and where the text became shorter.
  const [cursor, setCursor] = useState<number>()
  const at = Math.min(cursor ?? value.length, value.length)
  useInput((input, key) => {
    if (key.return) return onSubmit(value)
    const next = lineAfter({ text: value, at }, input, key)
    setCursor(next.at)
    if (next.text !== value) onChange(next.text)
  })
  const shown = mask === undefined ? value : mask.repeat(value.length)
  const under = characterAt(shown, at) || ' '
  return (
    <Text>
      {shown.slice(0, at)}
      <Text inverse>{under}</Text>
      {shown.slice(at + under.length)}
    </Text>
  )
}

/** A text being edited. `at` is the cursor, in code units. */
interface TypedLine {
  readonly text: string
  readonly at: number
}

function lineAfter(line: TypedLine, input: string, key: Key): TypedLine {
  const { text, at } = line
  const moved = movedTo(line, key)
  if (moved !== undefined) return { text, at: moved }
  if (key.backspace || key.delete) return erased(line)
  if (key.ctrl || key.tab) return line
  return { text: text.slice(0, at) + input + text.slice(at), at: at + input.length }
}

/** Undefined for a key that moves no cursor. */
function movedTo({ text, at }: TypedLine, key: Key): number | undefined {
  if (key.leftArrow) return before(text, at)
  if (key.rightArrow) return at + characterAt(text, at).length
  if (key.home) return 0
  return key.end ? text.length : undefined
}

/** What most keyboards send for backspace, Ink calls delete. */
function erased({ text, at }: TypedLine): TypedLine {
  const start = before(text, at)
  return { text: text.slice(0, start) + text.slice(at), at: start }
}

const before = (text: string, at: number): number => graphemes.segment(text).containing(at - 1)?.index ?? 0
const characterAt = (text: string, at: number): string => graphemes.segment(text).containing(at)?.segment ?? ''
