import { allowedWhileImpersonating } from '../../shared/contract/while-impersonating.ts'
import type { CliError } from '../output/cli-error.ts'
import type { AnswerFields } from '../output/json.ts'
import type { FieldProblems } from './asking.ts'
import type { Complete, Field, Fields, ValuesOf } from './field.ts'
import type { Ports } from './ports.ts'

/** What a flow did. */
export interface Done<R extends object = object> {
  /** For people: `Created team Design`. */
  readonly sentence: string
  readonly status: 'created' | 'updated' | 'deleted' | 'unchanged' | 'planned'
  readonly resource: R
  /** A new key: shown this once, and kept nowhere. */
  readonly secret?: string
  /** Worth knowing beside it. */
  readonly notes?: readonly string[]
  /** What a person most likely does then. */
  readonly next?: Form
  /** Said before the command of `next`: `Open its link`. */
  readonly nextWords?: string
  /** The person is somebody else then, or nobody: back to the start. */
  readonly leadsHome?: boolean
}

/** What was done, with what is worth knowing beside it, in one line. */
export const toldOf = ({ sentence, notes = [] }: Pick<Done, 'sentence' | 'notes'>): string =>
  [sentence, ...notes].join('. ')

/** What a person typed or chose, by field: `yes` and `no` for toggles, ids with commas for lists. */
export type Texts = Readonly<Record<string, string>>

/** One line of a form. */
export interface FormField {
  readonly name: string
  readonly label: string
  readonly kind: Field['kind']
  readonly isSecret: boolean
  readonly isOptional: boolean
  /** What a choice or a list lets a person choose from. */
  readonly options?: readonly Option[] | undefined
}

/** A flow about something, as a form: the screen and the accessible conversation both read it. */
export interface Form {
  readonly title: string
  /** Whether somebody has to be signed in. */
  readonly needsSession: boolean
  readonly fields: readonly FormField[]
  readonly initial: Texts
  /** What will happen, where the fields do not say it. */
  readonly note: string | undefined
  /** Others may have changed what the note tells. */
  readonly readsLatest: boolean
  /** It takes something away, and asks for consent. */
  readonly destroys: boolean
  /** The service refuses it to who impersonates. */
  readonly isForOneself: boolean
  /** Why there is nothing to fill in now. */
  readonly disabledReason: string | undefined
  /** The command that does the same. */
  readonly command: (texts: Texts) => string
  /** What is wrong, by field, in the order of the fields. */
  readonly problems: (texts: Texts) => FieldProblems
  /** What fields are as long as nobody typed into them, made from others. */
  readonly proposals: (texts: Texts) => Texts
  readonly submit: (ports: Ports, texts: Texts) => Promise<Done>
  /** What the service refuses by that, by field. */
  readonly refused: (refusal: Pick<CliError, 'code' | 'message'>) => FieldProblems
}

/** How what a flow is about is named and found. */
export interface Subject<S, F extends Fields = Fields> {
  /** In commander's words: `<team>`, `<user...>` for several. */
  readonly argument?: string
  /** For --help. */
  readonly summary?: string
  /** Looks once where it has to for all the words; then each is looked up, none where no word names it. */
  readonly finder: (
    ports: Ports,
    values: ValuesOf<F>,
    words: readonly string[],
  ) => Promise<(word: string | undefined) => S>
  /** What the body of the call names it by. */
  readonly key?: string
  /** The words and flags that name it in a command. */
  readonly words: (subject: S) => WordAndFlags
  /** What a shell completes its argument with. */
  readonly complete?: Complete
}

export interface WordAndFlags {
  readonly word?: string | undefined
  readonly flags?: readonly string[]
}

