import type { Input, Output } from '../../../shared/contract/call.ts'
import type { adoptTrust as Call } from '../../../shared/contract/trust.ts'
import { Failure } from '../../../shared/failure.ts'
import { setSponsor } from '../../db/machine-users.ts'
import { transaction } from '../../db/transaction.ts'
import { findRule } from '../../db/trust-rules.ts'
import type { Deps } from '../../deps.ts'
import type { Caller, Client } from '../../request/client.ts'
import { requireFresh } from '../../request/way-in.ts'
import { ruleView } from '../key/authority.ts'
import { requireAdopter, requireLive } from '../key/rights.ts'
import { requireKnownRule } from './known-rule.ts'

/** Its sessions get no more than the caller may, now or ever. */
export async function adoptTrust(
  { sql, config }: Deps,
  client: Client,
  caller: Caller,
  { trustId }: Input<typeof Call>,
): Promise<Output<typeof Call>> {
  const sponsor = requireFresh(caller)
  const adopted = await transaction(sql, async (tx) => {
    const { rule, actor } = await requireKnownRule(tx, config, caller, trustId)
    const { organizationId, userId, role, sponsorId: from } = rule
    requireAdopter(config, actor, role)
    await requireLive(tx, caller)
    if (from === sponsor.userId) return rule
    const about = { userId: caller.user.id, organizationId, target: trustId, from }
    await setSponsor(tx, userId, sponsor, client.event(tx, 'trust-adopted', about))
    return findRule(tx, trustId)
  })
  if (!adopted) throw new Failure('TRUST_NOT_FOUND')
  return ruleView(config, adopted)
}
