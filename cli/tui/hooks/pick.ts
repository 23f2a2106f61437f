import type { Choice } from '../state/overlays.ts'
import type { Shell } from './use-shell.ts'

/** Does it, or says why not now. */
export function pick(
  { sayDisabled }: Pick<Shell, 'sayDisabled'>,
  { label, disabledReason, run }: Pick<Choice, 'label' | 'disabledReason' | 'run'>,
): void {
  if (disabledReason) sayDisabled(label, disabledReason)
  else run()
}
