import { Box } from 'ink'
import TextInput from 'ink-text-input'
import { displayWidth } from '../../output/width.ts'
import { symbols, type Tone } from '../theme.ts'
import { cell } from './columns.ts'
import { Line } from './words.tsx'

export interface TextFieldProps {
  readonly label: string
  readonly labelWidth: number
  readonly value: string
  readonly isSecret?: boolean
  readonly isActive: boolean
  /** The sign of the active field among several; a field alone needs none. */
  readonly hasSign?: boolean
  readonly problem?: string | undefined
  readonly width: number
  readonly onChange: (text: string) => void
}

/** No text of a field is longer, in code units. */
const maxLength = 2048
// Lone surrogates are left where half a character was deleted; the others would act on the terminal or hide in it.
const unwanted = /[\p{Cs}\p{Cc}\p{Zl}\p{Zp}]/gu
const disguises = /[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu

/** What a field keeps of what was typed or pasted. A secret keeps all that can be sent. */
export function keepText(text: string, isSecret: boolean): string {
  const kept = text.replaceAll(unwanted, '')
  return (isSecret ? kept : kept.replaceAll(disguises, '')).slice(0, maxLength)
}

/** A line to type into; a text longer than its room is shown by its end. */
export function TextField({
  label,
  labelWidth,
  value,
  isActive,
  problem,
  width,
  onChange,
  ...options
}: TextFieldProps) {
  const { isSecret = false, hasSign = false } = options
  const room = Math.max(1, width - labelWidth - 4)
  const shownWidth = isSecret ? value.length : displayWidth(value)
  const tone: Tone = isActive ? 'accent' : 'muted'
  return (
    <Box flexDirection="column" flexShrink={0}>
      <Box height={1}>
        <Box flexShrink={0}>
          <Line spans={[{ text: `${isActive && hasSign ? symbols.cursor : ' '} ${cell(label, labelWidth)} `, tone }]} />
        </Box>
        <Box width={room} overflow="hidden" height={1}>
          <Box marginLeft={-Math.max(0, shownWidth + 1 - room)} width={shownWidth + 2} flexShrink={0} height={1}>
            <TextInput
              value={value}
              focus={isActive}
              showCursor
              onChange={(text) => onChange(keepText(text, isSecret))}
              {...(isSecret ? { mask: symbols.secret } : {})}
            />
          </Box>
        </Box>
      </Box>
      {problem !== undefined && <Line spans={[{ text: `${' '.repeat(labelWidth + 3)}${problem}`, tone: 'danger' }]} />}
    </Box>
  )
}
