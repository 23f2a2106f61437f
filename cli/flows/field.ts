import type { LinkPurpose } from './mailed-links/link-token.ts'
import type { Ports } from './ports.ts'

/** Asked while a person waits for it: the words that a shell completes a value with; `before`: the arguments that stand before it. */
export type Complete = (ports: Ports, before: readonly string[]) => Promise<readonly string[]>

/** What is told of one value that a flow takes. */
interface Told {
  /** In a form and in a question: `New name`. */
  readonly label: string
  /** As a command takes it, in commander's words: `--name <name>`, `<name>`, `[link]`. */
  readonly flag?: string
  readonly argument?: string
  /** What the body of the call names it, where that is another word. */
  readonly key?: string
  /** For --help. */
  readonly summary?: string
  /** What a shell completes it with, where the words are known to the service or to this machine. */
  readonly complete?: Complete
  /** Left out, it is undefined: nothing is said of it to the service. */
  readonly isOptional?: boolean
  /** Tells a command what it is about, which a screen knows without it. */
  readonly isOfSubject?: boolean
  /** No form asks for it: there it stays as it starts. */
  readonly onlyInCommands?: boolean
  /** Codes by which the service refuses this value: a person is asked for it again, and for nothing else. */
  readonly refusals?: readonly string[]
  /** What is wrong with this text before anything is sent; `name` is what the person calls the field: its label or its flag. */
  readonly check?: (text: string, name: string) => string | undefined
}

interface Text extends Told {
  readonly kind: 'text'
  /** Spaces around it belong to it. */
  readonly isVerbatim?: boolean
  /** `@file` stands for what the file holds, in a command. */
  readonly mayBeFile?: boolean
  /** What does not look like an address is refused. */
  readonly isEmail?: boolean
  /** Left out, what is there stays; it cannot be emptied. */
  readonly isNeverEmpty?: boolean
  /** An address; left out, that of the account which the run names. */
  readonly isAccount?: boolean
}
/** Never shown, and read from a file or stdin by a command: `flag` names the file. */
export interface Secret extends Told {
  readonly kind: 'secret'
  /** Typed twice where a person types it, since nobody sees it. */
  readonly isRepeated?: boolean
  /** Names the file where the flag does not. */
  readonly variable?: string
}
/**
 * The link of a mail, or its token: whoever has it may do what the mail is for. A command takes it as an argument, where `-`
 * reads it from stdin, or from the file that its flag names.
 */
export interface Link extends Told {
  readonly kind: 'link'
  readonly purpose: LinkPurpose
}
interface Toggle extends Told {
  readonly kind: 'toggle'
}
/** One or several of what the flow's `options` offer. */
interface Choice extends Told {
  readonly kind: 'choice'
  /** All that there are, where that is known before a service is asked. */
  readonly values?: readonly string[]
}
interface List extends Told {
  readonly kind: 'list'
  /** Chosen at first, where there is such a one. */
  readonly usual?: string
}
/** The service to talk to: a field of a form, the global `--url` of a command. */
interface Server extends Told {
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

/** What a flow is given: each value typed by its field. */
export type ValuesOf<F extends Fields> = { readonly [K in keyof F]: ValueOf<F[K]> }

/** The fields that a person fills in on a screen. */
export const ownFields = (fields: Fields): readonly (readonly [name: string, field: Field])[] =>
  Object.entries(fields).filter(([, { isOfSubject, onlyInCommands }]) => !isOfSubject && !onlyInCommands)

/** A person's text as a value of the field. */
export function valueOfText(field: Field, text: string): unknown {
  if (field.kind === 'toggle') return text === 'yes'
  if (field.kind === 'list')
    return text
      .split(',')
      .map((id) => id.trim())
      .filter((id) => id !== '')
  return trimmedText(field, text)
}

/** Of which field the service refused the value. */
export const refusedField = (fields: Fields, code: string): string | undefined =>
  Object.keys(fields).find((name) => fields[name]?.refusals?.includes(code))

/** What is chosen of these before anybody chooses. */
export const usualOf = ({ usual }: Pick<List, 'usual'>, offered: readonly string[]): readonly string[] =>
  offered.filter((word) => word === usual)

/** The text without the spaces around it, where they do not belong to it. */
export const trimmedText = (field: Field, text: string): string =>
  field.kind === 'secret' || (field.kind === 'text' && field.isVerbatim) ? text : text.trim()

export const isHidden = ({ kind }: Field): boolean => kind === 'secret' || kind === 'link'

/** Left out of a command, it is the account that the run names. */
export const isAccount = (field: Field): boolean => field.kind === 'text' && field.isAccount === true

/** `--name` of `--name <name>`. */
export const flagOf = ({ flag = '' }: Pick<Field, 'flag'>): string => flag.split(' ')[0] ?? ''

/** What a toggle is when its flag was typed: off by `--no-remember`. */
export const isOnByFlag = (field: Pick<Field, 'flag'>): boolean => !flagOf(field).startsWith('--no-')

/** `NAME` of `--name <name>` or `<name>`: what stands in a command for a value that is not known. */
export const placeholderOf = ({ argument, flag = '' }: Pick<Field, 'flag' | 'argument'>): string =>
  /[<[]([\w-]+)/.exec(argument ?? flag)?.[1]?.toUpperCase() ?? 'VALUE'
