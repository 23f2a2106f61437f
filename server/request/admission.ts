import type { FullUser } from '../../shared/entities.ts'
import { Failure } from '../../shared/failure.ts'
import { newId } from '../crypto/id.ts'
import { createSessionToken, digestOf } from '../crypto/token.ts'
import { truncateUserAgent } from './audit-event.ts'
import type { Client, IssuedSession } from './client.ts'

// The one gate between a proof and a session. The SQL that inserts a session requires an `AdmittedSession`, which only
// `admit` creates. `admit` requires a proof, which only the code that verified it creates. So code that bypasses the
// gate does not compile.

interface Rule {
  /** Whether the user's address must be verified, where the settings require that. */
  readonly needsVerifiedAddress: boolean
  /** Whether the client's previous session ends. */
  readonly replaces: boolean
}

/** The kinds of proof, and the gate's rules for each. The gate never lets a banned user in. */
const rules = {
  'sign-up': { needsVerifiedAddress: true, replaces: true },
  password: { needsVerifiedAddress: true, replaces: true },
  identity: { needsVerifiedAddress: true, replaces: true },
  // The machine gets a token and no cookie, so whoever polls for it keeps the session of the cookie.
  'approved-device': { needsVerifiedAddress: true, replaces: false },
  // The link itself verifies the address.
  'mailed-link': { needsVerifiedAddress: false, replaces: true },
  // It replaces all sessions of a user whom the gate let in before.
  'renewed-session': { needsVerifiedAddress: false, replaces: false },
  // The administrator keeps their own session.
  impersonation: { needsVerifiedAddress: false, replaces: false },
  // A machine has no mailbox.
  workload: { needsVerifiedAddress: false, replaces: false },
} as const satisfies Record<string, Rule>

export type ProofKind = keyof typeof rules

/** The user whom a proof names. The statement that starts the session checks again. */
export interface ProofHolder {
  readonly id: string
  readonly isBanned: boolean
  /** Verified in the user's row, or by this very proof. */
  readonly emailVerified: boolean
}

/** Proof of who gets a session. Its subclasses are private to the code that verifies each kind. */
export abstract class SessionProof {
  /** Keeps objects of the same shape from passing as a proof. */
  protected readonly isProof = true
  readonly kind: ProofKind
  /** Null when only the statement that starts the session finds the user. */
  readonly holder: ProofHolder | null
  /** Whether the proof itself verifies the user's address. */
  readonly provesAddress: boolean

  constructor(kind: ProofKind, holder: ProofHolder | null, provesAddress = false) {
    this.kind = kind
    this.holder = holder
    this.provesAddress = provesAddress
  }
}

/** A session to be stored. */
interface NewSession {
  readonly id: string
  readonly tokenHash: Buffer
  readonly remembered: boolean
  /** Seconds. */
  readonly lifetime: number
  readonly ipAddress: string
  readonly userAgent: string
  readonly label: string | null
  /** Label of the secret that signs its cookie. */
  readonly secretLabel: Buffer
  /** Token hash of the client's previous session, which ends. */
  readonly replaces: Buffer | null
  /** Token hashes of the sessions in the same browser, of which those of the same user end. */
  readonly renews: readonly Buffer[]
}

/** What the gate admitted, with the conditions that the statement storing the session must enforce. */
class AdmittedSession {
  /** Keeps objects of the same shape from passing as an admission. */
  protected readonly isAdmitted = true
  readonly session: NewSession
  /** The session's user. Null for whichever user the statement finds. */
  readonly userId: string | null
  /** Whether the user's row must have a verified address. */
  readonly needsVerifiedAddress: boolean
  /** The maximum number of sessions of a user. The oldest end first. */
  readonly limit: number

  constructor(
    session: NewSession,
    { userId, needsVerifiedAddress, limit }: Pick<AdmittedSession, 'userId' | 'needsVerifiedAddress' | 'limit'>,
  ) {
    this.session = session
    this.userId = userId
    this.needsVerifiedAddress = needsVerifiedAddress
    this.limit = limit
  }
}

export type { AdmittedSession }

interface AdmissionResult {
  readonly admitted: AdmittedSession
  /** What the client receives: always a fresh token, whatever token it sent. */
  readonly issued: IssuedSession
}

/** A second factor will be a separate kind here: a challenge that the client cannot use as a session. */
export type Admission = ({ readonly kind: 'admitted' } & AdmissionResult) | { readonly kind: 'banned' | 'unverified' }

