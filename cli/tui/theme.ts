import { createContext } from 'react'
import type { Tone } from '../flows/resource-fields.ts'
import { type Theme, themes } from './themes.ts'

export type { Tone }

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

/** The look of roles: a theme from the settings, or without colour (NO_COLOR, --color). */
export const ThemeContext = createContext<Theme>(themes.terminal)
