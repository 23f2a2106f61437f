import { exitCodes } from '../../shared/exit-codes.ts'
import type { Context } from '../context.ts'
import {
  type Field,
  type Fields,
  initialSelection,
  isAccount,
  refusedField,
  type ValuesOf,
  valueOfText,
} from '../flows/field.ts'
import type { Consent } from '../flows/flow.ts'
import type { FlowContext } from '../flows/flow-context.ts'
import { askUntilAccepted, type FieldProblems, type RejectedValues } from '../flows/submission.ts'
import { CliError, usageError } from '../output/cli-error.ts'
import { toCliError } from '../output/error-report.ts'
import type { Question } from '../prompt/ask.ts'
import { flowContextOf } from './flow-context.ts'
import {
  type Argv,
  type CheckedFlow,
  type CommandFacts,
  findInvalidValue,
  invalidValueError,
  nameInCommand,
  problemIn,
  readyLine,
} from './ready-line.ts'

/** Whether to ask a person for this field: it is needed and nothing provides it. */
export const isAsked = (context: Context, field: Field, given: Argv['given'][string]): boolean =>
  isNeeded(field) && !isGiven(context, field, given)

/** Whether a command cannot do without the value. */
export const isNeeded = ({ kind, isOptional }: Field): boolean => !isOptional && kind !== 'toggle' && kind !== 'server'

/** Whether a flag, a file or a setting provides the value, so that nobody has to be asked. */
function isGiven({ host, settings }: Context, field: Field, given: Argv['given'][string]): boolean {
  if (given !== undefined) return true
  if (isAccount(field)) return settings.account.value !== undefined
  return field.kind === 'secret' && field.variable !== undefined && Boolean(host.env[field.variable])
}

export async function questionFor(field: Field, flowContext: FlowContext): Promise<Question> {
  const { proposal, problem: unknown } = await knownChoice(field, flowContext)
  return {
    flag: nameInCommand(field),
    label: labelOf(field),
    secret: field.kind === 'secret',
    repeat: field.kind === 'secret' && field.isRepeated === true,
    proposal,
    problem: (answer) => problemIn(field, valueOfText(field, answer), field.label) ?? unknown?.(answer),
  }
}

/** An own field of the service is new to people, so its question says what it can be. */
const labelOf = (field: Field): string =>
  field.kind === 'choice' && field.pairName && field.values
    ? `${field.label} (${field.values.join(', ')})`
    : field.label

/** For a list whose words the service knows: an unknown word is asked for again before anything is sent. */
async function knownChoice(field: Field, flowContext: FlowContext): Promise<Pick<Question, 'proposal' | 'problem'>> {
  if (field.kind !== 'list' || !field.complete) return {}
  const known = await field.complete(flowContext, []).catch(noneIfForbidden)
  if (known.length === 0) return {}
  const problem = (answer: string) => {
    const unknown = (valueOfText(field, answer) as readonly string[]).find((word) => !known.includes(word))
    return unknown && `${field.label}: there is no ${unknown}, only ${known.join(', ')}`
  }
  return { proposal: initialSelection(field, known).join(','), problem }
}

/** A caller without permission to list the words, such as a key with few scopes, can still give one. */
function noneIfForbidden(error: unknown): readonly string[] {
  if (toCliError(error).exitCode === exitCodes.forbidden) return []
  throw error
}

interface RetryOptions<F extends Fields, T> {
  readonly argv: Argv
  readonly values: ValuesOf<F>
  readonly run: (values: ValuesOf<F>) => Promise<T>
}

/**
 * Repeats until the service accepts what the person typed. Values from a file or a flag are not asked for again: that
 * would not fix the next run.
 */
export function runUntilAccepted<F extends Fields, T>(
  context: Context,
  flow: CheckedFlow<F>,
  { argv, values, run }: RetryOptions<F, T>,
): Promise<T> {
  const typed = Object.entries(flow.fields).flatMap(([name, field]) =>
    isAsked(context, field, argv.given[name]) ? [name] : [],
  )
  const refused = ({ code, message }: CliError) => {
    const name = refusedField(flow.fields, code)
    return name !== undefined && typed.includes(name) ? { [name]: message } : {}
  }
  return askUntilAccepted<ValuesOf<F>, T, never>(
    { ...atPrompt(context, flow, { argv, typed }), send: run, refused },
    values,
  )
}

/** Asks again for typed values that are invalid. Invalid values on the command line are an error. */
export const askUntilValid = <F extends Fields>(
  context: Context,
  flow: CheckedFlow<F>,
  { values, ...at }: PromptState & { readonly values: ValuesOf<F> },
): Promise<ValuesOf<F>> =>
  askUntilAccepted<ValuesOf<F>, ValuesOf<F>, never>(
    { ...atPrompt(context, flow, at), send: async (right) => right },
    values,
  )

interface PromptState {
  readonly argv: Argv
  /** The fields that a person was asked for. */
  readonly typed: readonly string[]
}

