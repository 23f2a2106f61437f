import { stopImpersonating } from '../../flows/admin/stop-impersonating.ts'
import { useAction } from './use-action.ts'
import { useAppState } from './use-app-state.ts'
import { useShell } from './use-shell.ts'

/** Ends acting as somebody else: the own session is there again. */
export function useStopping(): () => void {
  const { store, go } = useShell()
  const { current } = useAppState()
  const stopping = useAction(stopImpersonating, { onDone: () => go('home') })
  return () => {
    if (!current) return
    void store.accounts.impersonation(current).then((held) => stopping.ask([{ account: current, held }], []))
  }
}
