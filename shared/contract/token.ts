import * as z from 'zod'
import { PublicKey, SigningKey } from '../token.ts'
import { call } from './call.ts'

/** For other services, which verify it with the published keys without calling us. */
export const getToken = call({
  method: 'GET',
  path: '/token',
  summary: 'A signed token (JWT) that tells other services who is signed in',
  access: 'session',
  input: z.object({}),
  output: z.object({ token: z.string() }),
  failures: [],
  isHooked: true,
})

/** Can be cached for as long as its Cache-Control says. */
export const getKeys = call({
  method: 'GET',
  path: '/jwks',
  summary: 'The public keys by which tokens are verified (JWK Set)',
  access: 'anyone',
  input: z.object({}),
  output: z.object({ keys: z.array(PublicKey) }),
  failures: [],
})

/**
 * `revoke`: for a leaked key. Existing keys are no longer published, so verifiers refuse their tokens once what they
 * have cached of `getKeys` is over. Other instances may sign with them for a minute more.
 */
export const rotateKeys = call({
  method: 'POST',
  path: '/admin/rotate-keys',
  summary: 'Create a new signing key, which signs once verifiers have had time to fetch it',
  access: 'session',
  input: z.object({ revoke: z.boolean().optional() }),
  output: z.object({ keys: z.array(SigningKey) }),
  failures: ['KEY_ROTATION_FORBIDDEN'],
})
