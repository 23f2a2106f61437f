import { useEffect, useRef } from 'react'
import type { FieldTexts, FlowResult, Form } from '../../flows/flow.ts'
import { offerNextForm, type Shell, useShell } from '../hooks/use-shell.ts'

/** The answer to a form. */
export interface Sent {
  readonly done: FlowResult
  /** Nobody switched the account while it was sent. */
  readonly isOwn: boolean
}

interface SentForm {
  readonly form: Form
  readonly texts: FieldTexts
  readonly draft: { readonly drop: () => void }
}

/** Returns what leaves a form that was sent, and tells what became of it. */
export function useOutcome({ form, texts, draft }: SentForm): (sent: Sent) => void {
  const shell = useShell()
  const isThere = useIsThere()
  return ({ done, isOwn }) => {
    shell.store.refresh()
    if (!isOwn) return leaveUntold(shell, done, isThere())
    draft.drop()
    reportDone(shell, done, form.command(texts))
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
