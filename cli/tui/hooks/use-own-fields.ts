import { useEffect, useEffectEvent, useMemo, useRef, useState } from 'react'
import type { Form } from '../../flows/flow.ts'
import { fieldsAt, knownFields } from '../state/declared-fields.ts'
import { type FormState, withInitial } from '../state/form-state.ts'
import { useShell } from './use-shell.ts'

interface CompletedForm {
  readonly form: Form
  readonly state: FormState
  /** The service was asked and has not answered yet. */
  readonly isIncomplete: boolean
}

/** The form with the own fields of its service, as soon as they are known. */
export function useOwnFields(first: Form, typed: FormState): CompletedForm {
  const { store } = useShell()
  const server = useServer(first, typed)
  const takesOwn = first.own !== undefined
  const [loaded, setLoaded] = useState<{ readonly server: string; readonly complete: (form: Form) => Form }>()
  useEffect(() => {
    if (!takesOwn) return undefined
    let isCurrent = true
    void fieldsAt(store, server).then((complete) => isCurrent && setLoaded({ server, complete }))
    return () => {
      isCurrent = false
    }
  }, [store, server, takesOwn])
  const complete = loaded?.server === server ? loaded.complete : knownFields(store, server)
  const form = useMemo(() => complete?.(first) ?? first, [complete, first])
  return { form, state: withInitial(typed, form.initial), isIncomplete: takesOwn && !complete }
}

/** The service of the form: not while its address is being typed. */
function useServer({ fields }: Form, { values, at }: FormState): string {
  const { server = '' } = values
  const [left, setLeft] = useState(server)
  const isTyping = fields[at]?.kind === 'server'
  if (!isTyping && left !== server) setLeft(server)
  return isTyping ? left : server
}

/** Milliseconds that a form waits for its fields once it is sent. */
const longestWait = 2000

interface DueForm {
  /** Waits a moment for knowing which fields the form has. */
  readonly send: () => void
  readonly isDue: boolean
  /** The user leaves the form, so it must not be sent any more. */
  readonly recall: () => void
}

/** Returns what sends the form once its fields are known. */
export function useWhenComplete(isIncomplete: boolean, send: () => void): DueForm {
  const { store } = useShell()
  const [isDue, setDue] = useState(false)
  const waiting = useRef<AbortController>(undefined)
  const go = useEffectEvent(() => {
    setDue(false)
    send()
  })
  useEffect(() => {
    if (!isDue) return undefined
    if (!isIncomplete) return queueMicrotask(go)
    const wait = new AbortController()
    waiting.current = wait
    store.ports.pause(longestWait, wait.signal).then(go, () => {})
    return () => wait.abort()
  }, [isDue, isIncomplete, store])
  return {
    send: isIncomplete ? () => setDue(true) : send,
    isDue,
    // Effects end only after the next screen is painted, and the moment may be over before that.
    recall: () => waiting.current?.abort(),
  }
}
