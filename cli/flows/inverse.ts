import { exitCodes } from '../../shared/exit-codes.ts'
import { CliError } from '../output/cli-error.ts'
import { countText } from '../output/words.ts'
import { commandFor } from './command-line.ts'
import type { Fields, ValuesOf } from './field.ts'
import { type Flow, type Inverse, isBlockedWhileImpersonating } from './flow.ts'
import type { FlowContext } from './flow-context.ts'

interface InverseOf<S, F extends Fields> {
  readonly subject: S
  readonly values: ValuesOf<F>
  /** What was changed, for people: `The roles of ada@example.com`. */
  readonly what: string
  /** Whether it is still as it was left. Default: the service refuses if it is not. */
  readonly isUnchanged?: (context: FlowContext) => Promise<boolean>
  readonly words?: string
}

/** Another flow, or the same, that takes a change back. It is refused if somebody else changed the same meanwhile. */
export const inverseOf = <S, F extends Fields, V, R extends object>(
  flow: Flow<S, F, V, R>,
  { subject, values, what, isUnchanged, words }: InverseOf<S, F>,
): Inverse => ({
  command: commandFor(flow, [subject], values),
  isForOneself: isBlockedWhileImpersonating(flow),
  words: words ?? 'undoes it',
  check: async (context) => {
    if (isUnchanged && !(await isUnchanged(context))) throw changedMeanwhile(what)
  },
  run: (context) => flow.run(context, subject, values),
})

const changedMeanwhile = (what: string) =>
  new CliError(exitCodes.conflict, `${what} changed meanwhile, so nothing was undone`, {
    code: 'CHANGED_MEANWHILE',
    hint: 'Look at it again',
  })

/** Takes several changes back together: all are checked before the first. */
export function inverseOfAll(inverses: readonly Inverse[]): Inverse | undefined {
  const [first] = inverses
  if (!first || inverses.length === 1) return first
  return {
    ...first,
    command: inverses.map(({ command }) => command).join('; '),
    check: async (context) => {
      for (const { check } of inverses) await check(context)
    },
    run: async (context) => {
      let done = await first.run(context)
      for (const { run } of inverses.slice(1)) done = await run(context)
      return { ...done, sentence: `${countText(inverses.length)} changes` }
    },
  }
}

/** The values that a change gave; the others are undefined and stay. */
export const ofGiven = <T extends object>(
  all: T,
  given: { readonly [K in keyof T]?: unknown },
): { readonly [K in keyof T]: T[K] | undefined } =>
  Object.fromEntries(
    Object.entries(all).map(([name, value]) => [name, given[name as keyof T] === undefined ? undefined : value]),
  ) as { [K in keyof T]: T[K] | undefined }
