import * as z from 'zod'
import { call } from './call.ts'

/** Liveness. Uses no database. */
export const ok = call({
  method: 'GET',
  path: '/ok',
  summary: 'Whether the service is alive',
  access: 'anyone',
  input: z.object({}),
  output: z.object({ ok: z.boolean() }),
  failures: [],
})

/** Readiness: 503 while migrating, draining or without a database. The answer does not say which. */
export const ready = call({
  method: 'GET',
  path: '/ready',
  summary: 'Whether the service is ready for requests',
  access: 'anyone',
  input: z.object({}),
  output: z.object({ ready: z.boolean() }),
  failures: [],
})

/** The page for redirects that have no other page to return to. */
export const error = call({
  method: 'GET',
  path: '/error',
  summary: 'A page that explains the error code of a redirect',
  access: 'anyone',
  input: z.object({ error: z.string().optional() }),
  output: z.string(),
  failures: [],
  answer: 'html',
})
