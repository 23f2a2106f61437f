const codes = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
  whiteOnBlack: ['97;40', 0],
} as const

/** Paints text that is already safe to print. */
export type Paint = (style: keyof typeof codes, text: string) => string

export const plainPaint: Paint = (_style, text) => text

export const ansiPaint: Paint = (style, text) => `\u001b[${codes[style][0]}m${text}\u001b[${codes[style][1]}m`
