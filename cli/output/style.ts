import type { Flags } from '../argv/flags.ts'
import type { Host } from '../process/host.ts'
import { ansiPaint, plainPaint } from './colour.ts'
import type { OutputMode, OutputStyle } from './out.ts'

/**
 * How stdout is written: for which reader, how wide, with or without colour. Never throws, because errors are written
 * in this style too.
 */
export function outputStyle(
  host: Host,
  flags: Flags,
  color: () => 'auto' | 'always' | 'never',
  fields: OutputStyle['fields'],
): OutputStyle {
  const { stdout, now } = host
  const isPainted = hasColor(host, color)
  return {
    hasColor: isPainted,
    mode: modeOf(host, flags),
    fields,
    indent: stdout.isTTY ? 2 : undefined,
    notesWidth: host.stderr.isTTY ? widthOf(host, host.stderr) : Number.POSITIVE_INFINITY,
    page: {
      width: widthOf(host),
      now: now(),
      paint: isPainted ? ansiPaint : plainPaint,
    },
  }
}

/** Below this nothing is laid out any more: the terminal wraps what is too long. */
const leastWidth = 40

type Terminal = Pick<Host, 'env' | 'stdout'>

/** Columns of stdout, or of another stream. */
export const columnsOf = ({ env, stdout }: Terminal, stream = stdout): number =>
  Number(env['COLUMNS']) || stream.columns || 80

/** The columns to lay out for. */
export const widthOf = (terminal: Terminal, stream = terminal.stdout): number =>
  Math.max(leastWidth, columnsOf(terminal, stream))

function modeOf({ stdout }: Host, flags: Flags): OutputMode {
  if (flags.ndjson) return 'ndjson'
  if (flags.json !== undefined) return 'json'
  if (flags.quiet) return 'ids'
  return stdout.isTTY ? 'people' : 'programs'
}

function hasColor({ stdout, env }: Host, color: () => 'auto' | 'always' | 'never'): boolean {
  try {
    const when = color()
    return when === 'always' || (when === 'auto' && Boolean(stdout.isTTY) && env['TERM'] !== 'dumb')
  } catch {
    return false
  }
}
