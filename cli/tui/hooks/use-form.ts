import type { Form } from '../../flows/flow.ts'
import { disabledReasonOf } from '../forms/disabled-reason.ts'
import type { AppState } from '../state/app-state.ts'
import type { Choice } from '../state/overlays.ts'
import { pick } from './pick.ts'
import { useAppState } from './use-app-state.ts'
import { modeOf } from './use-mode.ts'
import { type Shell, useShell } from './use-shell.ts'

export interface FormControl {
  readonly disabledReason: string | undefined
  /** Opens the form, or says why not. */
  readonly open: () => void
  readonly choice: Choice
}

/** A form that may be opened, or why not; what it says follows the state of the program. */
export function useForm(form: (state: AppState) => Form): FormControl {
  const shell = useShell()
  const choice = formChoice(shell, useAppState(), form)
  return { disabledReason: choice.disabledReason, open: () => pick(shell, choice), choice }
}

/** The line of a menu that opens a form. */
export function formChoice(
  shell: Pick<Shell, 'isReadOnly' | 'open'>,
  state: AppState,
  form: (state: AppState) => Form,
): Choice {
  const { title, command, initial, destroys, ...made } = form(state)
  return {
    id: title,
    label: title,
    hint: command(initial),
    destroys,
    disabledReason: disabledReasonOf({ writes: true, ...made }, modeOf(shell, state)),
    run: () => shell.open({ screen: 'form', form, title }),
  }
}
