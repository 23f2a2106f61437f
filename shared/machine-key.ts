import * as z from 'zod'
import { date, roleNames } from './entities.ts'

/** Seconds for which what a rotation replaces still works, unless it says otherwise: a pipeline learns the new one meanwhile. */
export const usualOverlap = 86_400

/**
 * What is left of the roles of a machine, which may do no more than whoever is responsible for it. `none`: they are no active
 * member any more, and nothing is taken from it until somebody adopts it. Null where a service does not say.
 */
const authority = z.enum(['full', 'limited', 'none'])
export type Authority = z.output<typeof authority>

/**
 * Who is responsible for a machine: whoever made it, until somebody adopts it. Nobody for a person's own key; the name is null
 * once they are deleted.
 */
const sponsor = {
  sponsorId: z.string().nullable(),
  sponsorName: z.string().nullable(),
  authority: authority.nullable(),
}

/**
 * A key for a machine. One of an organization acts as a member of its own (`userId`) with roles; one of a person acts as that
 * person. `scopes`: all that it may be used for; null: whatever a key may do and its roles allow. `ipRanges`: the networks
 * that it is taken from; none: any. `hint`: the last signs of the newest secret. `overlapEndsAt`: when the last of those
 * ends that a rotation replaced.
 */
export const MachineKey = z.object({
  id: z.string(),
  name: z.string(),
  userId: z.string(),
  organizationId: z.string().nullable(),
  role: roleNames.nullable(),
  scopes: z.array(z.string()).nullable(),
  ipRanges: z.array(z.string()),
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

/** With the secret itself, which is answered this once. */
export const NewMachineKey = MachineKey.extend({ token: z.string() })
export type NewMachineKey = z.output<typeof NewMachineKey>

/**
 * Whose id tokens sign in as a member of its own (`userId`) of an organization: those of this issuer for this audience whose
 * claims say exactly this. `expiresIn`: seconds for which such a session lives. `rotates`: the ids of the keys that such a session
 * may rotate; null: those that are not older than the rule.
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
