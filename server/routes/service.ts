import * as calls from '../../shared/contract/service.ts'
import { Failure } from '../../shared/failure.ts'
import type { Mount } from '../http/mount.ts'
import type { ServiceState } from '../http/request-state.ts'

export interface ServiceHealth {
  readonly state: ServiceState
  /** Asks the database, for at most a second. Never asks while starting or draining. */
  readonly isDatabaseUsable: () => Promise<boolean>
}

export const serviceRoutes = (mount: Mount, { state, isDatabaseUsable }: ServiceHealth) =>
  mount(calls, {
    ok: () => ({ ok: true }),
    ready: async () => {
      if (state.phase !== 'ready' || !(await isDatabaseUsable()))
        throw new Failure('SERVICE_UNAVAILABLE', { retryAfter: 1 })
      return { ready: true }
    },
    error: async ({ input }) => {
      // React is loaded for the first page that a browser requests.
      const { renderErrorPage } = await import('../pages/error.tsx')
      return renderErrorPage(input.error)
    },
  })
