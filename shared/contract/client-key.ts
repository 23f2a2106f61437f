import * as z from 'zod'
import { ClientKey, NewClientKey } from '../client-key.ts'
import { keyLife } from '../machine-key.ts'
import { pageFields, title } from '../organization.ts'
import { success } from './answers.ts'
import { call } from './call.ts'

/** Creates a key of the signed-in person. What keys here do not have is refused by its name. */
export const createClientKey = call({
  method: 'POST',
  path: '/api-key/create',
  summary: 'Create a key of the signed-in person, in the terms of the API key client of better-auth',
  access: 'session',
  input: z.strictObject({ name: title.optional(), expiresIn: keyLife }),
  output: NewClientKey,
  failures: ['SESSION_NOT_FRESH', 'KEY_LIFE_TOO_LONG', 'KEY_LIMIT_REACHED'],
})

const sortFields = ['createdAt', 'name', 'expiresAt'] as const

/** Lists the keys of the signed-in person, newest first unless `sortBy` says otherwise. */
export const listClientKeys = call({
  method: 'GET',
  path: '/api-key/list',
  summary: 'The keys of the signed-in person, in the terms of the API key client of better-auth',
  access: 'session',
  input: z.strictObject({
    ...pageFields,
    sortBy: z.enum(sortFields).optional(),
    sortDirection: z.enum(['asc', 'desc']).optional(),
  }),
  output: z.object({
    apiKeys: z.array(ClientKey),
    total: z.number(),
    limit: z.number().optional(),
    offset: z.number().optional(),
  }),
  failures: [],
  isHeavy: true,
  scope: 'read',
})

export const getClientKey = call({
  method: 'GET',
  path: '/api-key/get',
  summary: 'A key, in the terms of the API key client of better-auth',
  access: 'session',
  input: z.object({ id: z.string() }),
  output: ClientKey,
  failures: ['KEY_NOT_FOUND'],
  scope: 'read',
  repeats: { id: 'id' },
})

export const deleteClientKey = call({
  method: 'POST',
  path: '/api-key/delete',
  summary: 'Revoke a key at once, in the terms of the API key client of better-auth',
  access: 'session',
  input: z.object({ keyId: z.string() }),
  output: success,
  failures: ['KEY_NOT_FOUND', 'KEY_REVOKE_FORBIDDEN'],
})
