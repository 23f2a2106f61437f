import { readFileSync } from 'node:fs'
import type { Pty } from './pty.ts'

/** Keys whose frame is timed, after others that lead there and before those that lead back. */
export interface Stroke {
  readonly name: string
  readonly before?: string
  readonly keys: string
  readonly back?: string
}

/** The mark that ends a frame (synchronized output, DEC private mode 2026). */
const frameEnds = '\u001b[?2026l'
/** Milliseconds without output after which nothing more is painted. */
const calm = 250
const longest = 10_000

/** Milliseconds from a key to the end of the first frame that looks otherwise: as a person waits, and of the processor. */
export interface StrokeTime {
  readonly waited: number
  readonly worked: number
}

/** One time for each round. */
export async function keyTimes(
  terminal: Pty,
  { before, keys, back }: Stroke,
  rounds: number,
): Promise<readonly StrokeTime[]> {
  const times: StrokeTime[] = []
  for (let round = 0; round < rounds; round += 1) {
    for (const key of before ?? '') await press(terminal, key)
    times.push(await timeOf(terminal, keys))
    await untilCalm(terminal)
    if (back !== undefined) await press(terminal, back)
  }
  return times
}

async function press(terminal: Pty, keys: string): Promise<void> {
  terminal.type(keys)
  await untilCalm(terminal)
}

/** What the first thread of the program has used of a processor, in milliseconds. */
function workOf(terminal: Pty): number {
  const [pid = 0] = terminal.children()
  return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6
}

async function timeOf(terminal: Pty, keys: string): Promise<StrokeTime> {
  const seen = await terminal.screen()
  let from = terminal.raw().length
  const before = workOf(terminal)
  const start = performance.now()
  terminal.type(keys)
  while (performance.now() - start < longest) {
    await new Promise((resolve) => setImmediate(resolve))
    const end = terminal.raw().indexOf(frameEnds, from)
    if (end < 0) continue
    const taken = { waited: performance.now() - start, worked: workOf(terminal) - before }
    if ((await terminal.screen()) !== seen) return taken
    from = end + frameEnds.length
  }
  throw new Error(`Nothing changes after ${JSON.stringify(keys)} in\n${seen}`)
}

async function untilCalm(terminal: Pty): Promise<void> {
  for (let length = -1; length !== terminal.raw().length; ) {
    length = terminal.raw().length
    await new Promise((resolve) => setTimeout(resolve, calm))
  }
}
