import type { Context } from '../context.ts'
import type { CliError } from '../output/cli-error.ts'
import { escapeControls } from '../output/escape-controls.ts'
import { LiveScreen } from '../output/live-screen.ts'
import { hangingProse } from '../output/prose.ts'
import { widthOf } from '../output/style.ts'
import { table } from '../output/table.ts'
import { aroundSuspension } from '../process/suspension.ts'
import { outageText } from './endless.ts'
import type { Look, Viewer } from './viewer.ts'

/** The list for people, drawn in place. At the end it stays below the command. */
export function liveTable<T extends object>(context: Context, interval: number): Viewer<T> {
  const { host, out } = context
  if (!canDraw(host.env)) return appendedTables(context)
  const screen = new LiveScreen(host.stdout)
  let shown: Look<T> | undefined
  let fault: CliError | undefined
  const draw = () => {
    if (!shown) return
    const foot = wrapped(context, fault ? outageText(fault) : `Every ${interval / 1000} s; Ctrl+C ends`)
    const paint = (line: string) => out.style.page.paint(fault ? 'yellow' : 'dim', line)
    screen.draw(linesOf(context, shown), foot.map(paint))
  }
  host.stdout.on('resize', draw)
  const enter = () => {
    screen.open()
    draw()
  }
  const disarm = aroundSuspension({ leave: () => screen.close(), enter })
  return {
    show: (look) => {
      shown = look
      draw()
    },
    outage: (error) => {
      fault = error
      draw()
    },
    close: () => {
      host.stdout.off('resize', draw)
      disarm()
      screen.close()
      if (shown) print(context, shown)
    },
  }
}

/** A terminal that cannot draw in place, or a reader who wants no redrawing, gets each state below the last. */
function appendedTables<T extends object>(context: Context): Viewer<T> {
  let before: string | undefined
  return {
    show: (look) => {
      const text = JSON.stringify(look.items)
      if (text !== before) print(context, look)
      before = text
    },
    outage: (fault) => context.out.warn(outageText(fault)),
    close: () => {},
  }
}

const canDraw = (env: Context['host']['env']): boolean => env['TERM'] !== 'dumb' && env['POSTERN_ACCESSIBLE'] !== '1'

/** At the present width and time. */
function linesOf<T extends object>(context: Context, { items, columns, note }: Look<T>): readonly string[] {
  const { host, out } = context
  const page = { ...out.style.page, width: widthOf(host), now: host.now() }
  const lines = items.length > 0 ? table(items, columns, page) : []
  return note === undefined ? lines : [...lines, ...wrapped(context, note)]
}

const wrapped = ({ host }: Context, text: string): readonly string[] =>
  hangingProse(escapeControls(text), 0, widthOf(host)).split('\n')

const print = <T extends object>(context: Context, look: Look<T>): void =>
  void context.host.stdout.write(`${linesOf(context, look).join('\n')}\n`)
