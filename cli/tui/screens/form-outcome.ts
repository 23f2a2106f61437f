import { useEffect, useRef } from 'react'
import type { FieldTexts, FlowResult, Form } from '../../flows/flow.ts'
import { offerNextForm, type Shell, useShell } from '../hooks/use-shell.ts'
import type { AppState } from '../state/app-state.ts'

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
  readonly draft: { readonly keep: (form: Form, texts: FieldTexts) => void; readonly drop: () => void }
}

/** Returns what leaves a form that was sent, and tells what became of it. */
export function useOutcome({ form, formOf, texts, draft }: SentForm): (sent: Sent) => void {
  const shell = useShell()
  const isThere = useIsThere()
  return ({ done, isOwn }) => {
    shell.store.refresh()
    if (!isOwn) return leaveUntold(shell, done, isThere())
    const failed = (done.results ?? []).flatMap(({ input, problem }) => (problem === undefined ? [] : [input]))
    const several = form.fields.find(({ isSeveral }) => isSeveral)?.name ?? ''
    draft.drop()
    if (failed.length > 0) draft.keep(form, { ...texts, [several]: failed.join(', ') })
    reportDone(shell, done, form.command(texts))
    if (failed.length > 0) showResults(shell, done, { title: form.title, formOf })
  }
}

/** Returns whether the form is still on the screen. */
function useIsThere(): () => boolean {
  const isThere = useRef(true)
  useEffect(() => {
    isThere.current = true
    return () => {
      isThere.current = false
    }
  }, [])
  return () => isThere.current
}

/** The result belongs to another account than the one on the screen. Only a secret is shown, which would be lost. */
function leaveUntold({ back, show }: Shell, { sentence, secret }: FlowResult, isThere: boolean): void {
  if (isThere) back()
  if (secret !== undefined) show({ kind: 'secret', sentence, secret })
}

/** Leaves the form, shows the result and offers the next form. */
function reportDone(shell: Shell, done: FlowResult, command: string): void {
  const { sentence, secret, next, leadsHome } = done
  if (leadsHome) shell.go('home')
  else shell.back()
  shell.report(done, command)
  if (secret !== undefined) shell.show({ kind: 'secret', sentence, secret })
  // The screen below is already that form, with the user's input.
  if (next?.title !== shell.below?.title) offerNextForm(shell, done)
}

/** Tells for each of several inputs what became of it, and offers the form again with those that failed. */
function showResults(
  { show, close, open }: Shell,
  { sentence, results = [] }: FlowResult,
  { title, formOf }: Pick<SentForm, 'formOf'> & { readonly title: string },
): void {
  const count = results.filter(({ problem }) => problem !== undefined).length
  const again = {
    id: 'again',
    label: `Correct ${count === 1 ? 'the one' : `the ${count}`} that failed`,
    run: () => open({ screen: 'form', form: formOf, title }),
  }
  const told = results.map(({ input, problem }) => ({
    id: `of ${input}`,
    label: input,
    hint: 'done',
    disabledReason: problem,
    run: close,
  }))
  show({ kind: 'picker', title: sentence, choices: [again, ...told] })
}
