import type { Fact } from '../components/facts.tsx'
import type { Tone } from '../theme.ts'

/** One thing whole, told once: for its own screen, for the pane beside its list, and for a conversation. */
export interface Detail {
  readonly title: string
  readonly facts: readonly Fact[]
  /** Longer texts below them. */
  readonly texts?: readonly { readonly text: string; readonly tone: Tone }[]
}

/** `Ada, Bob and 12 more` */
export function namesIn(names: readonly string[], most = 8): string {
  const rest = names.length - most
  return names.slice(0, most).join(', ') + (rest > 0 ? ` and ${rest} more` : '')
}
