import stringWidth from 'string-width'
import type { PaintedText } from '../pty.ts'

/** Of a character, in pixels; what is drawn is stretched to it, whatever font there is. */
const cell = { width: 8.4, height: 18 }
const margin = 16
const bar = 34
const font = "ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace"
const ground = '#0d1117'
const ink = '#e6edf3'

/** The sixteen colours that a terminal names, dark ones first. */
const palette = [
  '#484f58',
  '#ff7b72',
  '#3fb950',
  '#d29922',
  '#58a6ff',
  '#bc8cff',
  '#39c5cf',
  '#b1bac4',
  '#6e7681',
  '#ffa198',
  '#56d364',
  '#e3b341',
  '#79c0ff',
  '#d2a8ff',
  '#56d4dd',
  '#ffffff',
]

/** The window of a terminal as a picture: text stays text, to be read aloud, searched and copied. */
export function terminalSvg(title: string, columns: number, lines: readonly (readonly PaintedText[])[]): string {
  const width = round(columns * cell.width + 2 * margin)
  const height = round(lines.length * cell.height + bar + margin)
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" role="img" aria-label="${escape(title)}">`,
    `<title>${escape(title)}</title>`,
    `<rect width="${width}" height="${height}" rx="8" fill="${ground}"/>`,
    ...['#ff5f57', '#febc2e', '#28c840'].map(
      (fill, at) => `<circle cx="${20 + at * 18}" cy="17" r="5.5" fill="${fill}"/>`,
    ),
    `<g font-family="${font}" font-size="14" fill="${ink}">`,
    ...lines.flatMap((line, row) => drawLine(line, bar + row * cell.height)),
    '</g>',
    '</svg>',
    '',
  ].join('\n')
}

function drawLine(line: readonly PaintedText[], top: number): readonly string[] {
  let column = 0
  return line.flatMap((run) => {
    const left = margin + column * cell.width
    column += run.width
    return [...drawGround(run, left, top), ...drawText(run, left, top)]
  })
}

function drawGround(run: PaintedText, left: number, top: number): readonly string[] {
  const { ground: fill } = coloursOf(run)
  if (fill === ground) return []
  return [
    `<rect x="${round(left)}" y="${top}" width="${round(run.width * cell.width)}" height="${cell.height}" fill="${fill}"/>`,
  ]
}

/** Words, each where it begins: neighbours of several blanks are pieces of their own, as SVG keeps one blank at most. */
const drawText = (run: PaintedText, left: number, top: number): readonly string[] =>
  Array.from(run.text.matchAll(/\S+(?: \S+)*/g), ({ 0: text, index }) => {
    const x = left + stringWidth(run.text.slice(0, index)) * cell.width
    const place = `x="${round(x)}" y="${top + 13}" textLength="${round(stringWidth(text) * cell.width)}"`
    return `<text ${place} lengthAdjust="spacingAndGlyphs"${styleOf(run)}>${escape(text)}</text>`
  })

const styleOf = (run: PaintedText): string =>
  [
    coloursOf(run).ink === ink ? '' : ` fill="${coloursOf(run).ink}"`,
    run.isBold ? ' font-weight="bold"' : '',
    run.isDim ? ' opacity="0.6"' : '',
    run.isUnderlined ? ' text-decoration="underline"' : '',
  ].join('')

function coloursOf({ foreground, background, isInverse }: PaintedText) {
  const colours = { ink: colourOf(foreground) ?? ink, ground: colourOf(background) ?? ground }
  return isInverse ? { ink: colours.ground, ground: colours.ink } : colours
}

const colourOf = (number: number | undefined): string | undefined =>
  number === undefined ? undefined : palette[number]

const round = (pixels: number): number => Math.round(pixels * 10) / 10

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
