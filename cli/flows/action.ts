import { commandFor } from './command-line.ts'
import type { Fields, ValuesOf } from './field.ts'
import { type Done, type Flow, isForOneself } from './flow.ts'
import { runEach } from './form.ts'
import type { Ports } from './ports.ts'

/** A flow without fields, about one or several things: a key, a line of a menu. */
export interface Action {
  readonly label: string
  readonly writes: boolean
  /** The service refuses it to who impersonates. */
  readonly isForOneself: boolean
  /** Why there is nothing to do now. */
  readonly disabledReason: string | undefined
  /** The command that does the same. */
  readonly command: string
  /** Asked before it is done; none: it is harmless. */
  readonly question: string | undefined
  /** The word to be typed for what cannot be taken back; none: a key is enough. */
  readonly word: string | undefined
  /** Nothing is chosen. */
  readonly isAboutNothing: boolean
  readonly run: (ports: Ports) => Promise<Done>
}

export function actionOf<S, F extends Fields, V, R extends object>(
  flow: Flow<S, F, V, R>,
  subjects: readonly S[],
  view?: V,
): Action {
  const { title, writes, consent } = flow
  return {
    label: title,
    writes,
    isForOneself: isForOneself(flow),
    disabledReason: flow.disabledReason?.(subjects, view as V),
    command: commandFor(flow, subjects),
    question: consent?.question(subjects),
    word: consent?.typed?.word(subjects),
    isAboutNothing: subjects.length === 0,
    run: (ports) => runEach(flow, ports, { subjects, values: {} as ValuesOf<F> }),
  }
}
