import type { AppStore } from '../state/app-store.ts'

/** Up to when the person has seen, on this machine, what happened to their account: never here, since this session began. */
export async function seenBefore({ state: { current, me }, ports }: Pick<AppStore, 'state' | 'ports'>): Promise<Date> {
  const last = current && (await ports.visits.last(current.origin, current.email))
  return last ?? me?.session.createdAt ?? new Date()
}

/** What is shown now is no news at the next visit. Where it cannot be kept, it is told once more. */
export async function noteVisit({ state: { current }, ports }: Pick<AppStore, 'state' | 'ports'>, seen: Date) {
  if (!current || current.impersonating !== undefined) return
  await ports.visits.note(current.origin, current.email, seen).catch(() => {})
}
