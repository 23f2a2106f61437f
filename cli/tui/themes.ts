import type { Tone } from '../flows/resource-fields.ts'
import type { ThemeName } from '../settings/theme-names.ts'

interface ToneStyle {
  readonly color?: string
  readonly backgroundColor?: string
  readonly dimColor?: boolean
}

/** The look of each role that a piece of text can have. Components name roles only. */
export interface Theme {
  /** Undefined leaves the terminal's own. */
  readonly background?: string
  readonly tones: Readonly<Record<Tone, ToneStyle>>
}

/** Cameras read these colours best, whatever the theme's are. */
const picture: ToneStyle = { color: 'whiteBright', backgroundColor: 'black' }

const painted = (background: string, colours: Readonly<Record<Exclude<Tone, 'picture'>, string>>): Theme => ({
  background,
  tones: {
    plain: { color: colours.plain },
    muted: { color: colours.muted },
    accent: { color: colours.accent },
    good: { color: colours.good },
    warning: { color: colours.warning },
    danger: { color: colours.danger },
    picture,
  },
})

export const themes: Readonly<Record<ThemeName, Theme>> = {
  terminal: {
    tones: {
      plain: {},
      muted: { dimColor: true },
      accent: { color: 'cyan' },
      good: { color: 'green' },
      warning: { color: 'yellow' },
      danger: { color: 'red' },
      picture,
    },
  },
  dark: painted('#16181d', {
    plain: '#d8dee9',
    muted: '#9aa4b2',
    accent: '#6cc7e8',
    good: '#8fd17a',
    warning: '#f0c05a',
    danger: '#ff8a80',
  }),
  light: painted('#ffffff', {
    plain: '#1f2328',
    muted: '#57606a',
    accent: '#0550ae',
    good: '#116329',
    warning: '#7d4e00',
    danger: '#a40e26',
  }),
  'high-contrast': painted('#000000', {
    plain: '#ffffff',
    muted: '#e0e0e0',
    accent: '#00ffff',
    good: '#00ff00',
    warning: '#ffff00',
    danger: '#ff9a9a',
  }),
}

/** Without colour only weight is left. */
export const colourless: Theme = {
  tones: { plain: {}, muted: { dimColor: true }, accent: {}, good: {}, warning: {}, danger: {}, picture: {} },
}
