import { type Context, Hono } from 'hono'
import { contract } from '../shared/contract/index.ts'
import { Failure } from '../shared/failure.ts'
import { type OpenApiOptions, openApi } from '../shared/openapi.ts'
import type { Config } from './config.ts'
import { isReachable } from './db/health.ts'
import type { Deps } from './deps.ts'
import { resolveSession } from './domain/session/resolve.ts'
import { answerPreflight, isCanonical, isPreflight } from './http/cors.ts'
import { admit, answerFailure, createEdge, type Edge, type State } from './http/edge.ts'
import { createExchange, type Env } from './http/exchange.ts'
import { createMount } from './http/mount.ts'
import { logRequest } from './http/request-log.ts'
import { json } from './http/respond.ts'
import { pagePolicy } from './pages/page.ts'
import { accountRoutes } from './routes/account.ts'
import { serviceRoutes } from './routes/service.ts'
import { sessionRoutes } from './routes/session.ts'
import { version } from './version.ts'

export type App = Hono<Env>

/** The whole service as one function from request to response; it listens nowhere. */
export function createApp(deps: Deps, state: State = { phase: 'ready' }): App {
  const edge = createEdge({
    ...deps,
    state,
    pagePolicy,
    resolve: (token, options) => resolveSession(deps, token, options),
  })
  const app = createShell(edge)
  const mount = createMount(app, edge)
  accountRoutes(mount, deps)
  sessionRoutes(mount, deps, edge.cookies)
  serviceRoutes(mount, { state, isDatabaseUp: () => isReachable(deps.sql) })
  return app
}

/** What answers while the database is still coming up: alive, not ready, and 503 to everything else. */
export function createWaitingApp(deps: Omit<Deps, 'sql'>, state: State): App {
  const edge = createEdge({ ...deps, state, pagePolicy, resolve: () => Promise.resolve(null) })
  const app = createShell(edge, () => new Failure('SERVICE_UNAVAILABLE', { retryAfter: 1 }))
  serviceRoutes(createMount(app, edge), { state, isDatabaseUp: () => Promise.resolve(false) })
  return app
}

/** What every request passes, and the answers to what is no call. */
function createShell(edge: Edge, unknown = () => new Failure('NOT_FOUND')): App {
  const app = new Hono<Env>()
  const refuse = (c: Context<Env>) =>
    guarded(c, edge, '(unknown)', () => {
      throw unknown()
    })
  app.use('*', async (c, next) => {
    c.set('exchange', createExchange())
    const early = isPreflight(c, edge) ? answerPreflight(c, edge) : isCanonical(c) ? null : refuse(c)
    if (early) c.res = early
    else await next()
    logRequest(c, edge.log)
  })
  const document = json(openApi(contract, describe(edge.config)))
  app.get(`${edge.config.BASE_PATH}/openapi.json`, (c) =>
    guarded(c, edge, '/openapi.json', () => edge.respond(c, document)),
  )
  app.notFound(refuse)
  app.onError((error, c) => answerFailure(c, edge, error))
  return app
}

const describe = ({ BASE_URL, BASE_PATH, COOKIE_PREFIX }: Config): OpenApiOptions => ({
  version,
  server: new URL(BASE_PATH, BASE_URL).href,
  cookie: `${COOKIE_PREFIX}.session_token`,
})

/** Answers outside the contract pass the same flood guard. */
function guarded(c: Context<Env>, edge: Edge, route: string, reply: () => Response): Response {
  try {
    admit(c, edge, route)
    return reply()
  } catch (error) {
    return answerFailure(c, edge, error)
  }
}
