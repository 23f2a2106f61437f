import * as z from 'zod'
import { roleInput } from '../entities.ts'
import { keyLife, MachineKey, NewMachineKey } from '../machine-key.ts'
import { organizationId, pageFields, title } from '../organization.ts'
import { call } from './call.ts'

const keyId = z.string()

/**
 * Creates a key: with an `organizationId` for that organization, with a `role`; otherwise for the signed-in person.
 * Only this answer contains the secret.
 */
export const createKey = call({
  method: 'POST',
  path: '/key/create',
  summary: 'Create an API key',
  access: 'session',
  input: z
    .object({
      name: title,
      organizationId,
      role: roleInput.optional(),
      scopes: z.array(z.string().max(128)).min(1).max(64).optional(),
      expiresIn: keyLife,
      ipRanges: z.array(z.string().max(64)).max(32).optional(),
      rotatesItself: z.boolean().optional(),
    })
    .refine((asked) => (asked.organizationId === undefined) === (asked.role === undefined), {
      path: ['role'],
      error: 'a role with organizationId, and none without',
    }),
  output: NewMachineKey,
  failures: [
    'SESSION_NOT_FRESH',
    'ROLE_NOT_FOUND',
    'SCOPE_NOT_FOUND',
    'IP_RANGE_INVALID',
    'KEY_LIFE_TOO_LONG',
    'NOT_A_MEMBER_FORBIDDEN',
    'KEY_CREATE_FORBIDDEN',
    'KEY_ROLE_FORBIDDEN',
    'KEY_LIMIT_REACHED',
  ],
})

/** Lists the keys of the named organization, or else the caller's own, newest first. */
export const listKeys = call({
  method: 'GET',
  path: '/key/list',
  summary: 'The keys of an organization, or of the signed-in person',
  access: 'session',
  input: z.object({ organizationId, ...pageFields }),
  output: z.array(MachineKey),
  failures: ['NOT_A_MEMBER_FORBIDDEN', 'KEY_LIST_FORBIDDEN'],
  isHeavy: true,
  scope: 'read',
})

export const viewKey = call({
  method: 'GET',
  path: '/key/view',
  summary: 'A key, with the time and network of its last use',
  access: 'session',
  input: z.object({ keyId }),
  output: MachineKey,
  failures: ['KEY_NOT_FOUND'],
  scope: 'read',
  repeats: { keyId: 'id' },
})

/**
 * Gives a key a new secret. The previous one works for `overlap` more seconds; a day by default, 0 ends it at once.
 * `expiresIn`: a new lifetime, which only a person can set. A key that rotates itself can only do so with its newest
 * secret.
 */
export const rotateKey = call({
  method: 'POST',
  path: '/key/rotate',
  summary: 'Give a key a new secret',
  access: 'session',
  input: z.object({ keyId, overlap: z.int().min(0).max(2_592_000).optional(), expiresIn: keyLife }),
  output: NewMachineKey,
  failures: [
    'SESSION_NOT_FRESH',
    'KEY_LIFE_TOO_LONG',
    'KEY_NOT_FOUND',
    'KEY_ROTATE_FORBIDDEN',
    'KEY_ROTATE_UNNAMED',
    'KEY_SECRET_REPLACED',
    'KEY_EXPIRED',
  ],
  isForPipelines: true,
  isForSelfRotation: true,
  repeats: { keyId: 'id' },
})

/**
 * Makes the caller responsible for the key. From then on it can do what both its roles and the caller's permissions
 * allow.
 */
export const adoptKey = call({
  method: 'POST',
  path: '/key/adopt',
  summary: 'Take responsibility for a key of an organization',
  access: 'session',
  input: z.object({ keyId }),
  output: MachineKey,
  failures: ['SESSION_NOT_FRESH', 'KEY_NOT_FOUND', 'KEY_ADOPT_FORBIDDEN'],
  repeats: { keyId: 'id' },
})

/** Revoking an organization's key also removes its member. */
export const revokeKey = call({
  method: 'POST',
  path: '/key/revoke',
  summary: 'Revoke a key at once',
  access: 'session',
  input: z.object({ keyId }),
  output: MachineKey,
  failures: ['KEY_NOT_FOUND', 'KEY_REVOKE_FORBIDDEN'],
  repeats: { keyId: 'id' },
})
