import { exitCodes } from '../../shared/exit-codes.ts'
import { CliError, cancelledError, interruptedError, usageError } from '../output/cli-error.ts'
import { andText } from '../output/words.ts'

/** A value from a flag, or asked from a person. */
export interface Question {
  readonly flag: string
  readonly label: string
  readonly value?: string | undefined
  /** Shown in brackets; pressing enter accepts it. */
  readonly proposal?: string | undefined
  /** Can be left empty: by pressing enter, or with a dash if there is a proposal. */
  readonly mayBeEmpty?: boolean
  /** Asks without echo. */
  readonly secret?: boolean
  /** Typed twice, because it is not shown. */
  readonly repeat?: boolean
  /** Why an answer is invalid: the question is asked again at once. */
  readonly problem?: (answer: string) => string | undefined
  /** Runs before the question is asked; skipped if the answer is given or nobody can be asked. */
  readonly before?: () => Promise<void>
}

export interface Prompt {
  /** Why nobody can be asked; undefined if a person sits at the terminal. */
  closed(): string | undefined
  /** Asks a person; null when they cancel, `interrupted` when they press Ctrl+C. */
  form(questions: readonly Question[]): Promise<readonly string[] | null | 'interrupted'>
}

interface Consent {
  /** The command line that does the same without a question. */
  readonly ready: string
  readonly yes: boolean | undefined
  readonly confirm: string | undefined
  /** The names that `--confirm` can repeat. */
  readonly expected: readonly string[]
}

/**
 * Returns a value for every question: from flags where given, the others asked together. Exit 14 if nobody can be
 * asked.
 */
export async function askMissing<K extends string>(
  questions: Readonly<Record<K, Question>>,
  ready: string,
  prompt: Prompt,
): Promise<Record<K, string>> {
  const all = Object.entries(questions) as [K, Question][]
  const missing = all.filter(([, question]) => question.value === undefined)
  const answers =
    missing.length > 0
      ? await answersTo(
          missing.map(([, question]) => question),
          ready,
          prompt,
        )
      : []
  const asked = new Map(missing.map(([name], index) => [name, answers[index] ?? '']))
  return Object.fromEntries(all.map(([name, { value }]) => [name, value ?? asked.get(name) ?? ''])) as Record<K, string>
}

/** Returns after consent by a flag or a person. Otherwise exit 3 (no), 14 (nobody to ask) or 2 (wrong name). */
export async function askConsent(question: string, consent: Consent, prompt: Prompt): Promise<void> {
  if (consent.yes) return
  if (consent.confirm !== undefined) return checkName(consent.confirm, consent)
  checkPrompt(['--yes'], consent.ready, prompt, [question])
  const answer = await prompt.form([{ flag: '--yes', label: `${question} [y/N]` }])
  if (answer === 'interrupted') throw interruptedError()
  if (!/^y(es)?$/i.test(answer?.[0]?.trim() ?? '')) throw cancelledError()
}

async function answersTo(questions: readonly Question[], ready: string, prompt: Prompt): Promise<readonly string[]> {
  const flags = questions.map(({ flag }) => flag)
  checkPrompt(flags, ready, prompt)
  for (const { before } of questions) await before?.()
  const answers = await prompt.form(questions)
  if (answers === 'interrupted') throw interruptedError()
  if (!answers) throw cancelledError()
  return answers
}

function checkName(given: string, { expected, ready }: Consent): void {
  if (expected.includes(given)) return
  const what =
    expected[0] === undefined
      ? '--confirm answers only a question about a single name'
      : `--confirm must be exactly ${expected[0]}`
  throw usageError(what, ready, ['--confirm'])
}

/** Exit 14 if nobody can be asked for these. `details`: what would have been asked. */
export function checkPrompt(
  flags: readonly string[],
  ready: string,
  prompt: Prompt,
  details: readonly string[] = [],
): void {
  const closed = prompt.closed()
  if (!closed) return
  throw new CliError(
    exitCodes.inputNeeded,
    `${andText(flags)} ${flags.length > 1 ? 'are' : 'is'} needed, and nobody can be asked: ${closed}`,
    {
      code: 'INPUT_NEEDED',
      hint: ready,
      details,
      fields: flags,
    },
  )
}
