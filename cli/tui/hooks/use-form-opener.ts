import { refusalOf } from '../acts.ts'
import type { Values } from '../form-plan.ts'
import { forms } from '../forms.ts'
import type { FormName } from '../keys.ts'
import type { Choice } from '../overlays.ts'
import { useShell } from './use-shell.ts'

export interface Opener {
  readonly refusal: string | undefined
  /** Opens the form, or says why not. */
  readonly open: () => void
  readonly choice: Choice
}

/** A form with what is known of its values; `own` says why it cannot be had, beside read-only mode. */
export function useFormOpener(form: FormName, values: Values, own: string | undefined): Opener {
  const { isReadOnly, refuse, open } = useShell()
  const { title, command } = forms[form]
  const refusal = refusalOf({ isWrite: true }, isReadOnly) ?? own
  const start = () => open({ screen: form, values })
  return {
    refusal,
    open: () => (refusal ? refuse(title, refusal) : start()),
    choice: { id: form, label: title, hint: command(values), refusal, run: start },
  }
}
