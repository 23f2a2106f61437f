import { readFile } from 'node:fs/promises'
import { type Command, Option } from 'commander'
import type { Context } from '../context.ts'
import { commandWith, type Given } from '../flows/command-line.ts'
import { type Field, type Fields, flagOf, placeholderOf, type ValuesOf, valueOf } from '../flows/field.ts'
import type { Flow } from '../flows/flow.ts'
import { problemOf } from '../flows/form.ts'
import type { Question } from '../prompt/ask.ts'
import { usage } from '../refusal.ts'
import { readSecret } from '../secret.ts'
import { whyUnreadable } from '../unreadable.ts'

/** What was typed: the words for what the command is about, and a word, a flag or nothing for each field. */
export interface Argv {
  readonly words: readonly string[]
  readonly given: Readonly<Record<string, string | readonly string[] | boolean | undefined>>
}

type Facts<F extends Fields> = Pick<Flow<never, F>, 'command' | 'fields' | 'isEdit' | 'bulk'> & {
  readonly subject: { readonly argument?: string }
}

export function readArgv(flow: Facts<Fields>, command: Command): Argv {
  const positional: unknown[] = [...command.processedArgs]
  const words = flow.subject.argument ? [positional.shift()].flat() : []
  const options: Readonly<Record<string, unknown>> = command.opts()
  const given = Object.fromEntries(
    Object.entries(flow.fields).map(([name, { argument, flag }]) => [
      name,
      argument ? positional.shift() : flag ? options[new Option(flag).attributeName()] : undefined,
    ]),
  ) as Argv['given']
  const several = flow.bulk ? [given[flow.bulk]].flat() : words
  return { words: several.filter((word): word is string => typeof word === 'string'), given }
}

/** A value for every field: as typed, read from a file, or asked for; exit 14 where nobody can be asked, 2 where it is wrong. */
export async function readValues<F extends Fields>(context: Context, flow: Facts<F>, argv: Argv): Promise<ValuesOf<F>> {
  checkStdin(flow, argv)
  const names = Object.keys(flow.fields).filter((name) => name !== flow.bulk)
  const known = Object.fromEntries(
    await Promise.all(
      names.map(async (name) => [name, await valueIn(context, flow.fields[name] as Field, argv.given[name])]),
    ),
  ) as Record<string, unknown>
  if (flow.isEdit && names.every((name) => known[name] === undefined)) throw nothingToChange(flow.fields)
  const missing = names.filter((name) => known[name] === undefined && isAsked(flow.fields[name] as Field))
  const questions = Object.fromEntries(missing.map((name) => [name, questionFor(flow.fields[name] as Field)]))
  const answers = missing.length > 0 ? await context.ask(questions, readyLine(flow, argv)) : {}
  const asked = Object.entries(answers).map(([name, text]) => [name, valueOf(flow.fields[name] as Field, text)])
  const values: Record<string, unknown> = { ...known, ...Object.fromEntries(asked) }
  for (const name of names) check(flow.fields[name] as Field, values[name])
  return values as ValuesOf<F>
}

/** The line that runs the same with nothing left to ask. */
export const readyLine = (flow: Facts<Fields>, { words, given }: Argv, flags: readonly string[] = []): string =>
  commandWith(flow, words, { given: given as Given, flags: [...filesOf(flow.fields, given), ...flags] })

const filesOf = (fields: Fields, given: Argv['given']): readonly string[] =>
  Object.entries(fields).flatMap(([name, field]) =>
    field.kind === 'secret' && field.flag && !field.isOptional ? [flagOf(field), String(given[name] ?? 'FILE')] : [],
  )

async function valueIn({ host, settings }: Context, field: Field, given: Argv['given'][string]): Promise<unknown> {
  if (field.kind === 'server') return settings.address.value.base
  if (field.kind === 'toggle') return given ?? false
  if (field.kind === 'list') return given === undefined ? undefined : listed(given)
  if (field.kind === 'link' && given === '-') return readSecret('-', nameOf(field), host.stdin)
  if (field.kind === 'text' && field.mayBeFile && typeof given === 'string' && given.startsWith('@'))
    return readNamedFile(given.slice(1), flagOf(field))
  if (field.kind === 'text' && field.isAccount && given === undefined) return settings.account.value
  if (field.kind !== 'secret') return typeof given === 'string' && !isVerbatim(field) ? given.trim() : given
  const variable = field.variable === undefined ? undefined : host.env[field.variable]
  if (typeof given === 'string') return readSecret(given, flagOf(field), host.stdin)
  return variable ? readSecret(variable, field.variable ?? '', host.stdin) : undefined
}

const readNamedFile = (path: string, flag: string): Promise<string> =>
  readFile(path, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw usage(`${flag} cannot be read: ${path} (${whyUnreadable(cause)})`, undefined, [flag])
  })

/** Words, or one with commas; each once. */
const listed = (given: unknown): readonly string[] => [
  ...new Set(
    [given]
      .flat()
      .flatMap((word) => String(word).split(','))
      .map((word) => word.trim())
      .filter(Boolean),
  ),
]

const isVerbatim = (field: Field): boolean => field.kind === 'text' && field.isVerbatim === true
const isAsked = ({ kind, isOptional }: Field): boolean => !isOptional && kind !== 'toggle' && kind !== 'server'
/** As a refusal names it: `--name`, `LINK`. */
export const nameOf = (field: Field): string => (field.argument ? placeholderOf(field) : flagOf(field))

const questionFor = (field: Field): Question => ({
  flag: nameOf(field),
  label: field.label,
  secret: field.kind === 'secret',
  repeat: field.kind === 'secret' && field.isRepeated === true,
})

/** One reader each: what is read from stdin for one is not there for the other. */
function checkStdin({ fields }: Facts<Fields>, { words, given }: Argv): void {
  const readers = Object.entries(fields).filter(
    ([name, { kind }]) => given[name] === '-' && /^(secret|link)$/.test(kind),
  )
  const names = [...(words.includes('-') ? ['the words'] : []), ...readers.map(([, field]) => nameOf(field))]
  if (names.length > 1)
    throw usage(`stdin (-) can hold one only: ${names.join(' or ')}`, 'Put the other one into a file', names)
}

function check(field: Field, value: unknown): void {
  if (typeof value !== 'string' || (value === '' && field.isOptional)) return
  const problem = field.kind === 'server' ? undefined : problemOf(field, value)
  if (problem) throw usage(`${nameOf(field)}: ${problem}`, undefined, [nameOf(field)])
}

function nothingToChange(fields: Fields) {
  const flags = Object.values(fields).map(flagOf)
  return usage('Nothing to change', `Give ${flags.join(', ')}`, flags)
}
