import * as z from 'zod'
import { date } from './entities.ts'

/** The supported signature algorithms (RFC 7518, 3.1; RFC 8037, 3.1). */
export const tokenAlgorithms = ['EdDSA', 'ES256', 'ES512', 'RS256', 'PS256'] as const
export type TokenAlgorithm = (typeof tokenAlgorithms)[number]

/** The public part of a key pair (RFC 7517). It has no field for a private member, so none can be returned. */
export const PublicKey = z.object({
  kty: z.string(),
  crv: z.string().optional(),
  x: z.string().optional(),
  y: z.string().optional(),
  n: z.string().optional(),
  e: z.string().optional(),
  alg: z.enum(tokenAlgorithms),
  use: z.enum(['sig']),
  kid: z.string(),
})
export type PublicKey = z.output<typeof PublicKey>

/**
 * A key pair that signs tokens for other services. `signsFrom`: until then it is only published, so that verifiers
 * learn it in time. `publishedUntil`: when its last token has expired; null while no key has followed it.
 */
export const SigningKey = z.object({
  id: z.string(),
  algorithm: z.enum(tokenAlgorithms),
  createdAt: date,
  signsFrom: date,
  publishedUntil: date.nullable(),
})
export type SigningKey = z.output<typeof SigningKey>
