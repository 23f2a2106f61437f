import { allowedWhileImpersonating } from '../../shared/contract/while-impersonating.ts'
import type { OwnValues } from '../../shared/own-fields.ts'
import type { CliError } from '../output/cli-error.ts'
import type { AnswerFields, ChangeStatus } from '../output/json.ts'
import type { Completer, Field, Fields, ValuesOf } from './field.ts'
import type { FlowContext } from './flow-context.ts'
import type { FieldProblems } from './submission.ts'

export interface FlowResult<R extends object = object> {
  /** For people: `Created team Design`. */
  readonly sentence: string
  readonly status: ChangeStatus
  readonly resource: R
  /** A new key, shown only once and not stored. */
  readonly secret?: string
  /** An existing key, whose secret nobody can show: a pipe to a secret store then gets nothing. */
  readonly lacksSecret?: boolean
  /** Further information. */
  readonly notes?: readonly string[]
  /** The most likely next step. */
  readonly next?: Form
  /** Introduces the command of `next`: `Open its link`. */
  readonly nextWords?: string
  /** The signed-in user has changed, so the screen returns to the start. */
  readonly leadsHome?: boolean
  /** Takes the change back. */
  readonly inverse?: Inverse | undefined
  /** What became of each of several inputs. */
  readonly results?: readonly SeveralResult[]
}

/** What became of one of several inputs. */
export interface SeveralResult {
  readonly input: string
  /** Why it failed. */
  readonly problem?: string
}

/** How a change is taken back: an ordinary flow with its subject and values. */
export interface Inverse {
  /** The equivalent command. */
  readonly command: string
  /** What it does, after the name of its key: `undoes it`. */
  readonly words: string
  /** The service refuses it during impersonation. */
  readonly isForOneself: boolean
  /** Throws if somebody else changed the same meanwhile. */
  readonly check: (context: FlowContext) => Promise<void>
  readonly run: (context: FlowContext) => Promise<FlowResult>
}

interface Change<S, F extends Fields, V, R> {
  readonly subject: S
  readonly values: ValuesOf<F>
  readonly resource: R
  /** Undefined outside of screens. */
  readonly view: V | undefined
}

/** The result and its notes as one line. */
export const resultText = ({ sentence, notes = [] }: Pick<FlowResult, 'sentence' | 'notes'>): string =>
  [sentence, ...notes].join('. ')

/** What a person typed or chose, by field: `yes` and `no` for toggles, comma-separated ids for lists. */
export type FieldTexts = Readonly<Record<string, string>>

export interface FormField {
  readonly name: string
  readonly label: string
  readonly kind: Field['kind']
  readonly isSecret: boolean
  readonly isOptional: boolean
  /** The field before it, whose secret it repeats. */
  readonly repeats?: string
  /** Takes several at once. */
  readonly isSeveral?: boolean
  /** An own field of the service. */
  readonly isOwn?: boolean
  /** A likely text, for an empty field. */
  readonly example?: string | undefined
  /** The options of a choice or a list. */
  readonly options?: readonly Option[] | undefined
}

/** Turns a flow into another one, whatever its subject. */
type FlowChange = <S, F extends Fields, V, R extends object>(flow: Flow<S, F, V, R>) => Flow<S, F, V, R>

/** A flow with its subjects as a form, used by screens and by the accessible conversation. */
export interface Form {
  readonly title: string
  /** What it is about, if that is one thing with a name. */
  readonly about: string | undefined
  readonly isForAnyone: boolean
  readonly fields: readonly FormField[]
  readonly initial: FieldTexts
  /** What will happen, if the fields do not say it. */
  readonly note: string | undefined
  /** The note can be outdated by others, so a screen reloads it before showing it. */
  readonly readsLatest: boolean
  /** Destructive: asks for consent. */
  readonly destroys: boolean
  /** The service refuses it during impersonation. */
  readonly isForOneself: boolean
  /** Why the form is not available now. */
  readonly disabledReason: string | undefined
  /** The equivalent command. */
  readonly command: (texts: FieldTexts) => string
  /** The command where there is no room for many subjects. It costs the same for one as for thousands. */
  readonly hint: (texts?: FieldTexts) => string
  /** What is wrong, by field, in the order of the fields. */
  readonly problems: (texts: FieldTexts) => FieldProblems
  /** Derived values for fields that nobody has edited. */
  readonly proposals: (texts: FieldTexts) => FieldTexts
  readonly submit: (context: FlowContext, texts: FieldTexts) => Promise<FlowResult>
  /** How it sets own fields of the service. Absent in a form that sets none. */
  readonly own?: Pick<OwnFieldsOfFlow<never>, 'of' | 'by'> | undefined
  readonly remade: (change: FlowChange) => Form
  /** The service's error, by field. */
  readonly refused: (refusal: Pick<CliError, 'code' | 'message'>) => FieldProblems
}

