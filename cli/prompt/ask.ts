import { exitCodes } from '../../shared/exit-codes.ts'
import { CliError, cancelledError, interruptedError, usageError } from '../output/cli-error.ts'

/** A value that a flag gives or a person can be asked for. */
export interface Question {
  readonly flag: string
  readonly label: string
  readonly value?: string | undefined
  /** Typed without echo. */
  readonly secret?: boolean
  /** Typed twice, since nobody sees it. */
  readonly repeat?: boolean
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
  if (consent.confirm !== undefined) return checkName(consent.confirm, consent.expected)
  checkPrompt(['--yes'], consent.ready, prompt)
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

function checkName(given: string, expected: readonly string[]): void {
  if (expected.includes(given)) return
  const what =
    expected[0] === undefined ? 'This command asks for no name' : `--confirm has to be exactly ${expected[0]}`
  throw usageError(what, expected[0] === undefined ? 'Use --yes' : undefined, ['--confirm'])
}

/** Exit 14 where nobody can be asked for these. */
export function checkPrompt(flags: readonly string[], ready: string, prompt: Prompt): void {
  const closed = prompt.closed()
  if (closed) throw nobody(flags, ready, closed)
}

const nobody = (flags: readonly string[], ready: string, reason: string) =>
  new CliError(exitCodes.inputNeeded, `${listed(flags)} needed, and nobody can be asked: ${reason}`, {
    code: 'INPUT_NEEDED',
    hint: ready,
    fields: flags,
  })

function listed(flags: readonly string[]): string {
  const last = flags.slice(-1).join('')
  return flags.length > 1 ? `${flags.slice(0, -1).join(', ')} and ${last} are` : `${last} is`
}
