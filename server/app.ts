import { type Context, Hono } from 'hono'
import { Failure } from '../shared/failure.ts'
import type { Deps } from './deps.ts'
import { languageOfVisitor } from './domain/session/language.ts'
import { resolveToken } from './domain/session/resolve.ts'
import { answerPreflight, isPreflight } from './http/cors.ts'
import { createEdge, type Edge, type EdgeOptions } from './http/edge.ts'
import { handleRequest } from './http/handle-request.ts'
import { createMount } from './http/mount.ts'
import { type HonoEnv, type ServiceState, unknownRoute } from './http/request-state.ts'
import { wordsFor } from './languages/words.ts'
import { pagePolicy } from './pages/page.ts'
import { createReadiness } from './process/readiness.ts'
import { accountRoutes } from './routes/account.ts'
import { adminRoutes } from './routes/admin.ts'
import { auditRoutes } from './routes/audit.ts'
import { devicePageRoutes, deviceRoutes } from './routes/device.ts'
import { documentRoutes } from './routes/document.ts'
import { emailRoutes } from './routes/email.ts'
import { keyRoutes } from './routes/key.ts'
import { organizationRoutes } from './routes/organization.ts'
import { pageRoutes } from './routes/page.ts'
import { passwordRoutes } from './routes/password.ts'
import { serviceRoutes } from './routes/service.ts'
import { sessionRoutes } from './routes/session.ts'
import { socialRoutes } from './routes/social.ts'
import { supportRoutes } from './routes/support.ts'
import { tokenRoutes } from './routes/token.ts'
import { webhookRoutes } from './routes/webhook.ts'

/** A Hono app: `app.fetch(request)` returns the response, `other.route('/', app)` mounts it in another app. */
export type App = Hono<HonoEnv>

/**
 * The whole service as one function from request to response. It does not listen. Every failure becomes a response; it
 * never throws.
 *
 * @example
 * const app = createApp({ ...createParts(config, log), sql })
 * const response = await app.fetch(new Request('https://id.example.com/api/auth/ok'))
 */
export function createApp(deps: Deps, state: ServiceState = { phase: 'ready' }): App {
  const edge = createEdge({
    ...deps,
    state,
    ...pagesOf(deps),
    resolve: (token, options) => resolveToken(deps, token, options),
  })
  const app = createShell(edge)
  const mount = createMount(app, edge)
  accountRoutes(mount, deps, edge.cookies)
  auditRoutes(mount, deps)
  deviceRoutes(mount, deps)
  devicePageRoutes(mount, deps, edge.cookies)
  emailRoutes(mount, deps)
  passwordRoutes(mount, deps)
  pageRoutes(mount, deps)
  organizationRoutes(mount, deps)
  keyRoutes(mount, deps)
  webhookRoutes(mount, deps)
  sessionRoutes(mount, deps, edge.cookies)
  socialRoutes(mount, deps, edge)
  adminRoutes(mount, deps, edge.cookies)
  supportRoutes(mount, deps)
  tokenRoutes(mount, deps)
  serviceRoutes(mount, {
    state,
    config: deps.config,
    languageOf: (client) => languageOfVisitor(deps, client),
    findDatabaseProblem: createReadiness(deps),
  })
  return app
}

/** What the HTTP layer shows to people. React is loaded for the first failure that one of them sees. */
const pagesOf = ({ config }: Pick<Deps, 'config'>): Pick<EdgeOptions, 'pagePolicy' | 'failurePage'> => ({
  pagePolicy,
  failurePage: async (failure, language, path) =>
    (await import('./pages/error.tsx')).renderFailurePage(config, wordsFor(config, { language }), failure, path),
})

/** The cause of every 503 until the database is up. */
const notStarted = 'the service is starting: the database is not up or not migrated yet'

/** The app while the database is still starting: alive, not ready, and 503 for everything else. */
export function createWaitingApp(deps: Omit<Deps, 'sql'>, state: ServiceState): App {
  const edge = createEdge({ ...deps, ...pagesOf(deps), state, resolve: () => Promise.resolve(null) })
  const app = createShell(edge, () => new Failure('SERVICE_UNAVAILABLE', { cause: notStarted, retryAfter: 1 }))
  serviceRoutes(createMount(app, edge), {
    state,
    config: deps.config,
    languageOf: () => Promise.resolve(null),
    findDatabaseProblem: () => Promise.resolve(notStarted),
  })
  return app
}

/** Answers requests that match no call of the contract. */
function createShell(edge: Edge, unknown = () => new Failure('NOT_FOUND')): App {
  const app = new Hono<HonoEnv>()
  documentRoutes(app, edge)
  const answer = (c: Context<HonoEnv>) =>
    handleRequest(c, edge, unknownRoute, () => {
      if (!isPreflight(c, edge)) throw unknown()
      return answerPreflight(c, edge)
    })
  // An app that mounts this one answers with a notFound of its own, which knows no trusted pages.
  app.options(`${edge.config.BASE_PATH}/*`, answer)
  app.notFound(answer)
  return app
}
