import { type Done, toldOf } from '../../flows/flow.ts'
import type { Shell } from './use-shell.ts'

/** Offers the form that follows on something done, where one does; it can wait. */
export function offerNext({ open, show, close }: Pick<Shell, 'open' | 'show' | 'close'>, done: Done): void {
  const { next: form, nextWords } = done
  if (!form) return
  const { title: label, command, initial } = form
  const start = () => open({ screen: 'form', form: () => form, title: label })
  const choices = [
    { id: label, label, hint: command(initial), run: start },
    { id: 'later', label: 'Later', run: close },
  ]
  show({ kind: 'picker', title: toldOf(done), note: nextWords && `${nextWords}:`, choices })
}
