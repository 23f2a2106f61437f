import { useEffect, useRef } from 'react'
import type { Ports } from '../../flows/ports.ts'
import type { WaitFor } from '../../flows/waiting.ts'
import { cancelledError } from '../../output/cli-error.ts'
import { flowPortsOf } from '../state/flow-ports.ts'
import { type Shell, useShell } from './use-shell.ts'

/** Makes what a flow gets on a screen: what is waited for lies over it until it is over or the person leaves it. */
export function useFlowPorts(): () => Ports {
  const shell = useShell()
  // Work that goes on shows itself in the frame of now, not in that of its beginning.
  const latest = useRef(shell)
  useEffect(() => {
    latest.current = shell
  })
  return () =>
    flowPortsOf(
      shell.store,
      waitOn(() => latest.current),
    )
}

const waitOn =
  (shell: () => Shell): WaitFor =>
  (task, work) => {
    const leaving = new AbortController()
    const { signal } = leaving
    const onCancel = () => leaving.abort(cancelledError('Cancelled: nobody waits for the browser any more'))
    const say = (note: string | undefined) => {
      if (!signal.aborted) shell().show({ kind: 'waiting', task, note, onCancel })
    }
    say(undefined)
    // The overlay goes at once; what is still on its way to the service ends by itself.
    const left = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    return Promise.race([work({ signal, say }), left]).finally(() => shell().close())
  }
