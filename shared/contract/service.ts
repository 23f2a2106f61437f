import * as z from 'zod'
import { call } from './call.ts'

/** Liveness: touches nothing. */
export const ok = call({
  method: 'GET',
  path: '/ok',
  summary: 'Whether the service is alive',
  access: 'anyone',
  input: z.object({}),
  output: z.object({ ok: z.boolean() }),
  failures: [],
})

/** Readiness: 503 while migrating, draining or without a database, and no word about which. */
export const ready = call({
  method: 'GET',
  path: '/ready',
  summary: 'Whether the service takes work',
  access: 'anyone',
  input: z.object({}),
  output: z.object({ ready: z.boolean() }),
  failures: [],
})

/** Where a redirect leads that has no page of its own to go back to. */
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
