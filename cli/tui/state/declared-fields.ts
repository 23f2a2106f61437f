import type { Form } from '../../flows/flow.ts'
import type { AppStore } from './app-store.ts'

/** Adds the own fields of a service to a form. */
type Complete = (form: Form) => Form

/** The operator can change them while this runs. */
const lifetime = 5 * 60_000

const keptIn = new WeakMap<AppStore, Map<string, { readonly complete: Complete; readonly at: number }>>()

/** What this run knows of a service. Undefined before the first form that needs it. */
export function knownFields(store: AppStore, server: string): Complete | undefined {
  const kept = keptIn.get(store)?.get(server)
  return kept && Date.now() - kept.at < lifetime ? kept.complete : undefined
}

/** The same, asked for if necessary. If the service cannot be asked, forms stay as they are: sending one says why. */
export async function fieldsAt(store: AppStore, server: string): Promise<Complete> {
  const known = knownFields(store, server)
  if (known) return known
  const { connection } = store.state
  try {
    // Loaded with the first such form, after the first frame.
    const { completed, declaredFieldsOf } = await import('../../flows/own-field-forms.ts')
    const declared = await declaredFieldsOf(connection?.server === server ? connection : await store.connect(server))
    const complete: Complete = (form) => completed(form, declared, store.state.isAdmin)
    keptIn.set(store, (keptIn.get(store) ?? new Map()).set(server, { complete, at: Date.now() }))
    return complete
  } catch {
    return (form) => form
  }
}
