import { type Act, refusalOf } from '../acts.ts'
import type { Choice } from '../overlays.ts'
import { useCall } from './use-call.ts'
import { useShell } from './use-shell.ts'

export interface Doable<T> {
  readonly refusal: string | undefined
  /** Refuses, asks or does it. `details` says what exactly it is done to. */
  readonly ask: (targets: readonly T[], details: readonly string[]) => void
  readonly choice: (targets: readonly T[], details: readonly string[]) => Choice
}

/** An act with the frame's confirmation, its command shown before and after, and its failure explained. */
export function useAct<T>(act: Act<T>, onDone: () => void = () => {}): Doable<T> {
  const shell = useShell()
  const perform = usePerform(act, onDone)
  const refusal = refusalOf(act, shell.isReadOnly, shell.desk)
  const ask = (targets: readonly T[], details: readonly string[]) => {
    if (refusal) return shell.refuse(act.label, refusal)
    if (targets.length === 0) return shell.say('Nothing is selected')
    const onYes = () => {
      shell.close()
      shell.say(`${act.label}…`)
      perform(targets)
    }
    if (!act.question) return onYes()
    const [question, command] = [act.question(targets), act.command(targets)]
    shell.show({ kind: 'confirm', question, details, command, word: act.word?.(shell.desk, targets), onYes })
  }
  const choice = (targets: readonly T[], details: readonly string[]): Choice => ({
    id: act.label,
    label: act.label,
    hint: act.command(targets),
    refusal,
    run: () => ask(targets, details),
  })
  return { refusal, ask, choice }
}

function usePerform<T>(act: Act<T>, onDone: () => void): (targets: readonly T[]) => void {
  const { desk, say, fail } = useShell()
  const run = async (targets: readonly T[]) => {
    await act.run(desk, targets)
    return targets
  }
  const call = useCall(run, {
    onDone: (targets) => {
      say(`${act.done(targets)}  ·  ${act.command(targets)}`, 'good')
      void desk.refresh()
      onDone()
    },
    // Part of it may have been done.
    onFailure: (error) => {
      fail(error)
      void desk.refresh()
    },
  })
  return call.run
}
