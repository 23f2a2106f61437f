import * as z from 'zod'
import { date } from './entities.ts'
import { Permissions } from './role.ts'

/**
 * A key in the terms of better-auth's API key client. What our keys do not have is null, and they have no count of
 * uses and no rate limit of their own. `start`: how every key here begins. `hint`: the last characters of this one.
 * `referenceId`: the person, or the organization, whose key it is.
 */
export const ClientKey = z.object({
  id: z.string(),
  configId: z.string(),
  name: z.string(),
  start: z.string(),
  hint: z.string(),
  prefix: z.string(),
  referenceId: z.string(),
  enabled: z.boolean(),
  expiresAt: date,
  createdAt: date,
  updatedAt: date,
  lastRequest: date.nullable(),
  rateLimitEnabled: z.boolean(),
  rateLimitMax: z.null(),
  rateLimitTimeWindow: z.null(),
  requestCount: z.number(),
  remaining: z.null(),
  refillAmount: z.null(),
  refillInterval: z.null(),
  lastRefillAt: z.null(),
  metadata: z.record(z.string(), z.unknown()).nullable(),
  permissions: Permissions.nullable(),
})
export type ClientKey = z.output<typeof ClientKey>

/** With the secret, which is returned only this once. */
export const NewClientKey = ClientKey.extend({ key: z.string() })
