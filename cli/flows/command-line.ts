import { commandLine } from '../output/shell-line.ts'
import { countText } from '../output/words.ts'
import {
  type Field,
  type Fields,
  flagOf,
  formFields,
  isAccount,
  isOnByFlag,
  isSecretValue,
  placeholderOf,
} from './field.ts'
import { type Flow, flag, type Subject } from './flow.ts'

/** The path of a command: `postern sign-in` for `sign-in --device`. */
export const pathOf = (command: string): string => `postern ${command.replace(/ --.*/, '')}`

/** An example as a whole line. An example that starts another command first is whole already. */
export const exampleLine = (path: string, example: string): string =>
  example.includes('postern ') ? example : `${path} ${example}`.trim()

export type GivenValues = Readonly<Record<string, unknown>>

interface CommandFlow<S> extends Pick<Flow<S>, 'command' | 'fields' | 'consent'> {
  readonly subject: Pick<Subject<S>, 'argument' | 'words'>
}

/** With so many subjects, a command is longer than any line. */
const mostInHint = 20

/** The command for a line of a menu. It names the first of many subjects, and is then not to be run. */
export function hintAbout<S>(subjects: readonly S[], commandOf: (few: readonly S[]) => string): string {
  const rest = subjects.length - mostInHint
  return `${commandOf(subjects.slice(0, mostInHint))}${rest > 0 ? ` … and ${countText(rest)} more` : ''}`
}

/** The equivalent command. It asks for secrets itself; unknown values appear as placeholders in capitals. */
export function commandFor<S>(flow: CommandFlow<S>, subjects: readonly S[], given: GivenValues = {}): string {
  const isTogether = flow.subject.argument?.includes('...') || subjects.length < 2
  const groups = isTogether ? [subjects] : subjects.map((subject) => [subject])
  return groups.map((group) => commandAbout(flow, group, given)).join('; ')
}

function commandAbout<S>(flow: CommandFlow<S>, group: readonly S[], given: GivenValues): string {
  const namings = group.map((one) => flow.subject.words(one))
  const words = namings.flatMap(({ word }) => (word === undefined ? [] : [word]))
  const typed = flow.consent?.typed?.always ? flow.consent.typed.word(group) : undefined
  return commandWith({ ...flow, fields: shownFields(flow.fields) }, words, {
    given,
    flags: [...(namings[0]?.flags ?? []), ...flag('confirm', typed)],
  })
}

/** The fields of forms, and the own fields that the undo of a change gives. */
const shownFields = (fields: Fields): Fields =>
  Object.fromEntries([
    ...formFields(fields),
    ...Object.entries(fields).filter(([, field]) => field.kind === 'list' && field.isWhole),
  ])

type CommandShape = Pick<Flow<never>, 'command' | 'fields'> & { readonly subject?: { readonly argument?: string } }

/** The command with these subject arguments. A list has only its fields. */
export const commandWith = (
  { command, fields, subject }: CommandShape,
  words: readonly string[] = [],
  { given = {}, flags = [] }: { readonly given?: GivenValues; readonly flags?: readonly string[] } = {},
): string => {
  const about = [...orPlaceholder(subject?.argument, words), ...argumentsOf(fields, given)]
  const how = [...flagsOf(fields, given), ...flags]
  return commandLine(
    'postern',
    ...command.split(' '),
    ...(about.some(isLikeFlag) ? [...how, '--', ...about] : [...about, ...how]),
  )
}

/** Such a word is an argument only after `--`. */
const isLikeFlag = (word: string): boolean => /^-./.test(word)

const orPlaceholder = (argument: string | undefined, words: readonly string[]): readonly string[] =>
  words.length > 0 || !argument?.startsWith('<') ? words : [placeholderOf({ argument })]

const argumentsOf = (fields: Fields, given: GivenValues): readonly string[] =>
  Object.entries(fields).flatMap(([name, field]) => (field.argument ? wordsFor(field, given[name]) : []))

function wordsFor(field: Field, value: unknown): readonly string[] {
  const words = isSecretValue(field) || isUnknown(value) ? [] : listed(value)
  return words.length > 0 || field.isOptional ? words : [placeholderOf(field)]
}

const flagsOf = (fields: Fields, given: GivenValues): readonly string[] =>
  Object.entries(fields).flatMap(([name, field]) => (field.flag ? flagFor(field, given[name]) : []))

function flagFor(field: Field, value: unknown): readonly string[] {
  const name = flagOf(field)
  if (field.kind === 'toggle') return value === isOnByFlag(field) ? [name] : []
  if (isSecretValue(field)) return []
  if (value === undefined || (isUnknown(value) && !field.isOptional))
    return field.isOptional || isAccount(field) ? [] : [name, placeholderOf(field)]
  return wordsOf(field, listed(value)).flatMap((word) => [name, word])
}

/** Several words are one value with commas, unless each is whole. */
const wordsOf = (field: Field, words: readonly string[]): readonly string[] =>
  field.kind === 'list' && field.isWhole ? words : [asPair(field, words.join(','))]

const asPair = ({ pairName }: Field, value: string): string => (pairName === undefined ? value : `${pairName}=${value}`)

/** A value as arguments. */
const listed = (value: unknown): readonly string[] =>
  [value].flat().flatMap((word) => (typeof word === 'string' ? [word] : []))

const isUnknown = (value: unknown): boolean =>
  value === undefined || value === '' || (Array.isArray(value) && value.length === 0)
