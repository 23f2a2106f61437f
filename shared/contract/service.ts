import * as z from 'zod'
import { call } from './call.ts'

/** Liveness: touches nothing (contract 5.1). */
export const ok = call({
  method: 'GET',
  path: '/ok',
  summary: 'Whether the service is alive',
  access: 'anyone',
  input: z.object({}),
  output: z.object({ ok: z.boolean() }),
  failures: [],
})

/** Readiness: false while migrating, draining or without a database; says no more than that. */
export const ready = call({
  method: 'GET',
  path: '/ready',
  summary: 'Whether the service takes work',
  access: 'anyone',
  input: z.object({}),
  output: z.object({ ready: z.boolean() }),
  failures: [],
})

/** Contract 5.2. */
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
