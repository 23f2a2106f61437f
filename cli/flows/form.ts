import { isEmail } from '../../shared/email.ts'
import { exitCodes } from '../../shared/exit-codes.ts'
import { CliError } from '../output/cli-error.ts'
import { escapeControls, restoreEscapes } from '../output/escape-controls.ts'
import { countText } from '../output/words.ts'
import { commandFor, type GivenValues, hintAbout } from './command-line.ts'
import {
  changesNothing,
  emailExample,
  exampleOf,
  type Field,
  type Fields,
  formFields,
  isSecretValue,
  refusedField,
  trimmedText,
  type ValuesOf,
  valueOfText,
} from './field.ts'
import {
  type FieldTexts,
  type Flow,
  type FlowResult,
  type Form,
  type FormField,
  isBlockedWhileImpersonating,
  nameOfSubject,
  type Option,
} from './flow.ts'
import type { FlowContext } from './flow-context.ts'
import { addressesIn, severalExample, severalFieldOf, severalProblem } from './form-several.ts'
import { byLabel, withDistinctLabels } from './option-labels.ts'
import { runEach } from './run-each.ts'
import type { FieldProblems } from './submission.ts'

interface FormInput<S, V> {
  readonly subjects: readonly S[]
  readonly view?: V
  /** Texts that are known already. */
  readonly given?: FieldTexts
}

export function formOf<S, F extends Fields, V, R extends object>(flow: Flow<S, F, V, R>, input: FormInput<S, V>): Form {
  const { subjects, view, given = {} } = input
  const bound = new BoundFlow(flow, subjects, view as V)
  const initial = { ...bound.initial(), ...given }
  return {
    title: flow.title,
    about: subjects.length === 1 ? nameOfSubject(flow.subject, bound.first) : undefined,
    isForAnyone: flow.isForAnyone ?? false,
    fields: bound.fields(),
    initial,
    note: subjects.length > 0 ? noteFor(flow, subjects, bound.first) : undefined,
    readsLatest: flow.readsLatest ?? false,
    destroys: flow.consent !== undefined,
    isForOneself: isBlockedWhileImpersonating(flow),
    disabledReason: flow.disabledReason?.(subjects, view as V),
    command: (texts) => bound.command(texts),
    hint: (texts = initial) => hintAbout(subjects, (few) => new BoundFlow(flow, few, view as V).command(texts)),
    problems: (texts) => bound.problems(texts),
    proposals: (texts) => proposalsOf(flow.propose ?? {}, texts),
    submit: (context, texts) => bound.submit(context, texts),
    own: flow.own,
    remade: (change) => formOf(change(flow), input),
    refused: (refusal) => bound.refused(refusal),
  }
}

/** So many of several subjects are named. */
const mostNamed = 3

function noteFor<S, F extends Fields, V, R extends object>(
  { note, subject }: Flow<S, F, V, R>,
  subjects: readonly S[],
  first: S,
): string | undefined {
  const own = note?.(first)
  if (subjects.length < 2) return own
  const named = subjects.slice(0, mostNamed).map((one) => nameOfSubject(subject, one) ?? '')
  const more = subjects.length > mostNamed ? ` and ${countText(subjects.length - mostNamed)} more` : ''
  return [`For ${countText(subjects.length)}: ${named.join(', ')}${more}.`, ...(own === undefined ? [] : [own])].join(
    ' ',
  )
}

const proposalsOf = (
  propose: Readonly<Record<string, ((texts: FieldTexts) => string) | undefined>>,
  texts: FieldTexts,
): FieldTexts => Object.fromEntries(Object.entries(propose).map(([name, make]) => [name, make?.(texts) ?? '']))

/** A flow with its subjects, which converts between texts and values. */
class BoundFlow<S, F extends Fields, V, R extends object> {
  readonly #flow: Flow<S, F, V, R>
  readonly #subjects: readonly S[]
  readonly #view: V

  constructor(flow: Flow<S, F, V, R>, subjects: readonly S[], view: V) {
    this.#flow = flow
    this.#subjects = subjects
    this.#view = view
  }

  /** With several subjects, the first one gives the initial values. */
  get first(): S {
    return this.#subjects[0] as S
  }

