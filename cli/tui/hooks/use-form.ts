import type { Form } from '../../flows/flow.ts'
import type { DeskState } from '../desk.ts'
import type { Choice } from '../overlays.ts'
import { refusalOf } from '../refusals.ts'
import { useDesk } from './use-desk.ts'
import { useShell } from './use-shell.ts'

export interface Opener {
  readonly refusal: string | undefined
  /** Opens the form, or says why not. */
  readonly open: () => void
  readonly choice: Choice
}

/** A form that may be opened, or why not; what it says follows the state of the program. */
export function useForm(form: (state: DeskState) => Form): Opener {
  const state = useDesk()
  const { isReadOnly, refuse, open } = useShell()
  const { title, command, initial, refusal: own } = form(state)
  const refusal = refusalOf({ writes: true, refusal: own }, isReadOnly)
  const start = () => open({ screen: 'form', form, title })
  return {
    refusal,
    open: () => (refusal ? refuse(title, refusal) : start()),
    choice: { id: title, label: title, hint: command(initial), refusal, run: start },
  }
}
