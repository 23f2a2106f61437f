import * as z from 'zod'
import { date, FullUser, Session } from './entities.ts'
import { MachineKey } from './machine-key.ts'
import { mailStates } from './mail-states.ts'

/** A way to sign in: the password (`credential`), or an account at a provider. */
const WayIn = z.object({ providerId: z.string(), addressProven: z.boolean(), createdAt: date })
export type WayIn = z.output<typeof WayIn>

/** A used-up limit that holds an account back until it ends. `limit`: its name in the settings. */
const ReachedLimit = z.object({ limit: z.string(), count: z.number(), max: z.number(), until: date })
export type ReachedLimit = z.output<typeof ReachedLimit>

/** A mail of the outbox, without its text and its link. */
const StoredMail = z.object({
  id: z.string(),
  kind: z.string(),
  userId: z.string().nullable(),
  state: z.enum(mailStates),
  attempts: z.number(),
  lastError: z.string().nullable(),
  createdAt: date,
  /** Null when it is not tried by itself. */
  nextAttemptAt: date.nullable(),
})

/** `to` is null when no configured secret decrypts the mail. */
export const ListedMail = StoredMail.extend({ to: z.string().nullable() })
export type ListedMail = z.output<typeof ListedMail>

const Device = Session.pick({
  id: true,
  label: true,
  userAgent: true,
  createdAt: true,
  updatedAt: true,
  expiresAt: true,
})
const OwnKey = MachineKey.pick({ id: true, name: true, expiresAt: true, lastUsedAt: true })

/**
 * All that helps a person who cannot sign in. `sessions` and `mails` are null for a reader who has no right to list
 * them. Each list has the newest hundred.
 */
export const SupportedUser = z.object({
  user: FullUser,
  waysIn: z.array(WayIn),
  lastSignInAt: date.nullable(),
  limits: z.array(ReachedLimit),
  sessions: z.array(Device).nullable(),
  keys: z.array(OwnKey),
  mails: z.array(StoredMail).nullable(),
})
export type SupportedUser = z.output<typeof SupportedUser>
