import { exitCodes } from '../../shared/exit-codes.ts'
import type { Context } from '../context.ts'
import type { Consent } from '../flows/flow.ts'
import type { Ports } from '../flows/ports.ts'
import { CliError, usageError } from '../output/cli-error.ts'

export interface ConsentContext<S> {
  readonly subjects: readonly S[]
  /** As they were named in argv: `--confirm` may repeat that too. */
  readonly words: readonly string[]
  /** The command as it was typed, without consent. */
  readonly ready: (flags: readonly string[], words?: readonly string[]) => string
}

/** The same, with what a warning may look at. */
export interface ConsentRequest<S> extends ConsentContext<S> {
  readonly ports: Ports
}

/** Exit 14 before anything is sent, where consent was not given and nobody can be asked for it. */
export async function checkFlowConsent<S>(
  context: Context,
  { typed }: Consent<S>,
  { ready }: ConsentContext<S>,
): Promise<void> {
  const { flags } = context
  const isTyped = typed?.always === true && !typed.forSome
  if (flags.confirm !== undefined || (flags.yes && !isTyped)) return
  const [name, ...value] = isTyped ? ['--confirm', await exampleOf(context, typed)] : ['--yes']
  context.checkPrompt([name], ready([name, ...value]))
}

/** What stands for a word that is typed, before the service is asked. */
async function exampleOf<S>(context: Context, { isOwnAddress, example, what }: Typed<S>): Promise<string> {
  const own = isOwnAddress ? (await context.identity()).account?.email : undefined
  return own ?? example ?? what.toUpperCase()
}

type Typed<S> = NonNullable<Consent<S>['typed']>

/** Goes on only with a yes, or with the word where one has to be typed. */
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
    expected: [word, ...words].filter((one) => one !== undefined),
  })
}

/** Typed, not shown: nobody does this by a key too many. */
async function askWord<S>(
  context: Context,
  { question, typed, warning }: Consent<S>,
  { ports, subjects, ready, word }: ConsentRequest<S> & { readonly word: string },
): Promise<void> {
  const what = typed?.what ?? 'name'
  const given = context.flags.confirm
  const label = `${question(subjects)} Type the ${what} to do it:`
  const before = async () => {
    const text = await warning?.(ports, subjects)
    if (text !== undefined) context.out.warn(text)
  }
  // A person who has typed the word already is told as well.
  if (given !== undefined) await before()
  const questions = { confirm: { flag: '--confirm', label, value: given, before } }
  const { confirm } = await context.ask(questions, ready(['--confirm', word]))
  if (confirm === word) return
  if (given !== undefined)
    throw usageError(`--confirm has to be exactly ${word}`, ready(['--confirm', word]), ['--confirm'])
  throw new CliError(exitCodes.cancelled, `That is not the ${what}: nothing was done`, { code: 'CANCELLED' })
}
