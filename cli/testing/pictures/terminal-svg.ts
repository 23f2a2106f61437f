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

type Line = readonly PaintedText[]

/** The window of a terminal as a picture: text stays text, to be read aloud, searched and copied. */
export const terminalSvg = (title: string, columns: number, lines: readonly Line[]): string =>
  windowSvg(title, { columns, rows: lines.length }, lines.flatMap(drawRow))

/** What the window shows from one moment on, and for how many milliseconds. */
export interface Frame {
  readonly lines: readonly Line[]
  readonly time: number
}

/** The same, moving: each line is shown for as long as it stood there, over and over. Without motion the last frame stands. */
export function movingSvg(title: string, columns: number, frames: readonly Frame[]): string {
  const rows = Math.max(...frames.map(({ lines }) => lines.length))
  const length = frames.reduce((sum, { time }) => sum + time, 0)
  const shown = Array.from({ length: rows }, (_, row) => spansOf(frames, row)).flat()
  const spans = [...new Set(shown.map(({ from, to }) => `${from} ${to}`))]
  const drawn = shown.map(({ line, row, from, to }) =>
    [`<g class="s${spans.indexOf(`${from} ${to}`)}">`, ...drawLine(line, bar + row * cell.height), '</g>'].join('\n'),
  )
  const style = spans.map((span, at) => styleOfSpan(at, span.split(' ').map(Number), length))
  return windowSvg(title, { columns, rows }, ['<style>', ...style, still, '</style>', ...drawn])
}

const still = '@media (prefers-reduced-motion: reduce) { g { animation: none !important } }'

interface Span {
  readonly line: Line
  readonly row: number
  readonly from: number
  readonly to: number
}

/** What stood in a row, and from when until when. */
function spansOf(frames: readonly Frame[], row: number): readonly Span[] {
  let now = 0
  const spans: Span[] = []
  for (const { lines, time } of frames) {
    const line = lines[row] ?? []
    const last = spans.at(-1)
    if (last && JSON.stringify(last.line) === JSON.stringify(line)) spans.splice(-1, 1, { ...last, to: now + time })
    else spans.push({ line, row, from: now, to: now + time })
    now += time
  }
  return spans.filter((span) => span.line.length > 0)
}

/** Opacity in steps: nothing fades. What stands at the end is what a reader without motion sees. */
function styleOfSpan(at: number, [from = 0, to = 0]: readonly number[], length: number): string {
  const percent = (time: number) => `${round((time / length) * 1000) / 10}%`
  const isLast = to === length
  const stops = [
    ...(from > 0 ? ['0%{opacity:0}'] : []),
    `${percent(from)}{opacity:1}`,
    ...(isLast ? [] : [`${percent(to)}{opacity:0}`]),
  ]
  const rest = isLast ? '' : 'opacity:0;'
  return `.s${at}{${rest}animation:k${at} ${length / 1000}s step-end infinite}@keyframes k${at}{${stops.join('')}}`
}

interface Size {
  readonly columns: number
  readonly rows: number
}

function windowSvg(title: string, { columns, rows }: Size, content: readonly string[]): string {
  const width = round(columns * cell.width + 2 * margin)
  const height = round(rows * cell.height + bar + margin)
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" role="img" aria-label="${escape(title)}">`,
    `<title>${escape(title)}</title>`,
    `<rect width="${width}" height="${height}" rx="8" fill="${ground}"/>`,
    ...['#ff5f57', '#febc2e', '#28c840'].map(
      (fill, at) => `<circle cx="${20 + at * 18}" cy="17" r="5.5" fill="${fill}"/>`,
    ),
    `<g font-family="${font}" font-size="14" fill="${ink}">`,
    ...content,
    '</g>',
    '</svg>',
    '',
  ].join('\n')
}

const drawRow = (line: Line, row: number): readonly string[] => drawLine(line, bar + row * cell.height)

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
