import { takesNextWord } from './flags.ts'

/** The index of the word that names the command: the first one behind global flags and their values. -1 without one. */
export function commandWordAt(argv: readonly string[]): number {
  let at = 0
  while (argv[at]?.startsWith('-')) at += takesNextWord(argv[at] ?? '') ? 2 : 1
  return at < argv.length ? at : -1
}
