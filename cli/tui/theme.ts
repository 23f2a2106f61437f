import { createContext } from 'react'
import type { Tone } from '../flows/resource-fields.ts'

export type { Tone }

export interface ToneStyle {
  readonly color?: string
  readonly backgroundColor?: string
  readonly dimColor?: boolean
}

const colours: Readonly<Record<Tone, ToneStyle>> = {
  plain: {},
  muted: { dimColor: true },
  accent: { color: 'cyan' },
  good: { color: 'green' },
  warning: { color: 'yellow' },
  danger: { color: 'red' },
  // Cameras read these colours best, whatever the terminal's are.
  picture: { color: 'whiteBright', backgroundColor: 'black' },
}

/** The style of a tone. Without colour only `muted` differs. */
export const toneStyle = (tone: Tone, hasColour: boolean): ToneStyle =>
  hasColour || tone === 'muted' ? colours[tone] : colours.plain

export const symbols = {
  cursor: '❯',
  marked: '●',
  open: '›',
  up: '↑',
  down: '↓',
  rule: '─',
  online: '●',
  offline: '✗',
  connecting: '○',
} as const

export const spinnerFrames: readonly string[] = ['|', '/', '-', '\\']

/** Whether the terminal is painted in colour (NO_COLOR, --color). */
export const ColourContext = createContext(true)
