import * as z from 'zod'
import { roleInput } from '../entities.ts'
import { namesOrganizationOrRule } from '../key-text.ts'
import { TrustRule } from '../machine-key.ts'
import { pageFields, title } from '../organization.ts'
import { call } from './call.ts'

const organizationId = z.string()
const claim = z.string().min(1).max(512)

/**
 * Lets a CI provider's jobs sign in with its id tokens. `audience`: this service's own address by default. A token must
 * contain every claim with exactly this text. `rotates`: the ids of the keys that the jobs can rotate; by default all
 * that are not older than the rule.
 */
export const createTrust = call({
  method: 'POST',
  path: '/key/trust/create',
  summary: "Trust a CI provider's id tokens that contain certain claims",
  access: 'session',
  input: z.object({
    name: title,
    organizationId,
    issuer: z.string().max(512),
    audience: z.string().min(1).max(512).optional(),
    claims: z
      .record(z.string().min(1).max(128), claim)
      .refine((given) => Object.keys(given).length > 0 && Object.keys(given).length <= 32, '1 to 32 claims'),
    role: roleInput,
    rotates: z.array(z.string().max(128)).max(64).optional(),
    expiresIn: z.int().min(60).max(3600).optional(),
  }),
  output: TrustRule,
  failures: [
    'SESSION_NOT_FRESH',
    'ROLE_NOT_FOUND',
    'TRUST_ISSUER_UNKNOWN',
    'TRUST_TOO_WIDE',
    'KEY_NOT_FOUND',
    'NOT_A_MEMBER_FORBIDDEN',
    'KEY_CREATE_FORBIDDEN',
    'KEY_ROLE_FORBIDDEN',
    'KEY_LIMIT_REACHED',
  ],
})

/** Lists an organization's rules, newest first. */
export const listTrusts = call({
  method: 'GET',
  path: '/key/trust/list',
  summary: 'The CI providers that an organization trusts',
  access: 'session',
  input: z.object({ organizationId, ...pageFields }),
  output: z.array(TrustRule),
  failures: ['NOT_A_MEMBER_FORBIDDEN', 'KEY_LIST_FORBIDDEN'],
  isHeavy: true,
  scope: 'read',
})

/**
 * Makes the caller responsible for the rule. From then on its sessions can do what both its roles and the caller's
 * permissions allow.
 */
export const adoptTrust = call({
  method: 'POST',
  path: '/key/trust/adopt',
  summary: 'Take responsibility for a trust rule',
  access: 'session',
  input: z.object({ trustId: z.string() }),
  output: TrustRule,
  failures: ['SESSION_NOT_FRESH', 'TRUST_NOT_FOUND', 'KEY_ADOPT_FORBIDDEN'],
  repeats: { trustId: 'id' },
})

/** Removes its member too, and ends that member's sessions. */
export const deleteTrust = call({
  method: 'POST',
  path: '/key/trust/delete',
  summary: 'Delete a trust rule for a CI provider',
  access: 'session',
  input: z.object({ trustId: z.string() }),
  output: TrustRule,
  failures: ['TRUST_NOT_FOUND', 'KEY_REVOKE_FORBIDDEN'],
  repeats: { trustId: 'id' },
})

/**
 * Exchanges a CI provider's id token for a short session (RFC 8693). `organization` (id or slug) selects whose rule
 * applies, and `trust` (id or name) selects one of several rules that accept the token. Without `organization`, `trust`
 * must be a rule's id. The reason for a refusal is only in the log.
 */
export const exchangeToken = call({
  method: 'POST',
  path: '/token-exchange',
  summary: 'Exchange the id token of a CI provider for a session',
  access: 'anyone',
  body: 'any',
  inputRefusal: 'OAUTH_INPUT_INVALID',
  input: z
    .object({
      grant_type: z.string(),
      subject_token: z.string().max(16_384),
      subject_token_type: z.string(),
      requested_token_type: z.string().optional(),
      organization: z.string().max(128).optional(),
      trust: z.string().max(128).optional(),
    })
    .refine(namesOrganizationOrRule),
  output: z.object({
    access_token: z.string(),
    issued_token_type: z.string(),
    token_type: z.enum(['Bearer']),
    expires_in: z.number(),
  }),
  failures: [
    'OAUTH_INPUT_INVALID',
    'EXCHANGE_GRANT_TYPE_UNKNOWN',
    'EXCHANGE_TOKEN_TYPE_UNKNOWN',
    'EXCHANGE_TOKEN_REFUSED',
    'EXCHANGE_SPONSOR_GONE',
    'EXCHANGE_AMBIGUOUS',
  ],
  takesLabel: true,
})
