import type { Flags } from '../argv/flags.ts'
import type { Host } from '../process/host.ts'
import { ansiPaint, plainPaint } from './colour.ts'
import { jsonText } from './escape-controls.ts'
import type { OutputMode, OutputStyle } from './out.ts'
import { type OutputForm, outputFormOf } from './output-form.ts'

/** What the flags say of the answer itself. */
interface Shape extends Pick<OutputStyle, 'fields' | 'columns'> {
  readonly write: OutputStyle['document'] | undefined
}

/**
 * How stdout and stderr are written: for which reader, how wide, with or without colour. Never throws, because errors
 * are written in this style too.
 */
export function outputStyle(
  host: Host,
  flags: Flags,
  color: () => 'auto' | 'always' | 'never',
  { fields, columns, write }: Shape,
): OutputStyle {
  const { now } = host
  const isPainted = hasColor(host, host.stdout, color)
  return {
    hasColor: isPainted,
    mode: modeOf(host, flags),
    fields,
    columns,
    document: write ?? ((value) => [jsonText(value, indentOf(host, flags))]),
    notesWidth: host.stderr.isTTY ? widthOf(host, host.stderr) : Number.POSITIVE_INFINITY,
    notesPaint: hasColor(host, host.stderr, color) ? ansiPaint : plainPaint,
    page: {
      width: widthOf(host),
      now: now(),
      paint: isPainted ? ansiPaint : plainPaint,
    },
  }
}

/** JSON is indented for people, unless each line is a document. */
export const indentOf = ({ stdout }: Pick<Host, 'stdout'>, flags: Flags): number | undefined =>
  stdout.isTTY && outputFormOf(flags) !== 'ndjson' ? 2 : undefined

/** Below this nothing is laid out any more: the terminal wraps what is too long. */
const leastWidth = 40

type Terminal = Pick<Host, 'env' | 'stdout'>

/** Columns of stdout, or of another stream. */
export const terminalWidth = ({ env, stdout }: Terminal, stream = stdout): number =>
  Number(env['COLUMNS']) || stream.columns || 80

/** The columns to lay out for. */
export const widthOf = (terminal: Terminal, stream = terminal.stdout): number =>
  Math.max(leastWidth, terminalWidth(terminal, stream))

const modes: Readonly<Record<OutputForm, OutputMode>> = {
  table: 'people',
  json: 'document',
  yaml: 'document',
  ndjson: 'ndjson',
  csv: 'csv',
  tsv: 'tsv',
  name: 'ids',
}

function modeOf({ stdout }: Host, flags: Flags): OutputMode {
  const form = outputFormOf(flags)
  return form ? modes[form] : stdout.isTTY ? 'people' : 'programs'
}

function hasColor({ env }: Host, stream: Host['stdout'], color: () => 'auto' | 'always' | 'never'): boolean {
  try {
    const when = color()
    return when === 'always' || (when === 'auto' && Boolean(stream.isTTY) && env['TERM'] !== 'dumb')
  } catch {
    return false
  }
}
