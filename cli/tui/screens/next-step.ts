import type { Next } from '../form-plan.ts'
import { forms } from '../forms.ts'
import type { Shell } from '../hooks/use-shell.ts'

/** Offers the form that follows on something done; it can wait. */
export function offerNext({ open, show, close }: Shell, title: string, { form, values }: Next): void {
  const { title: label, command } = forms[form]
  const choices = [
    { id: form, label, hint: command(values), run: () => open({ screen: form, values }) },
    { id: 'later', label: 'Later', run: close },
  ]
  show({ kind: 'picker', title, choices })
}