/** How the subject of a flow is named and found. */
export interface Subject<S, F extends Fields = Fields> {
  /** The argument in commander's syntax: `<team>`, or `<user...>` for several. */
  readonly argument?: string
  /** Text for --help. */
  readonly summary?: string
  /**
   * Loads what it needs once for all words, and returns a function that looks up each; undefined means that no word was
   * given.
   */
  readonly finder: (
    context: FlowContext,
    values: ValuesOf<F>,
    words: readonly string[],
  ) => Promise<(word: string | undefined) => S | Promise<S>>
  /** The key of the subject in the request body. */
  readonly key?: string
  /** The arguments and flags that name it in a command. */
  readonly words: (subject: S) => WordAndFlags
  /** What people know it by, where its word is an id. Undefined if only the id is known. */
  readonly name?: (subject: S) => string | undefined
  /** Shell completion of its argument. */
  readonly complete?: Completer
}

export interface WordAndFlags {
  readonly word?: string | undefined
  readonly flags?: readonly string[]
}

/** The confirmation that a flow needs. */
export interface Consent<S> {
  readonly question: (subjects: readonly S[]) => string
  /** Shown before a person types the word. */
  readonly warning?: (context: FlowContext, subjects: readonly S[]) => Promise<string | undefined>
  /** Only the terminal UI asks, because a key is pressed by mistake more easily than a command is typed. */
  readonly forKeysOnly?: boolean
  /** A word to type instead of answering yes. */
  readonly typed?: {
    readonly word: (subjects: readonly S[]) => string | undefined
    /** What the word is: `slug`. */
    readonly what: string
    /** In a form: `Your address`. */
    readonly label?: string
    /** The word is the address of the signed-in user, which a command knows without asking the service. */
    readonly isOwnAddress?: boolean
    /** Placeholder while the word is unknown; default: `SLUG`. */
    readonly example?: string
    /** `--yes` is not enough, so that a stray flag cannot confirm. */
    readonly always?: boolean
    /** Other subjects need only a yes. */
    readonly forSome?: boolean
  }
}

/** A global flag that selects the service, who acts, the organization, or how long a command waits. */
export type SelectingFlag = '--url' | '--account' | '--org' | '--timeout'

/** The facts of a flow, whatever its subject. */
export interface FlowFacts<F extends Fields = Fields> {
  /** The words of its command: `team edit`. */
  readonly command: string
  /** A sentence for --help. */
  readonly summary: string
  /** Title on screens and in menus: `Rename the team`. */
  readonly title: string
  /** Changes only this machine, so that read-only mode allows it. */
  readonly isLocal?: true
  /** Needs no signed-in user. */
  readonly isForAnyone?: boolean
  /** The global flags that it uses, beside those of its call and its session. */
  readonly globalFlags?: readonly SelectingFlag[]
  readonly fields: F
  /** What a command takes several of, one after the other: its subject, or the values of this field. */
  readonly bulk?: 'subject' | (keyof F & string)
  /** A command that is given a single one answers with the changed resource, otherwise with a list of results. */
  readonly answersOne?: true
  /** Changes only the given fields. If none is given, there is nothing to do. */
  readonly isEdit?: boolean
  /** The path of its call, for the log of requests; absent if it makes none. */
  readonly call?: string
  /** Recognizes its request bodies, if another flow makes the same call. */
  readonly isFor?: (body: Readonly<Record<string, unknown>>) => boolean
  /** The fields of the resource, for `--json=a,b` and `schema`. */
  readonly answer: AnswerFields
  /** For --help: the text after the command's own words. A line that starts another command first is whole. */
  readonly examples: readonly string[]
}