/** How often a person can try an existing password. A new password can be tried without limit. */
const mostTries = 3

/** Checks all values, and asks again for a single field. */
function atPrompt<F extends Fields>(context: Context, flow: CheckedFlow<F>, { argv, typed }: PromptState) {
  let triesLeft = mostTries
  const wordsFor = async (refusal: CliError, error: unknown) => {
    const { retryText, isWrongPassword } = await import('../flows/refusals.ts')
    if (!isWrongPassword(refusal.code)) return retryText(refusal)
    triesLeft -= 1
    if (triesLeft === 0) throw error
    return `${retryText(refusal)}, ${triesText(triesLeft)}`
  }
  return {
    check: (values: ValuesOf<F>): FieldProblems => {
      const wrong = findInvalidValue(flow, values, typed)
      if (wrong && !typed.includes(wrong.name)) throw invalidValueError(flow, wrong.field, wrong.problem)
      return wrong ? { [wrong.name]: wrong.problem } : {}
    },
    ask: async (values: ValuesOf<F>, { problems, refusal, error }: RejectedValues): Promise<ValuesOf<F>> => {
      const [[name, problem] = ['', '']] = Object.entries(problems)
      context.out.warn(refusal ? await wordsFor(refusal, error) : problem)
      return { ...values, [name]: await askField(context, flow, argv, name) }
    },
  }
}

async function askField(context: Context, flow: CommandFacts<Fields>, argv: Argv, name: string): Promise<unknown> {
  const field = flow.fields[name] as Field
  const ready = readyLine(flow, argv, { lacking: [nameInCommand(field)] })
  const { [name]: text = '' } = await context.ask({ [name]: await questionFor(field, flowContextOf(context)) }, ready)
  return valueOfText(field, text)
}

const triesText = (left: number): string => (left === 1 ? '1 try left' : `${left} tries left`)

interface ConsentCommand<S> {
  readonly subjects: readonly S[]
  /** The names as given in argv: `--confirm` can repeat a single one too. */
  readonly words: readonly string[]
  /** Builds the command line as it was typed, without consent. */
  readonly ready: (flags: readonly string[], words?: readonly string[]) => string
}

/** The same, with what a warning needs to look things up. */
export interface ConsentRequest<S> extends ConsentCommand<S> {
  readonly flowContext: FlowContext
}

/** Exit 14 before anything is sent if consent is missing and nobody can be asked for it. */
export async function checkFlowConsent<S>(
  context: Context,
  { typed }: Consent<S>,
  { ready }: ConsentCommand<S>,
): Promise<void> {
  const { flags } = context
  const isTyped = typed?.always === true && !typed.forSome
  if (flags.confirm !== undefined || (flags.yes && !isTyped)) return
  const [name, ...value] = isTyped ? ['--confirm', await exampleOf(context, typed)] : ['--yes']
  context.checkPrompt([name], ready([name, ...value]))
}

/** The placeholder for the confirmation word before the service has been asked. */
async function exampleOf<S>(context: Context, { isOwnAddress, example, what }: TypedConsent<S>): Promise<string> {
  const own = isOwnAddress ? (await context.identity()).account?.email : undefined
  return own ?? example ?? what.toUpperCase()
}

type TypedConsent<S> = NonNullable<Consent<S>['typed']>

/** Continues only after a yes, or after the confirmation word has been typed where one is required. */
export async function askFlowConsent<S>(
  context: Context,
  consent: Consent<S>,
  about: ConsentRequest<S>,
): Promise<void> {
  const { subjects, words, ready } = about
  const word = consent.typed?.word(subjects)
  if (consent.typed?.always && word !== undefined) return askWord(context, consent, { ...about, word })
  const question = consent.question(subjects)
  await context.confirm(question, {
    ready: ready(['--yes']),
    // The name of one is no consent for the others.
    expected: words.length > 1 ? [] : [word, ...words].filter((one) => one !== undefined),
  })
}

/** The word has to be typed and is not shown, so that a stray key cannot confirm. */
async function askWord<S>(
  context: Context,
  { question, typed, warning }: Consent<S>,
  { flowContext, subjects, ready, word }: ConsentRequest<S> & { readonly word: string },
): Promise<void> {
  const what = typed?.what ?? 'name'
  const given = context.flags.confirm
  const label = `${question(subjects)} Type the ${what} to confirm:`
  const before = async () => {
    const text = await warning?.(flowContext, subjects)
    if (text !== undefined) context.out.warn(text)
  }
  // Also warns a person who has already given the word.
  if (given !== undefined) await before()
  const questions = { confirm: { flag: '--confirm', label, value: given, before } }
  const { confirm } = await context.ask(questions, ready(['--confirm', word]))
  if (confirm === word) return
  if (given !== undefined)
    throw usageError(`--confirm must be exactly ${word}`, ready(['--confirm', word]), ['--confirm'])
  throw new CliError(exitCodes.cancelled, `That is not the ${what}: nothing was done`, { code: 'CANCELLED' })
}
