import type { Context } from '../context.ts'
import { type Fields, refusedField, type ValuesOf } from '../flows/field.ts'
import { toCliError } from '../output/error-report.ts'
import type { Checked } from './flow-checks.ts'
import type { Argv, CommandFacts } from './flow-ready.ts'
import { askAgain, isAsked } from './flow-values.ts'

interface Taken<F extends Fields, T> {
  readonly argv: Argv
  readonly values: ValuesOf<F>
  readonly run: (values: ValuesOf<F>) => Promise<T>
}

/** As often a person may give a password that is not theirs; one that they choose they may choose as often as it takes. */
const mostTries = 3

/** Runs until the service takes what a person typed: what it refuses is asked for again, and nothing else is lost. */
export async function runUntilTaken<F extends Fields, T>(
  context: Context,
  flow: Checked<F>,
  { argv, values, run }: Taken<F, T>,
  triesLeft = mostTries - 1,
): Promise<T> {
  try {
    return await run(values)
  } catch (error) {
    const refusal = toCliError(error)
    const name = refusedAnswer(context, flow, argv, refusal.code)
    if (name === undefined) throw error
    const { againText, isWrongPassword } = await import('../flows/refusals.ts')
    const isGuess = isWrongPassword(refusal.code)
    if (isGuess && triesLeft === 0) throw error
    context.out.warn(isGuess ? `${againText(refusal)}, ${triesText(triesLeft)}` : againText(refusal))
    const again = await askAgain(context, flow, argv, { values, asked: [name], name })
    return runUntilTaken(context, flow, { argv, values: again, run }, isGuess ? triesLeft - 1 : triesLeft)
  }
}

/** What a file or a flag says stays as it is: asking would not change it for the next run. */
function refusedAnswer(
  context: Context,
  { fields }: CommandFacts<Fields>,
  { given }: Argv,
  code: string,
): string | undefined {
  const name = refusedField(fields, code)
  const field = fields[name ?? '']
  return name !== undefined && field && isAsked(context, field, given[name]) ? name : undefined
}

const triesText = (left: number): string => (left === 1 ? '1 try left' : `${left} tries left`)
