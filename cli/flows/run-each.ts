import type { CliError } from '../output/cli-error.ts'
import { toCliError } from '../output/error-report.ts'
import { countText } from '../output/words.ts'
import type { Fields, ValuesOf } from './field.ts'
import { type Flow, type FlowResult, type Inverse, nameOfSubject } from './flow.ts'
import type { FlowContext } from './flow-context.ts'
import { inverseOfAll } from './inverse.ts'

interface Run<S, F extends Fields, V> {
  readonly subjects: readonly S[]
  readonly values: ValuesOf<F>
  readonly view: V | undefined
}

/**
 * Runs the flow for each subject in turn. If some fail or are not tried, the result tells what became of each; if none
 * succeeds, the first error is thrown.
 */
export async function runEach<S, F extends Fields, V, R extends object>(
  flow: Flow<S, F, V, R>,
  context: FlowContext,
  { subjects, values, view }: Run<S, F, V>,
): Promise<FlowResult> {
  const inverses: Inverse[] = []
  const run = async (subject: S) => {
    const done = await flow.run(context, subject, values)
    const { status, resource } = done
    const inverse = status === 'updated' ? flow.inverse?.({ subject, values, resource, view }) : undefined
    if (inverse) inverses.push(inverse)
    return done
  }
  const [first, ...rest] = subjects
  const done = rest.length === 0 ? await run(first as S) : await runSeveral(flow, context, { subjects, values, run })
  return { ...done, inverse: inverseOfAll(inverses) }
}

interface SeveralRun<S, F extends Fields> {
  readonly subjects: readonly S[]
  readonly values: ValuesOf<F>
  readonly run: (subject: S) => Promise<FlowResult>
}

async function runSeveral<S, F extends Fields, V, R extends object>(
  { subject, title, doneWith, comesLast = () => false }: Flow<S, F, V, R>,
  context: FlowContext,
  { subjects: given, values, run }: SeveralRun<S, F>,
): Promise<FlowResult> {
  // Loaded with the first such act, after the first frame.
  const { lastInOrder, runForSeveral } = await import('./run-several.ts')
  const subjects = lastInOrder(given, given.map(comesLast))
  const [dones, errors]: [S[], CliError[]] = [[], []]
  const attempt = async (subject: S) => {
    try {
      const done = await run(subject)
      dones.push(subject)
      return done
    } catch (error) {
      errors.push(toCliError(error))
      throw error
    }
  }
  const sentence = (count: string) => doneWith?.(dones, values) ?? `${title}: ${count}`
  const names = subjects.map((one) => nameOfSubject(subject, one) ?? title)
  const attemptAt = (_: string, at: number) => attempt(subjects[at] as S)
  const { results, ...done } = await runForSeveral(names, attemptAt, sentence, context)
  if (dones.length === 0) throw errors[0] ?? new Error(title)
  const count = subjects.length
  const [failed, untried] = [errors.length, count - dones.length - errors.length]
  const fates = [
    failed > 0 && `${countText(failed)} of ${countText(count)} failed`,
    untried > 0 && `${countText(untried)} of ${countText(count)} not tried`,
  ]
  const fate = fates.filter(Boolean).join(', ')
  return fate === '' ? done : { ...done, sentence: `${done.sentence}; ${fate}`, results: results ?? [] }
}
