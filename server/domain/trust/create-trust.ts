import { v7 as uuid } from 'uuid'
import type { Input, Output } from '../../../shared/contract/call.ts'
import type { createTrust as Call } from '../../../shared/contract/trust.ts'
import { Failure } from '../../../shared/failure.ts'
import { textOfRoles } from '../../../shared/role-text.ts'
import type { Config } from '../../config.ts'
import { areKeysOf } from '../../db/machine-keys.ts'
import { transaction } from '../../db/transaction.ts'
import { createRule, findRule, type NewRule } from '../../db/trust-rules.ts'
import type { Deps } from '../../deps.ts'
import { pinOf } from '../../providers/workload-issuers.ts'
import type { Caller, Client } from '../../request/client.ts'
import { type MayAddWayIn, requireFresh } from '../../request/way-in.ts'
import { record } from '../audit/record.ts'
import { ruleView } from '../key/authority.ts'
import { requireLive, requireMaker } from '../key/rights.ts'
import { requireKnown } from '../organization/roles.ts'

type Asked = Input<typeof Call>

/** Seconds for which a session by a rule lives, unless the rule says otherwise. */
const usualLife = 900

/** Only for issuers that the operator named: nobody else has this service ask any address on the network. */
export async function createTrust(
  { sql, config }: Deps,
  client: Client,
  caller: Caller,
  asked: Asked,
): Promise<Output<typeof Call>> {
  const mayAdd = requireFresh(caller)
  const { organizationId, name, role: roles } = asked
  requireKnown(config, roles)
  const rule = newRule(config, mayAdd, asked)
  const about = { userId: caller.user.id, organizationId, target: rule.id, role: textOfRoles(roles) }
  const made = await transaction(sql, async (tx) => {
    await requireMaker(tx, config, caller, { organizationId, roles })
    await requireLive(tx, caller)
    if (!(await areKeysOf(tx, organizationId, rule.rotates ?? []))) throw new Failure('KEY_NOT_FOUND')
    const machine = { userId: uuid(), memberId: uuid(), name, organizationId, roles }
    if (!(await createRule(tx, rule, machine))) throw new Failure('KEY_LIMIT_REACHED')
    await record(tx, client, 'trust-created', about)
    return findRule(tx, rule.id)
  })
  if (!made) throw new Error('A trust rule that was just made is not there')
  return ruleView(config, made)
}

function newRule(config: Config, createdBy: MayAddWayIn, asked: Asked): NewRule {
  const { name, issuer, audience, claims, rotates, expiresIn } = asked
  if (!config.KEY_ISSUERS.includes(issuer)) throw new Failure('TRUST_ISSUER_UNKNOWN')
  const pin = pinOf(issuer, claims)
  if (pin === null) throw new Failure('TRUST_TOO_WIDE')
  return {
    id: uuid(),
    name,
    issuer,
    audience: audience ?? config.BASE_URL.origin,
    claims,
    pin,
    rotates: rotates ? [...new Set(rotates)] : null,
    createdBy,
    seconds: expiresIn ?? usualLife,
    limit: config.KEY_LIMIT,
  }
}
