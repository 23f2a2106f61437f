import { type Action, actionOf } from '../../flows/action.ts'
import type { Fields } from '../../flows/field.ts'
import { type Done, type Flow, toldOf } from '../../flows/flow.ts'
import { disabledReasonOf } from '../forms/disabled-reason.ts'
import type { Choice } from '../state/overlays.ts'
import { useCall } from './use-call.ts'
import { useFlowPorts } from './use-flow-ports.ts'
import { useShell } from './use-shell.ts'

export interface ActionControl<S> {
  /** Why it cannot be done to what it is about at the moment. */
  readonly disabledReason: string | undefined
  /** Refuses, asks or does it. `details` says what exactly it is done to. */
  readonly ask: (subjects: readonly S[], details: readonly string[]) => void
  readonly choice: (subjects: readonly S[], details: readonly string[]) => Choice
}

export interface ActionOptions<S, V> {
  readonly view?: V
  /** What it is about at the moment: the chosen ones. */
  readonly chosen?: readonly S[]
  readonly onDone?: (done: Done) => void
}

/** A flow without fields, with the frame's confirmation, its command shown before and after, and its failure explained. */
export function useAction<S, F extends Fields, V, R extends object>(
  flow: Flow<S, F, V, R>,
  { view, chosen = [], onDone = () => {} }: ActionOptions<S, V> = {},
): ActionControl<S> {
  const shell = useShell()
  const perform = usePerform(onDone)
  const about = (subjects: readonly S[]) => actionOf(flow, subjects, view)
  const disabledReasonFor = (subjects: readonly S[]) => disabledReasonOf(about(subjects), shell.isReadOnly)
  const ask = (subjects: readonly S[], details: readonly string[]) => {
    const action = about(subjects)
    const disabledReason = disabledReasonFor(subjects)
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
  const choice = (subjects: readonly S[], details: readonly string[]): Choice => {
    const { label, command } = about(subjects)
    return {
      id: label,
      label,
      hint: command,
      disabledReason: disabledReasonFor(subjects),
      run: () => ask(subjects, details),
    }
  }
  return { disabledReason: disabledReasonFor(chosen), ask, choice }
}

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
