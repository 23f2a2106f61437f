import type { Form } from '../../flows/flow.ts'
import type { Shell } from '../hooks/use-shell.ts'

/** Offers the form that follows on something done; it can wait. */
export function offerNext(
  { open, show, close }: Pick<Shell, 'open' | 'show' | 'close'>,
  title: string,
  form: Form,
): void {
  const { title: label, command, initial } = form
  const start = () => open({ screen: 'form', form: () => form, title: label })
  const choices = [
    { id: label, label, hint: command(initial), run: start },
    { id: 'later', label: 'Later', run: close },
  ]
  show({ kind: 'picker', title, choices })
}
