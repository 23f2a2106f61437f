import { type Key, Text, useInput } from 'ink'
import { useState } from 'react'
import { characterAt, insert, type LineEdit, lineEdits, type TypedLine } from '../output/typed-line.ts'

interface FieldProps {
  readonly value: string
  /** Shown for each character. */
  readonly mask?: string
  readonly onChange: (text: string) => void
  readonly onSubmit: (text: string) => void
}

/** An input line, whose cursor never leaves the text. */
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

function lineAfter(line: TypedLine, input: string, key: Key): TypedLine {
  const edit = key.ctrl ? controls[input] : special.find(([flag]) => key[flag])?.[1]
  if (edit) return lineEdits[edit](line)
  return key.ctrl || key.tab ? line : insert(line, input)
}

const controls: Readonly<Record<string, LineEdit>> = {
  a: 'line-start',
  e: 'line-end',
  k: 'erase-rest',
  u: 'erase-line',
  w: 'erase-word',
}

/** What most keyboards send for backspace, Ink calls delete. */
const special: readonly (readonly [keyof Key, LineEdit])[] = [
  ['leftArrow', 'line-left'],
  ['rightArrow', 'line-right'],
  ['home', 'line-start'],
  ['end', 'line-end'],
  ['backspace', 'erase-one'],
  ['delete', 'erase-one'],
]
