import { readFile } from 'node:fs/promises'
import type { Context, Hono } from 'hono'
import { type CallGroup } from '../../shared/contract/call.ts'
import { contract } from '../../shared/contract/index.ts'
import { type OpenApiOptions, openApi } from '../../shared/openapi.ts'
import type { Config } from '../config.ts'
import type { Edge } from '../http/edge.ts'
import { handleRequest } from '../http/handle-request.ts'
import type { HonoEnv } from '../http/request-state.ts'
import { type Answer, jsonAnswer } from '../http/respond.ts'
import { referencePage, referencePolicy } from '../pages/reference.ts'
import { version } from '../process/version.ts'
import { ownFieldSchema } from '../settings/own-field-schema.ts'

/** The description of the API for programs and, where it is on, the page that shows it to people. */
export function documentRoutes(app: Hono<HonoEnv>, edge: Edge): void {
  const { config } = edge
  // Built at first use: it takes 20 ms, which would delay the start.
  let document: Answer | undefined
  const serve = (path: string, answer: (c: Context<HonoEnv>) => Answer | Promise<Answer>) =>
    app.get(`${config.BASE_PATH}${path}`, (c) =>
      handleRequest(c, edge, path, async () => edge.respond(c, await answer(c))),
    )
  serve('/openapi.json', () => (document ??= jsonAnswer(openApi(enabled(config), describe(config)))))
  if (!isReferenceOn(config)) return
  serve('/reference', () => ({ ...html, body: referencePage }))
  for (const [name, contentType] of Object.entries(parts))
    serve(`/reference/${name}`, async (c) => {
      c.get('state').cacheControl = 'public, max-age=3600'
      return { status: 200, contentType, body: await readFile(new URL(name, partsFolder), 'utf8') }
    })
}

const html = { status: 200, contentType: 'text/html; charset=utf-8', policy: referencePolicy }

/** The files of Swagger UI, which the build puts there. */
const partsFolder = new URL('../../dist/reference/', import.meta.url)
const parts = { 'reference.js': 'text/javascript; charset=utf-8', 'reference.css': 'text/css; charset=utf-8' }

/** In production, only where it was asked for. */
const isReferenceOn = ({ API_REFERENCE, NODE_ENV }: Config): boolean => API_REFERENCE ?? NODE_ENV !== 'production'

/** The contract without the calls that the config file turns off. */
const enabled = ({ extensions: { disabledPaths = [] } }: Config): Record<string, CallGroup> =>
  Object.fromEntries(
    Object.entries(contract as Record<string, CallGroup>).map(([tag, calls]) => [
      tag,
      Object.fromEntries(Object.entries(calls).filter(([, { path }]) => !disabledPaths.includes(path))),
    ]),
  )

const describe = ({ BASE_URL, BASE_PATH, COOKIE_PREFIX, CLIENT_API, ownFields }: Config): OpenApiOptions => ({
  version,
  server: new URL(BASE_PATH, BASE_URL).href,
  cookie: `${COOKIE_PREFIX}.session_token`,
  api: CLIENT_API,
  ownFields: (use) => ownFieldSchema(ownFields[use.of], use),
})
