import type { Mode } from '../forms/disabled-reason.ts'
import { type AppState, isImpersonating } from '../state/app-state.ts'
import { useAppState } from './use-app-state.ts'
import { type Shell, useShell } from './use-shell.ts'

export const modeOf = ({ isReadOnly }: Pick<Shell, 'isReadOnly'>, state: AppState): Mode => ({
  isReadOnly,
  isImpersonating: isImpersonating(state),
})

export const useMode = (): Mode => modeOf(useShell(), useAppState())
