import { v7 as uuid } from 'uuid'
import { Failure } from '../../shared/failure.ts'
import { createSessionToken, digestOf } from '../crypto/token.ts'
import { cutUserAgent } from './audit-event.ts'
import type { Client, IssuedSession } from './client.ts'

// The one gate between a proof and a session. The SQL that inserts a session takes an `Admitted`, which only `admit` makes,
// and `admit` takes a proof, which only the code makes that has verified it: whoever goes round the gate does not compile.

interface Rule {
  /** Whether the user's address has to be verified, where the settings ask for that. */
  readonly needsVerifiedAddress: boolean
  /** Whether the session that the same client had before ends. */
  readonly replaces: boolean
}

/** The kinds of proof, and what the gate asks of each. Whatever the proof, it lets no banned user in. */
const rules = {
  'sign-up': { needsVerifiedAddress: true, replaces: true },
  password: { needsVerifiedAddress: true, replaces: true },
  identity: { needsVerifiedAddress: true, replaces: true },
  'approved-device': { needsVerifiedAddress: true, replaces: true },
  // It verifies the address.
  'mailed-link': { needsVerifiedAddress: false, replaces: true },
  // It takes the place of all sessions of a user whom the gate let in.
  'renewed-session': { needsVerifiedAddress: false, replaces: false },
  // An administrator acts, beside their own session.
  impersonation: { needsVerifiedAddress: false, replaces: false },
  // A machine has no mailbox.
  workload: { needsVerifiedAddress: false, replaces: false },
} as const satisfies Record<string, Rule>

export type ProofKind = keyof typeof rules

/** What is known of the user whom a proof names. The statement that begins the session looks again. */
export interface Holder {
  readonly id: string
  readonly isBanned: boolean
  /** In the row, or by this very proof. */
  readonly emailVerified: boolean
}

/** Proves who gets a session. Its classes are private to the code that verifies what they stand for. */
export abstract class SessionProof {
  /** Makes a look-alike no proof. */
  protected readonly isProof = true
  readonly kind: ProofKind
  /** Null: only the statement that begins the session learns who it is. */
  readonly holder: Holder | null
  /** Whether the proof itself verifies the user's address. */
  readonly provesAddress: boolean

  constructor(kind: ProofKind, holder: Holder | null, provesAddress = false) {
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
  /** Of the secret that signs its cookie. */
  readonly secretLabel: Buffer
  /** Token hash of the session that the same client had before: it ends. */
  readonly replaces: Buffer | null
}

/** What the gate lets through, and what the statement that stores it has to hold to. */
class Admitted {
  /** Makes a look-alike no admission. */
  protected readonly isAdmitted = true
  readonly session: NewSession
  /** Whose the session is; null: whom the statement finds. */
  readonly userId: string | null
  /** Whether the user's row has to say that the address is verified. */
  readonly needsVerifiedAddress: boolean
  /** Sessions that a user may hold; the oldest go first. */
  readonly limit: number

  constructor(
    session: NewSession,
    { userId, needsVerifiedAddress, limit }: Pick<Admitted, 'userId' | 'needsVerifiedAddress' | 'limit'>,
  ) {
    this.session = session
    this.userId = userId
    this.needsVerifiedAddress = needsVerifiedAddress
    this.limit = limit
  }
}

export type { Admitted }

interface Passed {
  readonly admitted: Admitted
  /** What its client is given: a fresh token, whatever token came along. */
  readonly issued: IssuedSession
}

/** A second factor will be a kind of its own here: a challenge, and nothing that its client could use as a session. */
export type Admission = ({ readonly kind: 'admitted' } & Passed) | { readonly kind: 'banned' | 'unverified' }

/** The parts of a service that the gate needs. */
interface Gate {
  readonly config: {
    readonly REQUIRE_EMAIL_VERIFICATION: boolean
    readonly SESSION_EXPIRES_IN: number
    readonly SESSION_MAX_AGE: number
    readonly SESSION_LIMIT: number
  }
  readonly keys: { readonly cookie: { readonly label: Buffer } }
}

/** How the session shall be, where it is not as the settings say. */
interface Wishes {
  readonly remembered?: boolean | undefined
  /** Seconds. */
  readonly lifetime?: number
  /** What its machine calls itself. */
  readonly label?: string | null
  /** Sessions of that kind at a time. */
  readonly limit?: number
}

/** Whether whoever has proved who they are gets a session. All that stands between the two stands here. */
export function admit(gate: Gate, client: Client, proof: SessionProof, wishes: Wishes = {}): Admission {
  const { kind, holder } = proof
  const needsVerifiedAddress = isVerificationNeeded(gate, proof)
  if (holder?.isBanned) return { kind: 'banned' }
  if (holder && needsVerifiedAddress && !holder.emailVerified) return { kind: 'unverified' }
  const [session, issued] = prepareSession(gate, client, kind, wishes)
  const { limit = gate.config.SESSION_LIMIT } = wishes
  const admitted = new Admitted(session, { userId: holder?.id ?? null, needsVerifiedAddress, limit })
  return { kind: 'admitted', admitted, issued }
}

const isVerificationNeeded = ({ config }: Gate, { kind, provesAddress }: SessionProof): boolean =>
  config.REQUIRE_EMAIL_VERIFICATION && rules[kind].needsVerifiedAddress && !provesAddress

/** The same where a refusal is the answer. */
export function requireAdmission(gate: Gate, client: Client, proof: SessionProof, wishes?: Wishes): Passed {
  const admission = admit(gate, client, proof, wishes)
  if (admission.kind === 'admitted') return admission
  throw new Failure(refusals[admission.kind])
}

const refusals = { banned: 'BANNED_USER', unverified: 'EMAIL_NOT_VERIFIED' } as const

/** Life of a session that is not to be remembered, in seconds: a day, should the browser never be closed. */
const forgetfulLifetime = 86_400

function prepareSession(
  { config, keys }: Gate,
  client: Client,
  kind: ProofKind,
  { remembered = true, lifetime, label = client.label }: Wishes,
): [NewSession, IssuedSession] {
  const token = createSessionToken()
  const longest = Math.min(config.SESSION_EXPIRES_IN, config.SESSION_MAX_AGE)
  const session = {
    id: uuid(),
    tokenHash: digestOf(token),
    remembered,
    lifetime: lifetime ?? (remembered ? longest : Math.min(forgetfulLifetime, longest)),
    ipAddress: client.address,
    userAgent: cutUserAgent(client.userAgent),
    label,
    secretLabel: keys.cookie.label,
    replaces: rules[kind].replaces && client.token !== null ? digestOf(client.token) : null,
  }
  return [session, { token, maxAge: remembered ? session.lifetime : null }]
}
