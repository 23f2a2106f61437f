import type { FlowContext } from './flow-context.ts'
import type { LinkPurpose } from './mailed-links/link-token.ts'

/** Returns the words that a shell completes a value with; a person waits for it. `before`: the preceding arguments. */
export type Completer = (context: FlowContext, before: readonly string[]) => Promise<readonly string[]>

/** What all kinds of fields have in common. */
interface FieldBase {
  /** The label in forms and questions: `New name`. */
  readonly label: string
  /** The flag or argument in commander's syntax: `--name <name>`, `<name>`, `[link]`. */
  readonly flag?: string
  readonly argument?: string
  /** The flag takes pairs of names and values, like `plan=pro`: this is the name. */
  readonly pairName?: string
  /** The key in the request body, if it differs from the field's name. */
  readonly key?: string
  /** Text for --help. */
  readonly summary?: string
  /** A likely text, shown in an empty field: `30d`. */
  readonly example?: string
  /** Shell completion, if the service or this machine knows the words. */
  readonly complete?: Completer
  /** If left out, the value is undefined and not sent. */
  readonly isOptional?: boolean
  /** Identifies the subject in a command. Screens know the subject already. */
  readonly isOfSubject?: boolean
  /** Its flag selects the command: without it, another one runs. */
  readonly selectsCommand?: boolean
  /** Not part of forms, where it keeps its initial value. */
  readonly onlyInCommands?: boolean
  /** Error codes that concern this value. The person is asked only for this field again. */
  readonly refusals?: readonly string[]
  /**
   * What is wrong with the text, before anything is sent. `name`: what the person calls the field, its label or its
   * flag.
   */
  readonly check?: (text: string, name: string) => string | undefined
}

interface Text extends FieldBase {
  readonly kind: 'text'
  /** Leading and trailing spaces belong to the value. */
  readonly isVerbatim?: boolean
  /** In a command, `@file` means the contents of that file. */
  readonly mayBeFile?: boolean
  /** Must look like an e-mail address. */
  readonly isEmail?: boolean
  /** Can be left out, but not emptied. */
  readonly isNeverEmpty?: boolean
  /** An address; the default is the account of the run. */
  readonly isAccount?: boolean
}
/** Never shown. Commands read it from a file or stdin: `flag` names the file. */
export interface Secret extends FieldBase {
  readonly kind: 'secret'
  /** People type it twice, because it is not shown. */
  readonly isRepeated?: boolean
  /** The environment variable that names the file if the flag is not given. */
  readonly variable?: string
}
/**
 * A link from a mail, or its token: whoever has it can do what the mail is for. A command takes it as an argument, with
 * `-` for stdin, or from the file that its flag names.
 */
export interface Link extends FieldBase {
  readonly kind: 'link'
  readonly purpose: LinkPurpose
}
interface Toggle extends FieldBase {
  readonly kind: 'toggle'
}
/** One of the flow's `options`. */
interface Choice extends FieldBase {
  readonly kind: 'choice'
  /** Can be left as it is, but not emptied. */
  readonly isNeverEmpty?: boolean
  /** All possible values, if known without asking a service. */
  readonly values?: readonly string[]
}
interface List extends FieldBase {
  readonly kind: 'list'
  /** The option that is selected initially, if it exists. */
  readonly usual?: string
  /** A comma is part of a value, and does not separate several. */
  readonly isWhole?: true
}
/** The service to use: a field of a form, the global `--url` of a command. */
interface Server extends FieldBase {
  readonly kind: 'server'
}

export type Field = Text | Secret | Link | Toggle | Choice | List | Server
export type Fields = Readonly<Record<string, Field>>

type ValueOf<F extends Field> = F extends { kind: 'toggle' }
  ? boolean
  : F extends { kind: 'list' }
    ? readonly string[]
    : F extends { isOptional: true }
      ? string | undefined
      : string

/** The values that a flow gets, each with the type of its field. */
export type ValuesOf<F extends Fields> = { readonly [K in keyof F]: ValueOf<F[K]> }

/** The fields that a person fills in on a screen. */
export const formFields = (fields: Fields): readonly (readonly [name: string, field: Field])[] =>
  Object.entries(fields).filter(([, { isOfSubject, onlyInCommands }]) => !isOfSubject && !onlyInCommands)

/** Converts typed text to a value of the field. */
export function valueOfText(field: Field, text: string): unknown {
  if (field.kind === 'toggle') return text === 'yes'
  if (field.kind === 'list')
    return text
      .split(',')
      .map((id) => id.trim())
      .filter((id) => id !== '')
  return trimmedText(field, text)
}

/** The field whose value the service refused. */
export const refusedField = (fields: Fields, code: string): string | undefined =>
  Object.keys(fields).find((name) => fields[name]?.refusals?.includes(code))

/** The initial selection among these. */
export const initialSelection = ({ usual }: Pick<List, 'usual'>, offered: readonly string[]): readonly string[] =>
  offered.filter((word) => word === usual)

/** The text without surrounding spaces, unless they belong to the value. */
export const trimmedText = (field: Field, text: string): string =>
  field.kind === 'secret' || (field.kind === 'text' && field.isVerbatim) ? text : text.trim()

export const isSecretValue = ({ kind }: Field): boolean => kind === 'secret' || kind === 'link'

/** What people can type there, if the field says so. */
export const exampleOf = (field: Field): string | undefined =>
  field.example ?? (field.kind === 'text' && field.isEmail ? emailExample : undefined)

export const emailExample = 'ada@example.com'

/** Whether the default is the account of the run. */
export const isAccount = (field: Field): boolean => field.kind === 'text' && field.isAccount === true

/** `--name` of `--name <name>`. */
export const flagOf = ({ flag = '' }: Pick<Field, 'flag'>): string => flag.split(' ')[0] ?? ''

/** The state that a toggle's flag sets: off for `--no-remember`. */
export const isOnByFlag = (field: Pick<Field, 'flag'>): boolean => !flagOf(field).startsWith('--no-')

/** `NAME` for `--name <name>` or `<name>`: the placeholder for an unknown value. */
export const placeholderOf = ({
  argument,
  flag = '',
  pairName,
}: Pick<Field, 'flag' | 'argument' | 'pairName'>): string =>
  pairName === undefined ? wordIn(argument ?? flag) : `${pairName}=VALUE`

const wordIn = (text: string): string => /[<[]([\w=-]+)/.exec(text)?.[1]?.toUpperCase() ?? 'VALUE'

/** Whether none of the values of an edit says something. A toggle that is off says nothing. */
export const changesNothing = (values: Readonly<Record<string, unknown>>): boolean =>
  Object.values(values).every((value) => value === undefined || value === false)