  fields(): readonly FormField[] {
    const options = this.#options()
    const several = severalFieldOf(this.#flow)
    const fields = formFields(this.#flow.fields).flatMap(([name, field]) => {
      const line = {
        name,
        label: isNeededPair(field) ? `${field.label} (required)` : field.label,
        kind: field.kind,
        isSecret: isSecretValue(field),
        isOptional: field.isOptional === true,
        ...(isPair(field) && { isOwn: true }),
        ...(name === several ? { isSeveral: true, example: severalExample } : { example: exampleOf(field) }),
        options: options[name] && withDistinctLabels(options[name]),
      }
      const repeated = { ...line, name: repeatNameOf(name), label: 'Repeat the password', repeats: name }
      return needsRepeat(field) ? [line, repeated] : [line]
    })
    return this.#word() === undefined ? fields : [confirmLine(this.#flow.consent), ...fields]
  }

  initial(): FieldTexts {
    const values = this.#initialValues()
    return Object.fromEntries(
      formFields(this.#flow.fields)
        // The screen already knows the server.
        .filter(([name, { kind }]) => kind !== 'server' || values[name] !== undefined)
        .map(([name, field]) => [name, escapeControls(textOf(field, values[name]))]),
    )
  }

  command(texts: FieldTexts): string {
    const options = this.#options()
    const values = this.#values(texts)
    const shown = Object.entries(values).map(([name, value]) => [
      name,
      isPair(this.#flow.fields[name]) ? value : byLabel(options[name], value),
    ])
    return commandFor(this.#flow, this.#subjects, { ...values, ...Object.fromEntries(shown), ...this.#several(texts) })
  }

  problems(texts: FieldTexts): Readonly<Record<string, string>> {
    const { fields, check } = this.#flow
    const together: Readonly<Record<string, string | undefined>> =
      check?.(this.#values(texts), this.#subjects, this.#view) ?? {}
    const found = formFields(fields).flatMap(([name, field]) => {
      const own = this.#ownProblem(name, field, texts)
      // For an empty selection in a list, the flow has its own message.
      const problem = field.kind === 'list' ? (together[name] ?? own) : (own ?? together[name])
      const differs = needsRepeat(field) && (texts[name] ?? '') !== (texts[repeatNameOf(name)] ?? '')
      return [
        ...(problem ? [[name, problem]] : []),
        ...(differs ? [[repeatNameOf(name), 'This does not match the line above']] : []),
      ]
    })
    return Object.fromEntries([...this.#confirmProblem(texts), ...found])
  }

  async submit(context: FlowContext, texts: FieldTexts): Promise<FlowResult> {
    // Without a subject there is no confirmation word either, so nothing must be sent.
    if (this.#subjects.length === 0) throw gone(this.#flow.title)
    const values = this.#values(texts)
    if (this.#flow.isEdit && changesNothing(values)) return unchanged
    const [[name, inputs] = ['', []]] = Object.entries(this.#several(texts))
    const run = (given: object) =>
      runEach(this.#flow, context, {
        subjects: this.#subjects,
        values: { ...values, ...given } as ValuesOf<F>,
        view: this.#view,
      })
    const { doneForSeveral = (count) => `${this.#flow.title}: ${count}` } = this.#flow
    if (inputs.length < 2) return run(inputs.length > 0 ? { [name]: inputs[0] } : {})
    const sentence = (count: string) => doneForSeveral(count, values as ValuesOf<F>)
    // Loaded with the first such form, after the first frame.
    const { runForSeveral } = await import('./run-several.ts')
    return runForSeveral(inputs, (input) => run({ [name]: input }), sentence, context)
  }

  /** The addresses of the field that takes several. */
  #several(texts: FieldTexts): Readonly<Record<string, readonly string[]>> {
    const name = severalFieldOf(this.#flow)
    return name === undefined ? {} : { [name]: addressesIn(texts[name] ?? '') }
  }

  refused({ code, message }: Pick<CliError, 'code' | 'message'>): FieldProblems {
    const refused = refusedField(this.#flow.fields, code) ?? ''
    const lines = this.fields().filter(({ name }) => name === refused || name === repeatNameOf(refused))
    return Object.fromEntries(lines.map(({ name }) => [name, message]))
  }

  #options(): Readonly<Record<string, readonly Option[] | undefined>> {
    return this.#flow.options?.(this.#subjects, this.#view) ?? {}
  }

  /** The word that must be typed besides any other consent, so that a stray key cannot confirm. */
  #word(): string | undefined {
    const typed = this.#flow.consent?.typed
    return typed?.always ? typed.word(this.#subjects) : undefined
  }

  #confirmProblem(texts: FieldTexts): readonly (readonly [string, string])[] {
    const word = this.#word()
    if (word === undefined || (texts[confirm] ?? '').trim() === word) return []
    return [[confirm, `This is not the ${this.#flow.consent?.typed?.what}`]]
  }

  #ownProblem(name: string, field: Field, texts: FieldTexts): string | undefined {
    const text = texts[name] ?? ''
    if (name !== severalFieldOf(this.#flow)) return this.#problemOf(field, text, this.initial()[name])
    return severalProblem(text) ?? this.#problemOf(field, addressesIn(text)[0] ?? '', undefined)
  }

  /** An unchanged value is always valid. */
  #problemOf(field: Field, text: string, before: string | undefined): string | undefined {
    if (text === before && (text !== '' || field.isOptional)) return undefined
    return problemOf(field, text)
  }

  /**
   * Unchanged values are not sent, or sent as they were: a name that is shown with escaped control characters keeps its
   * original form.
   */
  #values(texts: FieldTexts): GivenValues & Partial<ValuesOf<F>> {
    const [before, shown] = [this.#initialValues(), this.initial()]
    const values = formFields(this.#flow.fields).map(([name, field]) => {
      const text = texts[name] ?? ''
      if (text !== shown[name]) return [name, valueOfText(field, restoreEscapes(text, textOf(field, before[name])))]
      return [name, field.isOptional ? undefined : (before[name] ?? valueOfText(field, text))]
    })
    return { ...before, ...Object.fromEntries(values) } as GivenValues & Partial<ValuesOf<F>>
  }

  #initialValues(): GivenValues {
    return this.#flow.initial?.(this.#subjects, this.#view) ?? {}
  }
}

const gone = (title: string) =>
  new CliError(exitCodes.conflict, `${title}: the item no longer exists`, {
    code: 'SUBJECT_GONE',
    hint: 'Look at it again',
  })

const unchanged: FlowResult = { sentence: 'Nothing was changed', status: 'unchanged', resource: {} }

/** What is wrong with one value, wherever it comes from. `name`: what the person calls the field. */
export function problemOf(field: Field, text: string, name = field.label): string | undefined {
  if (field.kind === 'toggle') return /^(yes|no)$/.test(text) ? undefined : 'Answer yes or no'
  const said = trimmedText(field, text)
  if (said === '' && (!field.isOptional || isNeverEmpty(field))) return `${field.label} is needed`
  return emailProblem(field, said) ?? field.check?.(said, name)
}

const isNeverEmpty = (field: Field): boolean => 'isNeverEmpty' in field && field.isNeverEmpty === true

const emailProblem = (field: Field, said: string): string | undefined =>
  field.kind !== 'text' || !field.isEmail || said === '' || isEmail(said)
    ? undefined
    : `An e-mail address looks like ${emailExample}`

/** The texts that can be copied to another form: all but secrets. */
export const withoutSecrets = ({ fields }: Pick<Form, 'fields'>, texts: FieldTexts): FieldTexts =>
  Object.fromEntries(fields.flatMap(({ name, isSecret }) => (isSecret ? [] : [[name, texts[name] ?? '']])))

const confirm = 'confirm'
const confirmLine = <S>(consent: Flow<S>['consent']): FormField => ({
  name: confirm,
  label: consent?.typed?.label ?? `Type the ${consent?.typed?.what}`,
  kind: 'text',
  isSecret: false,
  isOptional: false,
})

const isPair = (field: Field | undefined): boolean => field?.pairName !== undefined

/** People cannot know which pairs a service needs, so the label says that one is needed. */
const isNeededPair = (field: Field): boolean => isPair(field) && !field.isOptional

const needsRepeat = (field: Field): boolean => field.kind === 'secret' && field.isRepeated === true
const repeatNameOf = (name: string): string => `${name} again`

function textOf(field: Field, value: unknown): string {
  if (field.kind === 'toggle') return value === true ? 'yes' : 'no'
  if (Array.isArray(value)) return value.join(',')
  return typeof value === 'string' ? value : ''
}
