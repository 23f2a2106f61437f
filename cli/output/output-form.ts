export const outputForms = ['table', 'json', 'ndjson', 'yaml', 'csv', 'tsv', 'name'] as const
export type OutputForm = (typeof outputForms)[number]

/** The flags that choose a form. */
export interface FormFlags {
  /** An empty text selects all fields. */
  readonly json?: string
  readonly ndjson?: boolean
  readonly output?: OutputForm
  readonly template?: string
  readonly jq?: string
  readonly quiet?: boolean
}

/** The form that the flags ask for; undefined: lines for a person or for the next program. */
export function outputFormOf({ output, json, ndjson, quiet, template, jq }: FormFlags): OutputForm | undefined {
  if (ndjson) return 'ndjson'
  return output ?? ((json ?? template ?? jq) !== undefined ? 'json' : quiet ? 'name' : undefined)
}

/** Whether the output is read by a parser, so nobody is there to be asked. */
export const isForParser = (flags: FormFlags): boolean => !['table', 'name', undefined].includes(outputFormOf(flags))

/** Whether errors are JSON. Reads argv, since the flags may be what failed to parse. */
export const wantsJson = (argv: readonly string[]): boolean =>
  optionsIn(argv).some(
    (word, index, all) =>
      /^--(?:json|template|jq)(?:=|$)|^--ndjson$/.test(word) ||
      /^(?:json|ndjson|yaml)$/.test(formIn(word, all[index + 1]) ?? ''),
  )

/** The words before `--`, which ends the options. */
export const optionsIn = (argv: readonly string[]): readonly string[] => {
  const end = argv.indexOf('--')
  return end < 0 ? argv : argv.slice(0, end)
}

const formIn = (word: string, next: string | undefined): string | undefined =>
  /^(?:-o|--output)$/.test(word) ? next : /^(?:-o|--output=)(.+)$/.exec(word)?.[1]

/** Whether a flag only says what is shown of an answer, or how. */
export const isAboutOutput = (flag: string | undefined): boolean =>
  flag === '--columns' || flag === '--sort' || flag === '--limit'
