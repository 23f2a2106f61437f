import type { BrowserTask, Waiting } from '../flows/waiting.ts'
import type { Paint } from '../output/colour.ts'
import { escapeControls } from '../output/escape-controls.ts'
import { isData, type OutputStyle } from '../output/out.ts'
import { clockText } from '../output/time.ts'
import type { Host } from '../process/host.ts'

/** Shows on stderr what to do and counts down until the work is over. Ctrl+C ends it. Silent for programs. */
export async function waitAtPrompt<T>(
  { host, out }: { readonly host: Host; readonly out: { readonly style: OutputStyle } },
  task: BrowserTask,
  work: (waiting: Waiting) => Promise<T>,
): Promise<T> {
  const { signal } = host
  if (isData(out.style)) return work({ signal, say: () => {} })
  for (const line of await instructions(task, out.style.notesPaint)) host.stderr.write(`${line}\n`)
  const countdown = startCountdown(host, task)
  try {
    return await work({ signal, say: countdown.say })
  } finally {
    countdown.stop()
  }
}

async function instructions(task: BrowserTask, paint: Paint): Promise<readonly string[]> {
  const { url, code, opened, hasPicture } = task
  const before = opened ? [`A page was opened in your browser${opened.code ? `; it shows ${opened.code}` : ''}`] : []
  const lines = [`${opened ? 'Elsewhere, open' : 'Open'} ${url}`, ...(code === undefined ? [] : [`and type ${code}`])]
  return [...[...before, ...lines].map(escapeControls), ...(hasPicture ? await picture(url, paint) : [])]
}

/** White on black if there is colour, because cameras read that best, whatever the terminal's colours are. */
async function picture(url: string, paint: Paint): Promise<readonly string[]> {
  const { qrLines } = await import('../output/qr.ts')
  return (await qrLines(url, 2)).map((line) => paint('whiteOnBlack', line))
}

interface Countdown {
  readonly say: Waiting['say']
  readonly stop: () => void
}

/** One line, redrawn each second at a terminal; written once elsewhere. */
function startCountdown({ stderr, now }: Host, { until, isKept }: BrowserTask): Countdown {
  let note: string | undefined
  const left = () => clockText(until - now())
  if (!stderr.isTTY) {
    stderr.write(`Waiting, ${left()} at most\n`)
    // The log could later be shown in a terminal.
    const say: Waiting['say'] = (text) => {
      if (text !== undefined && text !== note) stderr.write(`${escapeControls((note = text))}\n`)
    }
    return { say, stop: () => {} }
  }
  const rest = isKept ? 'ctrl+c leaves' : 'ctrl+c cancels'
  const draw = () => {
    const text = [`Waiting, ${left()} left`, note ?? rest].join(' · ')
    stderr.write(`\r\u001b[2K${text.slice(0, (stderr.columns || 80) - 1)}`)
  }
  draw()
  const timer = setInterval(draw, 1000)
  return {
    say: (text) => {
      note = text === undefined ? undefined : escapeControls(text)
      draw()
    },
    stop: () => {
      clearInterval(timer)
      stderr.write('\r\u001b[2K')
    },
  }
}
