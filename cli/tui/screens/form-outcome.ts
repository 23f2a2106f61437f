import type { FieldTexts, FlowResult, Form } from '../../flows/flow.ts'
import { countText } from '../../output/words.ts'
import { offerNextForm, type Shell, showFailures, useShell } from '../hooks/use-shell.ts'
import { useIsThere } from '../hooks/use-top-screen.ts'
import type { AppState } from '../state/app-state.ts'
import type { Choice } from '../state/shell-state.ts'
import { type Draft, useLeft } from './form-draft.ts'

/** The answer to a form. */
export interface Sent {
  readonly done: FlowResult
  /** Nobody switched the account while it was sent. */
  readonly isOwn: boolean
}

interface SentForm {
  readonly form: Form
  readonly formOf: (state: AppState) => Form
  readonly texts: FieldTexts
  readonly draft: Pick<Draft, 'keep' | 'keepUnlessSent' | 'drop'>
}

/** Returns what leaves a form that was sent, and tells what became of it. A form left unsent keeps what was typed. */
export function useOutcome(sent: SentForm): (answer: Sent) => void {
  const { form, texts, draft } = sent
  const shell = useShell()
  // A click can leave the form while it is sent.
  const isThere = useIsThere()
  useLeft(() => draft.keepUnlessSent(form, texts))
  return ({ done, isOwn }) => {
    shell.store.refresh()
    if (!isOwn) return leaveUntold(shell, done, isThere())
    const failed = (done.results ?? []).flatMap(({ input, problem }) => (problem === undefined ? [] : [input]))
    const several = form.fields.find(({ isSeveral }) => isSeveral)?.name
    const isCorrectable = failed.length > 0 && several !== undefined
    draft.drop()
    if (isCorrectable) draft.keep(form, { ...texts, [several]: failed.join(', ') })
    reportDone(shell, done, { command: form.command(texts), isThere: isThere() })
    showFailures(shell, done, isCorrectable ? [againChoice(shell, failed.length, sent)] : [])
  }
}

/** The result belongs to another account than the one on the screen. Only a secret is shown, which would be lost. */
function leaveUntold({ back, show }: Shell, { sentence, secret }: FlowResult, isThere: boolean): void {
  if (isThere) back()
  if (secret !== undefined) show({ kind: 'secret', sentence, secret })
}

interface LeftForm {
  readonly command: string
  readonly isThere: boolean
}

/** Leaves the form if it is still there, shows the result and offers the next form. */
function reportDone(shell: Shell, done: FlowResult, { command, isThere }: LeftForm): void {
  const { sentence, secret, next, leadsHome } = done
  if (leadsHome) shell.go('home')
  else if (isThere) shell.back()
  shell.report(done, command)
  if (secret !== undefined) shell.show({ kind: 'secret', sentence, secret })
  // The screen below is already that form, with the user's input.
  if ((isThere || leadsHome) && next?.title !== shell.below?.title) offerNextForm(shell, done)
}

/** Offers the form again with the inputs that failed or were not tried, if one field took them all. */
function againChoice({ open }: Shell, count: number, { form: { title }, formOf }: SentForm): Choice {
  const label = `Correct ${count === 1 ? 'the one that is' : `the ${countText(count)} that are`} left`
  return { id: 'again', label, run: () => open({ screen: 'form', form: formOf, title }) }
}
