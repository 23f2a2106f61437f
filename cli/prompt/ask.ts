import { exitCodes } from '../../shared/exit-codes.ts'
import { CliError, cancelledError, interruptedError, usageError } from '../output/cli-error.ts'

/** A value that a flag gives or a person can be asked for. */
export interface Question {
  readonly flag: string
  readonly label: string
  readonly value?: string | undefined
  /** Stands in brackets: the enter key alone takes it. */
  readonly proposal?: string | undefined
  /** Nothing is an answer too: the enter key alone, or a dash in place of what is proposed. */
  readonly mayBeEmpty?: boolean
  /** Typed without echo. */
  readonly secret?: boolean
  /** Typed twice, since nobody sees it. */
  readonly repeat?: boolean
  /** Why an answer cannot be taken: it is asked for again at once. */
  readonly problem?: (answer: string) => string | undefined
  /** Done before it is asked; not where its answer is given, or nobody can be asked. */
  readonly before?: () => Promise<void>
}

export interface Prompt {
  /** Why nobody can be asked; undefined where a person sits at the terminal. */
  closed(): string | undefined
  /** Asks a person; null when they cancel, `interrupted` when they press Ctrl+C. */
  form(questions: readonly Question[]): Promise<readonly string[] | null | 'interrupted'>
}

export interface ConsentFlags {
  /** The line that runs the same command without a question. */
  readonly ready: string
  readonly yes: boolean | undefined
  readonly confirm: string | undefined
  /** The names that `--confirm` may repeat. */
  readonly expected: readonly string[]
}

/** Values for every question: from flags where given, else asked for together. Exit 14 where nobody can be asked. */
export async function askFor<K extends string>(
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

/** Passes on consent, by flag or by a person; else exit 3 (no), 14 (nobody to ask) or 2 (wrong name). */
export async function askConsent(question: string, consent: ConsentFlags, prompt: Prompt): Promise<void> {
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

function checkName(given: string, { expected, ready }: ConsentFlags): void {
  if (expected.includes(given)) return
  const what =
    expected[0] === undefined ? 'This command asks for no name' : `--confirm has to be exactly ${expected[0]}`
  throw usageError(what, ready, ['--confirm'])
}

/** Exit 14 where nobody can be asked for these; `details`: what would have been asked. */
export function checkPrompt(
  flags: readonly string[],
  ready: string,
  prompt: Prompt,
  details: readonly string[] = [],
): void {
  const closed = prompt.closed()
  if (!closed) return
  throw new CliError(exitCodes.inputNeeded, `${listed(flags)} needed, and nobody can be asked: ${closed}`, {
    code: 'INPUT_NEEDED',
    hint: ready,
    details,
    fields: flags,
  })
}

function listed(flags: readonly string[]): string {
  const last = flags.slice(-1).join('')
  return flags.length > 1 ? `${flags.slice(0, -1).join(', ')} and ${last} are` : `${last} is`
}
