import type { Input, Output } from '../../../shared/contract/call.ts'
import type * as calls from '../../../shared/contract/trust.ts'
import { Failure } from '../../../shared/failure.ts'
import type { TrustRule } from '../../../shared/machine-key.ts'
import { formatRoles } from '../../../shared/role-text.ts'
import type { Config } from '../../config.ts'
import { newId } from '../../crypto/id.ts'
import { inLastTrip, inOneTrip, withCommit } from '../../db/connect.ts'
import { areOrganizationKeys } from '../../db/machine-keys.ts'
import { deleteMachine } from '../../db/machine-users.ts'
import { type Actor, lockOrganizationAndFindActor } from '../../db/organization-actors.ts'
import { transactionWithEvents } from '../../db/transaction.ts'
import {
  createRule,
  findRule,
  listRules,
  type NewRule,
  organizationOfRule,
  type StoredRule,
} from '../../db/trust-rules.ts'
import type { Deps } from '../../deps.ts'
import { pinningClaimOf } from '../../providers/workload.ts'
import type { Caller, Client } from '../../request/client.ts'
import type { Freshness } from '../../request/freshness.ts'
import { mapPage, type PageOf, readPageRequest, rowLimitFor } from '../../request/paging.ts'
import { requireFreshSession, type SignInMethodCapability } from '../../request/sign-in-method-capability.ts'
import { listMachines } from '../key/keys.ts'
import { adoptMachine, lockAndFindMachine } from '../key/machines.ts'
import {
  canSeeKeys,
  holdSession,
  requireLiveSession,
  requireMachineEnder,
  requireMemberCreator,
  ruleView,
} from '../key/rights.ts'

type CreateTrustInput = Input<typeof calls.createTrust>

/** Default lifetime of a rule's session in seconds. */
const defaultLifetime = 900

/** Only for issuers named by the operator: nobody else can make this service request addresses on the network. */
export async function createTrustRule(
  { sql, config }: Deps,
  client: Client,
  caller: Caller,
  asked: CreateTrustInput,
): Promise<Output<typeof calls.createTrust>> {
  const mayAdd = requireFreshSession(caller)
  const { organizationId, name, role: roles } = asked
  const rule = newRule(config, mayAdd, asked)
  const about = { userId: caller.user.id, organizationId, target: rule.id, role: formatRoles(roles) }
  return transactionWithEvents(sql, client.requireRoom(organizationId, 'trust-created'), async (tx) => {
    const [actor, isLive, areTheirs] = await inOneTrip(
      tx,
      (one) => lockOrganizationAndFindActor(one, organizationId, caller.user.id),
      (one) => holdSession(one, caller),
      (one) => areOrganizationKeys(one, organizationId, rule.rotates ?? []),
    )
    requireMemberCreator(config, actor, roles)
    requireLiveSession(isLive)
    if (!areTheirs) throw new Failure('KEY_NOT_FOUND')
    const machine = { userId: newId(), memberId: newId(), name, organizationId, roles }
    const event = client.event(tx, 'trust-created', about)
    const [isInserted, made] = await inLastTrip(
      tx,
      (last) => createRule(last, rule, machine, event),
      (last) => findRule(last, rule.id),
    )
    if (!isInserted) throw new Failure('KEY_LIMIT_REACHED')
    if (!made) throw new Error('A trust rule that was just made is not there')
    return ruleView(config, made)
  })
}

function newRule(config: Config, createdBy: SignInMethodCapability, asked: CreateTrustInput): NewRule {
  const { name, issuer, audience, claims, rotates, expiresIn } = asked
  if (!config.KEY_ISSUERS.includes(issuer)) throw new Failure('TRUST_ISSUER_UNKNOWN')
  const pin = pinningClaimOf(issuer, claims)
  if (pin === null) throw new Failure('TRUST_TOO_WIDE')
  return {
    id: newId(),
    name,
    issuer,
    audience: audience ?? config.BASE_URL.origin,
    claims,
    pin,
    rotates: rotates ? [...new Set(rotates)] : null,
    createdBy,
    seconds: expiresIn ?? defaultLifetime,
    limit: config.KEY_LIMIT,
  }
}

/** A rule that the caller may see. A rule of another organization looks as if it did not exist. */
function requireVisibleRule(config: Config, rule: StoredRule | null, actor: Actor | null) {
  if (!rule || !actor || !canSeeKeys(config, actor)) throw new Failure('TRUST_NOT_FOUND')
  return { machine: rule, actor }
}

const byRule = (id: string) => ({ id, find: findRule, organizationOf: organizationOfRule })

export async function adoptTrustRule(
  deps: Deps,
  client: Client,
  caller: Caller,
  { trustId }: Input<typeof calls.adoptTrust>,
): Promise<Output<typeof calls.adoptTrust>> {
  const requireVisible = (rule: StoredRule | null, actor: Actor | null) => requireVisibleRule(deps.config, rule, actor)
  const adoption = { ...byRule(trustId), name: 'trust-adopted', requireVisible } as const
  return ruleView(deps.config, await adoptMachine(deps, client, caller, adoption))
}

/**
 * Deletes the rule and its machine user, whose sessions end at once. A rule of another organization looks as if it did
 * not exist.
 */
export async function deleteTrustRule(
  { sql, config }: Deps,
  client: Client,
  caller: Caller,
  { trustId }: Input<typeof calls.deleteTrust>,
): Promise<Output<typeof calls.deleteTrust>> {
  const deleted = await transactionWithEvents(sql, client.requireRoom(null, 'trust-deleted'), async (tx) => {
    const [, found, member] = await inOneTrip(tx, ...lockAndFindMachine(caller, byRule(trustId)))
    const { machine: rule, actor } = requireVisibleRule(config, found, member)
    requireMachineEnder(config, actor, caller, rule)
    const about = { userId: caller.user.id, organizationId: rule.organizationId, target: trustId }
    const event = client.event(tx, 'trust-deleted', about)
    if (!(await withCommit(tx, (last) => deleteMachine(last, rule, event)))) throw new Failure('TRUST_NOT_FOUND')
    return rule
  })
  return ruleView(config, deleted)
}

export async function listTrustRules(
  deps: Deps,
  caller: Caller,
  { organizationId, ...asked }: Input<typeof calls.listTrusts>,
  freshness: Freshness,
): Promise<PageOf<TrustRule>> {
  const page = readPageRequest(asked, rowLimitFor(deps.config.KEY_LIMIT))
  const rules = await listMachines(deps, caller, { organizationId, freshness }, (sql, reader) =>
    listRules(sql, reader, page),
  )
  return mapPage(rules, (rule) => ruleView(deps.config, rule))
}
