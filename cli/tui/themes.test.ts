import { expect, test } from 'vitest'
import { colourless, themes } from './themes.ts'

const channel = (hex: string): number => {
  const value = Number.parseInt(hex, 16) / 255
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
}

/** Relative luminance of #rrggbb (WCAG 2.2). */
const luminance = (colour: string): number => {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => channel(colour.slice(at, at + 2)))
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

const contrast = (one: string, other: string): number => {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

test('black on white is the known 21 to 1', () => expect(contrast('#000000', '#ffffff')).toBeCloseTo(21))

// WCAG 2.2: AA (1.4.3) asks for 4.5 to 1, AAA (1.4.6) for 7 to 1.
test.each([
  ['dark', 4.5],
  ['light', 4.5],
  ['high-contrast', 7],
] as const)('every role of %s has a contrast of at least %d to 1', (name, least) => {
  const { background = '', tones } = themes[name]
  const { picture: _, ...roles } = tones
  for (const [role, { color = '', dimColor }] of Object.entries(roles)) {
    expect([role, dimColor, contrast(color, background) >= least]).toEqual([role, undefined, true])
  }
})

test("the terminal's own theme names only its 16 colours and paints no background", () => {
  expect(themes.terminal.background).toBeUndefined()
  expect(JSON.stringify(themes.terminal)).not.toContain('#')
})

test('without colour only weight is left', () => {
  expect(JSON.stringify(colourless)).not.toMatch(/color"|background/)
  expect(colourless.tones.muted).toEqual({ dimColor: true })
})
