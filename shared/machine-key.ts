import * as z from 'zod'
import { date, roleNames } from './entities.ts'

/** Seconds for which a rotated secret still works by default, so that pipelines can receive the new one. */
export const defaultOverlap = 86_400

/** Seconds that a key is to live. The settings have a maximum. */
export const keyLife = z.int().min(60).max(315_360_000).optional()

/**
 * The remaining authority of a machine, which can do no more than the member responsible for it. `none`: no active
 * member is responsible, so it has no permissions until somebody adopts it. Null from services that do not report it.
 */
const authority = z.enum(['full', 'limited', 'none'])
export type Authority = z.output<typeof authority>

/**
 * Who is responsible for a machine: its creator, until somebody adopts it. Null for a person's own key. The name is
 * null once that user is deleted.
 */
const sponsor = {
  sponsorId: z.string().nullable(),
  sponsorName: z.string().nullable(),
  authority: authority.nullable(),
}

/**
 * An API key. An organization's key acts as its own member (`userId`) with roles; a person's key acts as that person.
 * `scopes`: what it can be used for; null allows everything that keys and its roles allow. `ipRanges`: the networks
 * from which it is accepted; empty accepts any. `rotatesItself`: whether its newest secret can rotate it. `hint`: the
 * last characters of the newest secret. `overlapEndsAt`: when the last of the rotated secrets ends.
 */
export const MachineKey = z.object({
  id: z.string(),
  name: z.string(),
  userId: z.string(),
  organizationId: z.string().nullable(),
  role: roleNames.nullable(),
  scopes: z.array(z.string()).nullable(),
  ipRanges: z.array(z.string()),
  /** Null from services that do not report it. */
  rotatesItself: z.boolean().nullable(),
  hint: z.string(),
  overlapEndsAt: date.nullable(),
  createdBy: z.string(),
  ...sponsor,
  createdAt: date,
  expiresAt: date,
  lastUsedAt: date.nullable(),
  lastUsedIp: z.string().nullable(),
})
export type MachineKey = z.output<typeof MachineKey>

/** With the secret, which is returned only this once. */
export const NewMachineKey = MachineKey.extend({ token: z.string() })
export type NewMachineKey = z.output<typeof NewMachineKey>

/**
 * A rule that lets a CI provider's jobs sign in as a member of their own (`userId`) of an organization, with id tokens
 * of this issuer and audience that contain exactly these claims. `expiresIn`: the lifetime of such a session in
 * seconds. `rotates`: the ids of the keys that such a session can rotate; null for those that are not older than the
 * rule.
 */
export const TrustRule = z.object({
  id: z.string(),
  name: z.string(),
  userId: z.string(),
  organizationId: z.string(),
  issuer: z.string(),
  audience: z.string(),
  claims: z.record(z.string(), z.string()),
  role: roleNames,
  rotates: z.array(z.string()).nullable(),
  expiresIn: z.number(),
  createdBy: z.string(),
  ...sponsor,
  createdAt: date,
  lastUsedAt: date.nullable(),
})
export type TrustRule = z.output<typeof TrustRule>
