import type { Context } from '../context.ts'
import { type Fields, refusedField, type ValuesOf } from '../flows/field.ts'
import type { Argv, CommandFacts } from './flow-ready.ts'
import { askField, isGiven } from './flow-values.ts'

interface Taken<F extends Fields, T> {
  readonly argv: Argv
  readonly values: ValuesOf<F>
  readonly run: (values: ValuesOf<F>) => Promise<T>
}

/** Runs until the service takes what a person typed: what it refuses is asked for again, and nothing else is lost. */
export async function runUntilTaken<F extends Fields, T>(
  context: Context,
  flow: CommandFacts<F>,
  { argv, values, run }: Taken<F, T>,
): Promise<T> {
  try {
    return await run(values)
  } catch (error) {
    const { toCliError } = await import('../output/error-report.ts')
    const refusal = toCliError(error)
    const name = refusedField(flow.fields, refusal.code)
    const field = name === undefined ? undefined : flow.fields[name]
    // What a file or a flag says stays as it is: asking would not change it for the next run.
    if (name === undefined || !field || isGiven(context, field, argv.given[name])) throw error
    const { againText } = await import('../output/limit-text.ts')
    context.out.warn(againText(refusal))
    const again = await askField(context, flow, argv, name)
    return runUntilTaken(context, flow, { argv, values: { ...values, [name]: again }, run })
  }
}
