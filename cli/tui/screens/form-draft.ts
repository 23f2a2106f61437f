import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { FieldTexts, Form } from '../../flows/flow.ts'
import { withoutSecrets } from '../../flows/form.ts'
import { useShell } from '../hooks/use-shell.ts'

/**
 * What was typed into the form before the user left it, without secrets. It belongs to the user, to the organization on
 * the screen and to what the form is about, and ends with the run.
 */
export function useDraft(first: Form) {
  const { places: placesNow, within = '' } = useShell()
  // Another user's could come while the form is open.
  const [places] = useState(placesNow)
  const [key] = useState(() => `draft ${within} ${first.title} ${first.command(first.initial)}`)
  const [kept] = useState(() => places.get(key) as FieldTexts | undefined)
  const isSent = useRef(false)
  /** Returns whether there is anything to keep. */
  const keep = (form: Form, values: FieldTexts): boolean => {
    // Consent is typed anew each time.
    if (form.destroys) return false
    const draft = withoutSecrets(form, values)
    const isTyped = form.fields.some(({ name }) => (draft[name] ?? '') !== (form.initial[name] ?? ''))
    if (isTyped) places.set(key, draft)
    else places.delete(key)
    return isTyped
  }
  return {
    kept,
    keep,
    keepUnlessSent: (form: Form, values: FieldTexts) => void (isSent.current || keep(form, values)),
    drop: () => {
      isSent.current = true
      places.delete(key)
    },
  }
}

export type Draft = ReturnType<typeof useDraft>

/** Calls the function of the last render when the user leaves the screen in whatever way. */
export function useLeft(act: () => void): void {
  const latest = useRef(act)
  useLayoutEffect(() => {
    latest.current = act
  })
  useEffect(() => () => latest.current(), [])
}
