import { readFile } from 'node:fs/promises'
import { type Command, Option } from 'commander'
import { withoutByteOrderMark } from '../../shared/byte-order-mark.ts'
import { rootOf } from '../argv/command-metadata.ts'
import type { Context } from '../context.ts'
import type { GivenValues } from '../flows/command-line.ts'
import {
  changesNothing,
  type Field,
  type Fields,
  flagOf,
  isAccount,
  type Link,
  type Secret,
  trimmedText,
  type ValuesOf,
  valueOfText,
} from '../flows/field.ts'
import { bulkFieldOf } from '../flows/flow.ts'
import { tokenIn } from '../flows/mailed-links/mailed-link.ts'
import { usageError } from '../output/cli-error.ts'
import { unreadableHint, whyUnreadable } from '../process/file-faults.ts'
import type { Host } from '../process/host.ts'
import type { Wanted } from '../settings/secret.ts'
import { flowContextOf } from './flow-context.ts'
import { askUntilValid, isAsked, isNeeded, questionFor } from './flow-questions.ts'
import { type Argv, type CheckedFlow, type CommandFacts, nameInCommand, readyLine } from './ready-line.ts'

export function readArgv(flow: CommandFacts<Fields>, command: Command): Argv {
  const positional: unknown[] = [...command.processedArgs]
  const words = flow.subject.argument ? [positional.shift()].flat() : []
  const options: Readonly<Record<string, unknown>> = command.opts()
  const given = Object.fromEntries(
    Object.entries(flow.fields).map(([name, { argument, flag }]) => [
      name,
      argument ? valueOf(flow, name, positional.shift()) : flag ? options[new Option(flag).attributeName()] : undefined,
    ]),
  ) as Argv['given']
  const bulkField = bulkFieldOf(flow)
  const several = bulkField === undefined ? words : [given[bulkField]].flat()
  return {
    words: several.filter((word): word is string => typeof word === 'string'),
    given,
    others: otherFlags(flow, command),
  }
}

/** The argument of a field that takes several values, but is given one here, is that one. */
const valueOf = ({ fields, bulk }: CommandFacts<Fields>, name: string, given: unknown): unknown =>
  Array.isArray(given) && fields[name]?.kind === 'text' && name !== bulk ? given[0] : given

/** The other flags as typed, so that the printed line runs. Consent is left out: the command asks for it. */
function otherFlags({ command: line, fields }: CommandFacts<Fields>, command: Command): readonly string[] {
  const known = [...line.split(' '), ...Object.values(fields).map(flagOf), '--yes', '--confirm', '--no-input']
  return [command, rootOf(command)].flatMap((owner) =>
    owner.options
      .filter(
        (option) => owner.getOptionValueSource(option.attributeName()) === 'cli' && !known.includes(option.long ?? ''),
      )
      .flatMap((option) => asTyped(option, owner.getOptionValue(option.attributeName()))),
  )
}

/** An option with an optional value takes it after `=`. */
function asTyped({ long, negate, optional }: Option, value: unknown): readonly string[] {
  const name = long ?? ''
  if (typeof value === 'boolean') return value === negate ? [] : [name]
  if (optional) return [value === '' ? name : `${name}=${String(value)}`]
  return [name, String(value)]
}

type NamedField = readonly [name: string, field: Field]

/**
 * Reads a value for every field: as typed, from a file, or by asking. Exit 14 if nobody can be asked, 2 if a value is
 * wrong.
 */
export async function readValues<F extends Fields>(
  context: Context,
  flow: CheckedFlow<F>,
  argv: Argv,
  flowContext = flowContextOf(context),
): Promise<ValuesOf<F>> {
  checkStdin(flow, argv)
  const fields = Object.entries(flow.fields).filter(([name]) => name !== flow.bulk)
  // The order matters: an invalid link is refused before a password is asked for, and no file is read in vain.
  const links = await readGiven(context, flow, argv, fields.filter(isLink))
  const missing = fields.filter(([name, field]) => isAsked(context, field, argv.given[name]))
  const lacking = missing.map(([, field]) => nameInCommand(field))
  const ready = readyLine(flow, argv, { lacking })
  if (lacking.length > 0) context.checkPrompt(lacking, ready)
  const others = fields.filter((field) => !isLink(field))
  const known = { ...(await readGiven(context, flow, argv, others)), ...links }
  if (flow.isEdit && changesNothing(known)) throw nothingToChange(flow.fields)
  const texts = known as Partial<Record<keyof F, string>>
  const asking = missing.map(async ([name, field]) => {
    const proposal = flow.propose?.[name]?.(texts)
    return [name, { ...(await questionFor(field, flowContext)), ...(proposal !== undefined && { proposal }) }] as const
  })
  const questions = Object.fromEntries(await Promise.all(asking))
  const answers = Object.entries(await context.ask(questions, ready))
  const asked = answers.map(([name, text]) => [name, valueOfText(flow.fields[name] as Field, text)])
  const values = { ...known, ...Object.fromEntries(asked) } as GivenValues & ValuesOf<F>
  return askUntilValid(context, flow, { argv, values, typed: Object.keys(questions) })
}

