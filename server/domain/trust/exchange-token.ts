import type { Input, Output } from '../../../shared/contract/call.ts'
import type { exchangeToken as Call } from '../../../shared/contract/trust.ts'
import type { FailureName } from '../../../shared/errors.ts'
import { Failure } from '../../../shared/failure.ts'
import { accessTokenType, exchangeGrantType, subjectTokenTypes } from '../../../shared/key-text.ts'
import { newId } from '../../crypto/id.ts'
import { digestTextOf } from '../../crypto/token.ts'
import { type Limits, refundUses } from '../../db/limits.ts'
import { countUsesOnly } from '../../db/states.ts'
import { logEventsOnceCommitted } from '../../db/transaction.ts'
import {
  findMatchingRules,
  findRulesOfIssuer,
  type MatchingRule,
  type NamedRules,
  startExchangedSession,
} from '../../db/trust-rules.ts'
import type { Deps } from '../../deps.ts'
import { ProviderError } from '../../providers/provider.ts'
import { pinText, type Workload, WorkloadError } from '../../providers/workload.ts'
import { requireAdmission, SessionProof } from '../../request/admission.ts'
import type { Client } from '../../request/client.ts'
import type { ExchangeRefusal } from '../../request/security-events.ts'
import { recordRefusal } from '../audit/record.ts'
import { exchangeLimits, refuseBeyondLimit } from '../limits.ts'

type ExchangeInput = Input<typeof Call>

/** Sessions of one rule at a time. A pipeline may run many jobs at once, each with its own session. */
const sessionLimit = 1000

/** The log says why a token is refused. Its sender learns only that it is. */
class ExchangeRefused extends Error {
  readonly reason: ExchangeRefusal
  /** The rule that the token satisfies, or else the issuer that it names. Null: not one of ours. */
  readonly concerns: MatchingRule | string | null
  constructor(reason: ExchangeRefusal, concerns: MatchingRule | string | null) {
    super(reason)
    this.reason = reason
    this.concerns = concerns
  }
}

/**
 * Exchanges the id token of a CI provider for a short session of the machine that a trust rule names (RFC 8693). A
 * token works once.
 */
export async function exchangeToken(deps: Deps, client: Client, asked: ExchangeInput): Promise<Output<typeof Call>> {
  requireKnownTypes(asked)
  const limits = exchangeLimits(deps, client)
  const asking = digestTextOf(asked.subject_token)
  refuseBeyondLimit((await countUsesOnly(deps.sql, asking, limits)).refusedFor)
  try {
    const answer = await exchangeVerified(deps, client, asked, await verifyWorkload(deps, asked.subject_token, limits))
    await refundAttempt(deps, limits)
    return answer
  } catch (error) {
    if (!(error instanceof ExchangeRefused)) throw error
    await recordRefusal(deps, client, 'token-exchange-refused', await factsOf(deps, asked, error))
    throw new Failure(names[error.reason] ?? 'EXCHANGE_TOKEN_REFUSED', { cause: error })
  }
}

/**
 * Recorded for the organization that the request names, if it has a rule for the token's issuer, so that its owners see
 * which check failed. Equal refusals of one minute are one row, so nobody can fill its trail.
 */
async function factsOf({ sql }: Deps, asked: ExchangeInput, { reason, concerns }: ExchangeRefused) {
  const [rule, second] =
    typeof concerns === 'string' ? await findRulesOfIssuer(sql, concerns, namesIn(asked)) : [concerns]
  const organizationId = rule?.organizationId ?? null
  // Of several rules, nobody knows which one was meant.
  if (second) return { userId: null, organizationId, reason }
  return { userId: rule?.userId ?? null, organizationId, target: rule?.id, reason }
}

const namesIn = ({ organization, trust }: ExchangeInput): NamedRules => ({
  organization: organization ?? null,
  trust: trust ?? null,
})

const names: Readonly<Partial<Record<ExchangeRefusal, FailureName>>> = {
  ambiguous: 'EXCHANGE_AMBIGUOUS',
  // Only a token that matches a rule learns this.
  sponsor: 'EXCHANGE_SPONSOR_GONE',
}

/**
 * Refunds an attempt that succeeded or could not be checked, because many jobs of a provider may share a network. After
 * a success the session has begun and the token is used up. If the refund fails the job still gets its answer, since
 * another attempt would be refused.
 */
async function refundAttempt({ sql, log, config }: Deps, [failures]: Limits): Promise<void> {
  if (!config.RATE_LIMIT) return
  await refundUses(sql, { cleared: [], returned: failures.key }).catch((err: unknown) =>
    log.warn({ err }, 'a token exchange could not be refunded at its rate limit'),
  )
}

function requireKnownTypes({
  grant_type,
  subject_token_type,
  requested_token_type = accessTokenType,
}: ExchangeInput): void {
  if (grant_type !== exchangeGrantType) throw new Failure('EXCHANGE_GRANT_TYPE_UNKNOWN')
  const isKnown = (subjectTokenTypes as readonly string[]).includes(subject_token_type)
  if (!isKnown || requested_token_type !== accessTokenType) throw new Failure('EXCHANGE_TOKEN_TYPE_UNKNOWN')
}

const verifyWorkload = (deps: Deps, token: string, limits: Limits): Promise<Workload> =>
  deps.providers.proveWorkload(deps.config.KEY_ISSUERS, token).catch(async (error: unknown) => {
    if (error instanceof WorkloadError) throw new ExchangeRefused(error.reason, error.issuer)
    if (!(error instanceof ProviderError)) throw error
    // Failing to fetch the keys says nothing about the token.
    await refundAttempt(deps, limits)
    throw new Failure('SERVICE_UNAVAILABLE', { cause: error, retryAfter: 5 })
  })

/** A rule that matches the token. The statement that begins the session looks up what its machine may do now. */
class MatchedRule extends SessionProof {
  constructor() {
    super('workload', null)
  }
}

async function exchangeVerified(
  deps: Deps,
  client: Client,
  asked: ExchangeInput,
  workload: Workload,
): Promise<Output<typeof Call>> {
  const rule = await requireRule(deps, asked, workload)
  const wishes = { remembered: false, lifetime: rule.expiresIn, limit: sessionLimit }
  const { admitted, issued } = requireAdmission(deps, client, new MatchedRule(), wishes)
  const use = { id: newId(), identifier: `exchange:${workload.id}`, seconds: workload.seconds }
  const { userId, organizationId, id: target } = rule
  const { outcome } = await logEventsOnceCommitted(
    (act) => {
      const event = client.event(act, 'token-exchanged', { userId, organizationId, target })
      return startExchangedSession(deps.sql, { trustId: target, admitted, use, event })
    },
    (done) => done.outcome === 'done',
  )
  if (outcome !== 'done') throw new ExchangeRefused(outcome, rule)
  const { token } = issued
  return { access_token: token, issued_token_type: accessTokenType, token_type: 'Bearer', expires_in: rule.expiresIn }
}

/** Exactly one rule has to match the token, so that nobody gets roles by accident. */
async function requireRule(
  { sql }: Deps,
  asked: ExchangeInput,
  { issuer, audience, claims }: Workload,
): Promise<MatchingRule> {
  const pins = Object.entries(claims).map(([name, value]) => pinText(name, value))
  const [first, second] = await findMatchingRules(sql, { issuer, audience, claims, pins, ...namesIn(asked) })
  if (!first) throw new ExchangeRefused('claims', issuer)
  if (!first.isForUs) throw new ExchangeRefused('audience', first)
  if (second?.isForUs) throw new ExchangeRefused('ambiguous', issuer)
  return first
}
