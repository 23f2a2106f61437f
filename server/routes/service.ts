import * as calls from '../../shared/contract/service.ts'
import { Failure } from '../../shared/failure.ts'
import type { Mount } from '../http/mount.ts'
import type { ServiceState } from '../http/request-state.ts'
import { type WordSettings, wordsFor } from '../languages/words.ts'
import type { Client } from '../request/client.ts'

export interface ServiceHealth {
  readonly state: ServiceState
  readonly config: WordSettings
  /** That of the person whose browser asks. Null when it is not known. */
  readonly languageOf: (client: Client) => Promise<string | null>
  /** Asks the database, for at most a second, and says why it cannot be used. Null when it can. */
  readonly findDatabaseProblem: () => Promise<string | null>
}

export const serviceRoutes = (mount: Mount, health: ServiceHealth) =>
  mount(calls, {
    ok: () => ({ ok: true }),
    ready: async () => {
      const cause = await findProblem(health)
      if (cause) throw new Failure('SERVICE_UNAVAILABLE', { cause, retryAfter: 1 })
      return { ready: true }
    },
    error: async ({ input, client }) => {
      // React is loaded for the first page that a browser requests.
      const { renderErrorPage } = await import('../pages/error.tsx')
      return renderErrorPage(wordsFor(health.config, client, await health.languageOf(client)), input.error)
    },
  })

/** While the service starts or drains, the database is not asked. */
const findProblem = async ({ state: { phase }, findDatabaseProblem }: ServiceHealth): Promise<string | null> =>
  phase === 'ready' || phase === 'replaced' ? findDatabaseProblem() : `the service is ${phase}`