const isLink = ([, { kind }]: NamedField): boolean => kind === 'link'

async function readGiven(
  context: Context,
  flow: CommandFacts<Fields>,
  argv: Argv,
  fields: readonly NamedField[],
): Promise<GivenValues> {
  const lineOf = () => readyLine(flow, argv, {})
  const values = fields.map(
    async ([name, field]) => [name, await valueIn(context, field, argv.given[name], lineOf)] as const,
  )
  return Object.fromEntries(await Promise.all(values))
}

/** `lineOf`: the command line as typed. */
async function valueIn(
  context: Context,
  field: Field,
  given: Argv['given'][string],
  lineOf: () => string,
): Promise<unknown> {
  switch (field.kind) {
    case 'server':
      return context.settings.address.value.base
    case 'toggle':
      return given ?? false
    case 'list':
      return given === undefined ? undefined : listed(given, field.isWhole)
    case 'secret':
      return secretIn(context.host, field, given)
    case 'link':
      return typeof given === 'string' ? linkIn(context, field, given, lineOf) : undefined
    default:
      return typeof given === 'string' ? textIn(field, given) : defaultOf(context, field)
  }
}

const defaultOf = ({ settings }: Context, field: Field): string | undefined =>
  isAccount(field) ? settings.account.value : undefined

const textIn = (field: Field, given: string): string | Promise<string> =>
  mayBeFile(field) && given.startsWith('@') ? readNamedFile(given.slice(1), flagOf(field)) : trimmedText(field, given)

/** Few commands read one, so the others do not wait for this to load. */
const readSecret = async (path: string, wanted: Wanted, host: Host): Promise<string> =>
  (await import('../settings/secret.ts')).readSecret(path, wanted, host)

async function secretIn(host: Host, field: Secret, given: Argv['given'][string]): Promise<string | undefined> {
  const { variable } = field
  if (typeof given === 'string') return readSecret(given, wantedOf(field), host)
  const file = variable && host.env[variable]
  return file ? readSecret(file, { ...wantedOf(field), name: variable, inFile: `${variable}=FILE` }, host) : undefined
}

const wantedOf = (field: Secret | Link): Wanted => ({
  name: nameInCommand(field),
  what: field.kind === 'link' ? 'link' : field.label.toLowerCase(),
  inFile: `${flagOf(field)} FILE`,
  isAsked: isNeeded(field) && !field.selectsCommand,
})

/** Refuses a link of another service or for another purpose before anything is sent. */
async function linkIn({ host, settings }: Context, field: Link, given: string, lineOf: () => string): Promise<string> {
  const whenEmpty = field.argument && `${lineOf()} < link.txt`
  const text = field.flag || given === '-' ? await readSecret(given, { ...wantedOf(field), whenEmpty }, host) : given
  await tokenIn(text, field.purpose, settings.address.value.base)
  return text
}

const mayBeFile = (field: Field): boolean => field.kind === 'text' && field.mayBeFile === true

/** An empty file is refused: what should have filled it failed, and the value that is there would be removed. */
async function readNamedFile(path: string, flag: string): Promise<string> {
  const text = await readFile(path, 'utf8').then(withoutByteOrderMark, (cause: NodeJS.ErrnoException) => {
    throw usageError(`${flag} cannot be read: ${path} (${whyUnreadable(cause)})`, unreadableHint, [flag])
  })
  if (text.trim() === '') throw usageError(`${flag} @${path} is empty`, `To give no value: ${flag} ''`, [flag])
  return text
}

/** Splits words at commas, unless each is whole, and removes repetitions. */
const listed = (given: unknown, isWhole = false): readonly string[] => [
  ...new Set(
    [given]
      .flat()
      .flatMap((word) => (isWhole ? String(word) : String(word).split(',')))
      .map((word) => word.trim())
      .filter(Boolean),
  ),
]

/** Only one value can come from stdin. */
function checkStdin({ fields }: CommandFacts<Fields>, { words, given }: Argv): void {
  const readers = Object.entries(fields).filter(
    ([name, { kind }]) => given[name] === '-' && /^(secret|link)$/.test(kind),
  )
  const names = [...(words.includes('-') ? ['the words'] : []), ...readers.map(([, field]) => nameInCommand(field))]
  if (names.length > 1)
    throw usageError(
      `stdin (-) can provide only one of these: ${names.join(' or ')}`,
      'Read the other one from a file',
      names,
    )
}

function nothingToChange(fields: Fields) {
  const flags = Object.values(fields).map(flagOf)
  return usageError('Nothing to change', `Give ${flags.join(' or ')}`, flags)
}