/** The parts of a service that the gate needs. */
interface AdmissionDeps {
  readonly config: {
    readonly REQUIRE_EMAIL_VERIFICATION: boolean
    readonly SESSION_EXPIRES_IN: number
    readonly SESSION_MAX_AGE: number
    readonly SESSION_LIMIT: number
  }
  readonly keys: { readonly cookie: { readonly label: Buffer } }
}

/** How the session differs from the settings' defaults. */
interface SessionOptions {
  readonly remembered?: boolean | undefined
  /** Seconds. */
  readonly lifetime?: number
  /** The label that the device gave itself. */
  readonly label?: string | null
  /** The maximum number of such sessions at a time. */
  readonly limit?: number
}

/** Decides whether a user who has proved who they are gets a session. Every condition between the two is here. */
export function admit(
  gate: AdmissionDeps,
  client: Client,
  proof: SessionProof,
  wishes: SessionOptions = {},
): Admission {
  const { holder } = proof
  const needsVerifiedAddress = isVerificationNeeded(gate, proof)
  if (holder?.isBanned) return { kind: 'banned' }
  if (holder && needsVerifiedAddress && !holder.emailVerified) return { kind: 'unverified' }
  const [session, issued] = prepareSession(gate, client, proof, wishes)
  const { limit = gate.config.SESSION_LIMIT } = wishes
  const admitted = new AdmittedSession(session, { userId: holder?.id ?? null, needsVerifiedAddress, limit })
  return { kind: 'admitted', admitted, issued }
}

const isVerificationNeeded = ({ config }: AdmissionDeps, { kind, provesAddress }: SessionProof): boolean =>
  config.REQUIRE_EMAIL_VERIFICATION && rules[kind].needsVerifiedAddress && !provesAddress

/** The same, but throws the refusal as a failure. */
export function requireAdmission(
  gate: AdmissionDeps,
  client: Client,
  proof: SessionProof,
  wishes?: SessionOptions,
): AdmissionResult {
  const admission = admit(gate, client, proof, wishes)
  if (admission.kind === 'admitted') return admission
  throw new Failure(refusals[admission.kind])
}

const refusals = { banned: 'BANNED_USER', unverified: 'EMAIL_NOT_VERIFIED' } as const

/** An admitted user as the new session leaves them: a ban that was over is gone. */
export const withoutEndedBan = <U extends Pick<FullUser, 'banned' | 'banReason' | 'banExpires'>>(user: U): U =>
  user.banned ? { ...user, banned: false, banReason: null, banExpires: null } : user

/** Seconds that a session lives which is not remembered: a day, in case the browser is never closed. */
const unrememberedLifetime = 86_400

function prepareSession(
  { config, keys }: AdmissionDeps,
  client: Client,
  { kind, holder }: SessionProof,
  { remembered = true, lifetime, label = client.label }: SessionOptions,
): [NewSession, IssuedSession] {
  const token = createSessionToken()
  const longest = Math.min(config.SESSION_EXPIRES_IN, config.SESSION_MAX_AGE)
  const session = {
    id: newId(),
    tokenHash: digestOf(token),
    remembered,
    lifetime: lifetime ?? (remembered ? longest : Math.min(unrememberedLifetime, longest)),
    ipAddress: client.address,
    userAgent: truncateUserAgent(client.userAgent),
    label,
    secretLabel: keys.cookie.label,
    ...previousSessions(client, kind, holder),
  }
  const userId = kind === 'impersonation' ? null : (holder?.id ?? null)
  return [session, { token, maxAge: remembered ? session.lifetime : null, userId }]
}

/** What ends. Where a browser may keep several accounts, a session of another user ends only when there is no room. */
function previousSessions(
  client: Client,
  kind: ProofKind,
  holder: ProofHolder | null,
): Pick<NewSession, 'replaces' | 'renews'> {
  const { token } = client
  if (!rules[kind].replaces || holder === null) return { replaces: null, renews: [] }
  // A session that no cookie keeps would be out of everybody's reach.
  const isKept = token !== null && client.keptTokens.includes(token) && client.hasRoomFor(holder.id)
  const held = isKept ? [token, ...client.keptTokens] : client.keptTokens
  return { replaces: token === null || isKept ? null : digestOf(token), renews: held.map(digestOf) }
}
