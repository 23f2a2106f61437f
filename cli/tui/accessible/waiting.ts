import type { BrowserTask, Waiting } from '../../flows/waiting.ts'
import { cancelledError } from '../../output/cli-error.ts'
import type { LineTerminal } from './line-terminal.ts'

/** Says what has to be done in a browser, then how much time is left; a line that the person sends cancels it. */
export async function waitInLines<T>(
  terminal: LineTerminal,
  task: BrowserTask,
  work: (waiting: Waiting) => Promise<T>,
): Promise<T> {
  describe(terminal, task)
  const [leaving, over] = [new AbortController(), new AbortController()]
  const clock = setInterval(() => terminal.say(minutesLeft(task.until)), 60_000)
  const left = new Promise<never>((_, reject) => {
    const leave = (error: unknown) => {
      leaving.abort(error)
      reject(error)
    }
    terminal.hears(over.signal).then((isSaid) => isSaid && leave(cancelledError('Cancelled')), leave)
  })
  try {
    return await Promise.race([work({ signal: leaving.signal, say: sayOnce(terminal) }), left])
  } finally {
    clearInterval(clock)
    over.abort()
  }
}

function describe(terminal: LineTerminal, { title, url, code, opened, until }: BrowserTask): void {
  terminal.say(`${title}.`)
  if (opened) terminal.say(`A page was opened in your browser${opened.code ? `; it shows ${opened.code}` : ''}.`)
  terminal.say(`${opened ? 'Elsewhere, open' : 'Open'} ${url}`)
  if (code !== undefined) terminal.say(`and type ${code}`)
  terminal.say(`${minutesLeft(until)} An empty line cancels.`)
}

function minutesLeft(until: number): string {
  const minutes = Math.round((until - Date.now()) / 60_000)
  if (minutes < 1) return 'Waiting, less than a minute left.'
  return `Waiting, ${minutes} ${minutes === 1 ? 'minute' : 'minutes'} left.`
}

/** What stays as it is is not said again. */
function sayOnce(terminal: LineTerminal): Waiting['say'] {
  let last: string | undefined
  return (note) => {
    if (note !== undefined && note !== last) terminal.say(`${note}.`)
    last = note
  }
}
