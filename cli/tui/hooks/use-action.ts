import { type Action, actionOf } from '../../flows/action.ts'
import type { Fields } from '../../flows/field.ts'
import { type Done, type Flow, toldOf } from '../../flows/flow.ts'
import { disabledReasonOf } from '../forms/disabled-reason.ts'
import type { Choice } from '../state/overlays.ts'
import { useCall } from './use-call.ts'
import { useFlowPorts } from './use-flow-ports.ts'
import { useMode } from './use-mode.ts'
import { useShell } from './use-shell.ts'

export interface ActionControl<S> {
  /** Why it cannot be done to what it is about at the moment. */
  readonly disabledReason: string | undefined
  /** Refuses, asks or does it. `details` says what exactly it is done to. */
  readonly ask: (subjects: readonly S[], details: readonly string[]) => void
  readonly choice: (subjects: readonly S[], details: readonly string[]) => Choice
}

/** The same, where what it is seen in is known only when it is asked for. */
export interface ViewedActionControl<S, V> {
  readonly disabledReason: (subjects: readonly S[], view: V) => string | undefined
  readonly ask: (subjects: readonly S[], details: readonly string[], view: V) => void
  readonly choice: (subjects: readonly S[], details: readonly string[], view: V) => Choice
}

interface Ends {
  readonly onDone?: (done: Done) => void
}

export interface ActionOptions<S, V> extends Ends {
  readonly view?: V
  /** What it is about at the moment: the chosen ones. */
  readonly chosen?: readonly S[]
}

/** A flow without fields, with the frame's confirmation, its command shown before and after, and its failure explained. */
export function useAction<S, F extends Fields, V, R extends object>(
  flow: Flow<S, F, V, R>,
  { view, chosen = [], ...ends }: ActionOptions<S, V> = {},
): ActionControl<S> {
  const { disabledReason, ask, choice } = useViewedAction(flow, ends)
  return {
    disabledReason: disabledReason(chosen, view as V),
    ask: (subjects, details) => ask(subjects, details, view as V),
    choice: (subjects, details) => choice(subjects, details, view as V),
  }
}

export function useViewedAction<S, F extends Fields, V, R extends object>(
  flow: Flow<S, F, V, R>,
  { onDone = () => {} }: Ends = {},
): ViewedActionControl<S, V> {
  const shell = useShell()
  const mode = useMode()
  const perform = usePerform(onDone)
  const about = (subjects: readonly S[], view: V) => {
    const action = actionOf(flow, subjects, view)
    return { action, disabledReason: disabledReasonOf(action, mode) }
  }
  const ask = (subjects: readonly S[], details: readonly string[], view: V) => {
    const { action, disabledReason } = about(subjects, view)
    if (disabledReason) return shell.sayDisabled(action.label, disabledReason)
    if (subjects.length === 0) return shell.say('Nothing is selected')
    const onYes = () => {
      shell.close()
      shell.say(`${action.label}…`)
      perform(action)
    }
    const { question, command, word } = action
    if (!question) return onYes()
    shell.show({ kind: 'confirm', question, details, command, word, onYes })
  }
  const choice = (subjects: readonly S[], details: readonly string[], view: V): Choice => {
    const { action, disabledReason } = about(subjects, view)
    return { ...lineOf(action), disabledReason, run: () => ask(subjects, details, view) }
  }
  return { disabledReason: (subjects, view) => about(subjects, view).disabledReason, ask, choice }
}

const lineOf = ({ label, command, question }: Action) => ({
  id: label,
  label,
  hint: command,
  destroys: question !== undefined,
})

function usePerform(onDone: (done: Done) => void): (action: Action) => void {
  const { store, say, fail, arrive } = useShell()
  const ports = useFlowPorts()
  const run = async (action: Action) => ({ action, done: await action.run(ports()) })
  const call = useCall(run, {
    onDone: ({ action, done }) => {
      say(`${toldOf(done)}  ·  ${action.command}`, 'good')
      arrive(done)
      void store.refresh()
      onDone(done)
    },
    // Part of it may have been done.
    onFailure: (error) => {
      fail(error)
      void store.refresh()
    },
  })
  return call.run
}
