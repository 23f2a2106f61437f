import { exitCodes } from '../../shared/exit-codes.ts'
import { CliError, notFoundError } from '../output/cli-error.ts'

/** How people name a thing beside its id. */
export interface Naming<T> {
  /** What it is called, in the singular. */
  readonly kind: string
  /** Whether the word names it; what the first way finds hides what the later ones would: a name never beats an id. */
  readonly ways: readonly ((item: T, word: string) => boolean)[]
  /** Tells candidates apart; with the id. */
  readonly describe: (item: T) => string
  /** The command that shows them all. */
  readonly list: string
}

/** The one thing that a word names. Exit 6 when there is none, 7 with the candidates when there are several. */
export function pickOne<T>(items: readonly T[], word: string, { kind, ways, describe, list }: Naming<T>): T {
  const matches = ways.map((names) => items.filter((item) => names(item, word)))
  const [found, ...others] = matches.find(({ length }) => length > 0) ?? []
  if (found === undefined) throw notFoundError(`No ${kind} ${word}`, list)
  if (others.length === 0) return found
  throw new CliError(exitCodes.conflict, `${others.length + 1} ${kind}s are called ${word}`, {
    code: 'AMBIGUOUS',
    details: [found, ...others].map(describe),
    hint: 'Give the id of the one that is meant',
  })
}
