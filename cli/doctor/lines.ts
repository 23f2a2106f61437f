import { visible } from '../output/filter.ts'
import type { PageFormat } from '../output/table.ts'
import { displayWidth } from '../output/width.ts'
import { wrapWords } from '../output/wrap.ts'
import type { Finding } from './finding.ts'

export type Row = Pick<Finding, 'check' | 'status' | 'message' | 'mend'>

const colours = { ok: 'green', warning: 'yellow', problem: 'red' } as const

/** Where the words begin. */
const left = 21

/** A finding for people, broken between words. A command to copy is never cut: it has a line of its own. */
export function linesOf({ check, status, message, mend }: Row, { paint, width }: PageFormat): string {
  const below = (words: readonly string[]) => wrapWords(words, width - left, displayWidth).join(`\n${' '.repeat(left)}`)
  const line = `${paint(colours[status], status.padEnd(7))}  ${check.padEnd(10)}  ${below(visible(message).split(' '))}`
  if (mend === null) return line
  return `${line}\n${' '.repeat(9)}${paint('dim', 'mend:'.padEnd(10))}  ${below(wordsOfMend(visible(mend)))}`
}

/** The command in it, which begins in lower case, is one word. */
function wordsOfMend(mend: string): readonly string[] {
  const [, prose = '', command] = /^(?:(.*?: )??)([a-z].*)$/s.exec(mend) ?? [mend, mend, undefined]
  return [...prose.trimEnd().split(' '), command ?? ''].filter((word) => word !== '')
}
