import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { FieldTexts, Form } from '../../flows/flow.ts'
import { withoutSecrets } from '../../flows/form.ts'
import { useShell } from '../hooks/use-shell.ts'

type TypedTexts = Readonly<Record<string, TypedText>>

interface TypedText {
  readonly text: string
  /** The initial text that it replaced. */
  readonly before: string
}

/**
 * What was typed into the form before the user left it, without secrets. A text typed over an initial text that has
 * changed since is dropped. The draft belongs to the user, to the organization on the screen and to what the form is
 * about, and ends with the run.
 */
export function useDraft(first: Form) {
  const { places: placesNow, within = '' } = useShell()
  // Another user's could come while the form is open.
  const [places] = useState(placesNow)
  const [key] = useState(() => `draft ${within} ${first.title} ${first.command(first.initial)}`)
  const [kept] = useState(() => stillTyped(first, places.get(key) as TypedTexts | undefined))
  const isSent = useRef(false)
  /** Returns whether there is anything to keep. */
  const keep = (form: Form, values: FieldTexts): boolean => {
    // Consent is typed anew each time.
    if (form.destroys) return false
    const draft = typedIn(form, values)
    const isTyped = Object.keys(draft).length > 0
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

function typedIn(form: Form, values: FieldTexts): TypedTexts {
  const texts = Object.entries(withoutSecrets(form, values)).map(([name, text]) => {
    const typed: TypedText = { text, before: form.initial[name] ?? '' }
    return [name, typed] as const
  })
  return Object.fromEntries(texts.filter(([, { text, before }]) => text !== before))
}

/** The initial texts of a service's own fields are not known yet. */
const stillTyped = ({ initial }: Form, draft: TypedTexts = {}): FieldTexts =>
  Object.fromEntries(
    Object.entries(draft).flatMap(([name, { text, before }]) =>
      (initial[name] ?? before) === before ? [[name, text]] : [],
    ),
  )

export type Draft = ReturnType<typeof useDraft>

/** Calls the function of the last render when the user leaves the screen in whatever way. */
export function useLeft(act: () => void): void {
  const latest = useRef(act)
  useLayoutEffect(() => {
    latest.current = act
  })
  useEffect(() => () => latest.current(), [])
}