/** What has to be said before a flow is run. */
export interface Consent<S> {
  readonly question: (subjects: readonly S[]) => string
  /** Told before a person types the word. */
  readonly warning?: (ports: Ports, subjects: readonly S[]) => Promise<string | undefined>
  /** A key is hit more easily than a command is typed: only the terminal UI asks. */
  readonly forKeysOnly?: boolean
  /** Typed in place of a yes, where the answer is a word. */
  readonly typed?: {
    readonly word: (subjects: readonly S[]) => string | undefined
    /** What the word is: `slug`. */
    readonly what: string
    /** In a form: `Your address`. */
    readonly label?: string
    /** The address of who is signed in: a command knows it before it asks the service. */
    readonly isOwnAddress?: boolean
    /** Stands for the word where it is not known yet; else `SLUG`. */
    readonly example?: string
    /** `--yes` is not enough either: nobody does this by a flag too many. */
    readonly always?: boolean
    /** Of the others a yes is enough. */
    readonly forSome?: boolean
  }
}

/** What a flow says of itself, whatever it is about. */
export interface FlowFacts<F extends Fields = Fields> {
  /** The words of its command: `team edit`. */
  readonly command: string
  /** A sentence for --help. */
  readonly summary: string
  /** On a screen and in a menu: `Rename the team`. */
  readonly title: string
  /** Refused in read-only mode. */
  readonly writes: boolean
  /** Whether somebody has to be signed in. */
  readonly needsSession: boolean
  readonly fields: F
  /** The field of which a command takes several, and does the same with each. */
  readonly bulk?: keyof F & string
  /** Changes what is given and nothing else: with nothing given there is nothing to do. */
  readonly isEdit?: boolean
  /** The path of the call that it makes, for the log of requests; none: it asks nothing of the service. */
  readonly call?: string
  /** Which of the bodies of that call, where another flow makes it too. */
  readonly isFor?: (body: Readonly<Record<string, unknown>>) => boolean
  /** Fields of the resource, for `--json=a,b` and `schema`. */
  readonly answer: AnswerFields
  /** For --help: what stands behind those words. A line that names another command too is whole. */
  readonly examples: readonly string[]
}

/** Whether the service refuses it to who impersonates. What needs no session is done as nobody. */
export const isForOneself = ({ needsSession, call }: Pick<FlowFacts, 'needsSession' | 'call'>): boolean =>
  needsSession && call !== undefined && !allowedWhileImpersonating.has(call)

/**
 * One thing that people do, told once: its command, form, action, conversation and JSON schema are made from it.
 * S: what it is about; F: its fields; V: what a screen knows around it.
 */
export interface Flow<S, F extends Fields = Fields, V = unknown, R extends object = object> extends FlowFacts<F> {
  readonly subject: Subject<S, F>
  readonly consent?: Consent<S>
  /** Why it cannot be done to these now. */
  readonly disabledReason?: (subjects: readonly S[], view: V) => string | undefined
  /** The note tells what others may have changed: a screen reads it again before it shows it. */
  readonly readsLatest?: boolean
  /** What will happen, where the fields do not say it. */
  readonly note?: (subject: S) => string
  /** What the fields start with; what is left as it was is not sent. */
  readonly initial?: (subjects: readonly S[], view?: V) => Partial<ValuesOf<F>>
  /** What choices and lists offer. */
  readonly options?: (subjects: readonly S[], view: V) => { readonly [K in keyof F]?: readonly Option[] }
  /** What a field most likely is, made from others: it stands there until somebody types something else. */
  readonly propose?: { readonly [K in keyof F]?: (texts: { readonly [N in keyof F]?: string | undefined }) => string }
  /** What is wrong with the values taken together. */
  readonly check?: (values: Partial<ValuesOf<F>>, subjects: readonly S[], view?: V) => Problems<F>
  readonly run: (ports: Ports, subject: S, values: ValuesOf<F>) => Promise<Done<R>>
  /** Of several: `3 members`. */
  readonly doneWith?: (subjects: readonly S[], values: ValuesOf<F>) => string
}

type Problems<F extends Fields> = { readonly [K in keyof F]?: string | undefined }

/** One of what a field lets a person choose from. */
export interface Option {
  readonly id: string
  readonly label: string
  /** Why it cannot be chosen; it stays listed. */
  readonly disabledReason?: string | undefined
}

/** For a flow that is about nothing but its fields. */
export const noSubject: Subject<undefined> = { finder: async () => () => undefined, words: () => ({}) }

/** A flag with its value, where there is one. */
export const flag = (name: string, value: string | undefined): readonly string[] =>
  value === undefined ? [] : [`--${name}`, value]
