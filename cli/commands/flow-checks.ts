import { type GivenValues, pathOf } from '../flows/command-line.ts'
import type { Field, Fields, ValuesOf } from '../flows/field.ts'
import type { Flow } from '../flows/flow.ts'
import { problemOf } from '../flows/form.ts'
import { usageError } from '../output/cli-error.ts'
import { type CommandFacts, nameInCommand } from './flow-ready.ts'

export type Checked<F extends Fields> = CommandFacts<F> & Pick<Flow<never, F, never>, 'check' | 'propose'>

/** Each value by itself, then all of them together. */
export function findWrong<F extends Fields>(
  { fields, check }: Checked<F>,
  values: GivenValues & Partial<ValuesOf<F>>,
  asked: readonly string[],
) {
  const together: Readonly<Record<string, string | undefined>> = check?.(values, []) ?? {}
  for (const [name, field] of Object.entries(fields)) {
    const called = asked.includes(name) ? field.label : nameInCommand(field)
    const problem = problemIn(field, values[name], called) ?? together[name]
    if (problem) return { name, field, problem }
  }
  return undefined
}

/** One of the values that a command takes several of, before anything is sent with it. */
export function checkEach(flow: CommandFacts<Fields>, value: string): void {
  const field = flow.fields[flow.bulk ?? '']
  const problem = field && problemIn(field, value, nameInCommand(field))
  if (problem) throw wrongValue(flow, field, problem)
}

export const wrongValue = ({ command }: CommandFacts<Fields>, field: Field, problem: string) =>
  usageError(problem, `${pathOf(command)} --help`, [nameInCommand(field)])

/** What is wrong with a value by itself. */
export const problemIn = (field: Field, value: unknown, called: string): string | undefined =>
  typeof value !== 'string' || field.kind === 'server' ? undefined : problemOf(field, value, called)
