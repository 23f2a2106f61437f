import { useState } from 'react'
import { useShell } from './use-shell.ts'

export interface CallControl<A extends readonly unknown[]> {
  readonly run: (...values: A) => void
  readonly isBusy: boolean
}

export interface CallCallbacks<R> {
  readonly onDone: (result: R) => void
  readonly onFailure: (error: unknown) => void
}

/** One call at a time, and what follows its end. */
export function useCall<A extends readonly unknown[], R>(
  call: (...values: A) => Promise<R>,
  ends: CallCallbacks<R>,
): CallControl<A> {
  const { activity } = useShell().store
  const [isBusy, setBusy] = useState(false)
  const finish = (tell: () => void) => {
    setBusy(false)
    tell()
  }
  const run = (...values: A) => {
    if (isBusy) return
    setBusy(true)
    activity
      .during(() => call(...values))
      .then(
        (result) => finish(() => ends.onDone(result)),
        (error: unknown) => finish(() => ends.onFailure(error)),
      )
  }
  return { run, isBusy }
}
