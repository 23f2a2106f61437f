import { useEffect, useEffectEvent, useState } from 'react'
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
  const form = complete?.(first) ?? first
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

/** Returns `send`, which waits a moment for knowing which fields the form has, and whether it waits. */
export function useWhenComplete(isIncomplete: boolean, send: () => void): readonly [send: () => void, isDue: boolean] {
  const { store } = useShell()
  const [isDue, setDue] = useState(false)
  const go = useEffectEvent(() => {
    setDue(false)
    send()
  })
  useEffect(() => {
    if (!isDue) return undefined
    if (!isIncomplete) return queueMicrotask(go)
    const waiting = new AbortController()
    store.ports.pause(longestWait, waiting.signal).then(go, () => {})
    return () => waiting.abort()
  }, [isDue, isIncomplete, store])
  return [isIncomplete ? () => setDue(true) : send, isDue]
}
