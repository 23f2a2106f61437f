import { type Dispatch, useEffect } from 'react'
import { isToBegin, type ListAction, type ListState } from '../state/list-state.ts'

/** Selects the item at the cursor where none is selected any more: the first of a list as soon as there is one. */
export function useBeginning(state: ListState, dispatch: Dispatch<ListAction>, ids: readonly string[]): void {
  const isDue = isToBegin(state, ids)
  useEffect(() => {
    if (isDue) dispatch({ type: 'begin', ids })
  })
}