/** How a flow sets the own fields of the service, which only the service knows. */
export interface OwnFieldsOfFlow<S> {
  readonly of: 'user' | 'organization'
  /** Who sets them. Without it: whoever is signed in, and administrators more. */
  readonly by?: 'person' | 'admin'
  /** Their present values. */
  readonly valuesOf?: (subject: S) => OwnValues | undefined
}

/** The field that takes several values in a command. */
export const bulkFieldOf = ({ bulk }: Pick<FlowFacts, 'bulk'>): string | undefined =>
  bulk === 'subject' ? undefined : bulk

/** Whether the service refuses it during impersonation. Flows without a session are not affected. */
export const isBlockedWhileImpersonating = ({ isForAnyone, call }: Pick<FlowFacts, 'isForAnyone' | 'call'>): boolean =>
  !isForAnyone && call !== undefined && !allowedWhileImpersonating.has(call)

/**
 * One thing that people can do. Its command, form, action, conversation and JSON schema are derived from it.
 * S: the subject; F: its fields; V: what a screen knows about the context.
 */
export interface Flow<S, F extends Fields = Fields, V = unknown, R extends object = object> extends FlowFacts<F> {
  readonly subject: Subject<S, F>
  readonly own?: OwnFieldsOfFlow<S> | undefined
  readonly consent?: Consent<S>
  /** Of several subjects, it is run for this one after all others. */
  readonly comesLast?: (subject: S) => boolean
  /** Why it is not available for these subjects now. */
  readonly disabledReason?: (subjects: readonly S[], view: V) => string | undefined
  /** The note can be outdated by others, so a screen reloads it before showing it. */
  readonly readsLatest?: boolean
  /** What will happen, if the fields do not say it. */
  readonly note?: (subject: S) => string
  /** Initial values. Unchanged values are not sent. */
  readonly initial?: (subjects: readonly S[], view?: V) => Partial<ValuesOf<F>>
  /** The options of choices and lists. */
  readonly options?: (subjects: readonly S[], view: V) => { readonly [K in keyof F]?: readonly Option[] }
  /** A likely value derived from other fields, used until somebody types another. */
  readonly propose?: { readonly [K in keyof F]?: (texts: { readonly [N in keyof F]?: string | undefined }) => string }
  /** What is wrong with the values in combination. */
  readonly check?: (values: Partial<ValuesOf<F>>, subjects: readonly S[], view?: V) => Problems<F>
  readonly run: (context: FlowContext, subject: S, values: ValuesOf<F>) => Promise<FlowResult<R>>
  /** What takes the change back, if anything does. A method, since commands replace `run` and answer less than R. */
  inverse?(change: Change<S, F, V, R>): Inverse | undefined
  /** The sentence for several subjects: `3 members`. */
  readonly doneWith?: (subjects: readonly S[], values: ValuesOf<F>) => string
  /** The same for several values of the field that a command takes several of. `count`: `3`, or `2 of 3`. */
  readonly doneForSeveral?: (count: string, values: ValuesOf<F>) => string
}

/** The fields of a flow that asks for nothing. */
export type NoFields = Readonly<Record<never, never>>

type Problems<F extends Fields> = { readonly [K in keyof F]?: string | undefined }

/** One option of a choice or a list. */
export interface Option {
  readonly id: string
  readonly label: string
  /** Why it cannot be chosen. It stays listed. */
  readonly disabledReason?: string | undefined
}

/** A subject as people know it. */
export const nameOfSubject = <S, F extends Fields>(
  { name, words }: Pick<Subject<S, F>, 'name' | 'words'>,
  one: S,
): string | undefined => name?.(one) ?? words(one).word

/** For flows without a subject. */
export const noSubject: Subject<undefined> = { finder: async () => () => undefined, words: () => ({}) }

/** A flag with its value; empty without a value. */
export const flag = (name: string, value: string | undefined): readonly string[] =>
  value === undefined ? [] : [`--${name}`, value]
