import type { Form } from '../../flows/flow.ts'
import { disabledReasonOf } from '../forms/disabled-reason.ts'
import type { AppState } from '../state/app-state.ts'
import type { Choice } from '../state/overlays.ts'
import { useAppState } from './use-app-state.ts'
import { useShell } from './use-shell.ts'

export interface FormControl {
  readonly disabledReason: string | undefined
  /** Opens the form, or says why not. */
  readonly open: () => void
  readonly choice: Choice
}

/** A form that may be opened, or why not; what it says follows the state of the program. */
export function useForm(form: (state: AppState) => Form): FormControl {
  const state = useAppState()
  const { isReadOnly, sayDisabled, open } = useShell()
  const { title, command, initial, disabledReason: own } = form(state)
  const disabledReason = disabledReasonOf({ writes: true, disabledReason: own }, isReadOnly)
  const start = () => open({ screen: 'form', form, title })
  return {
    disabledReason,
    open: () => (disabledReason ? sayDisabled(title, disabledReason) : start()),
    choice: { id: title, label: title, hint: command(initial), disabledReason, run: start },
  }
}
