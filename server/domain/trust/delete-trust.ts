import type { Input, Output } from '../../../shared/contract/call.ts'
import type { deleteTrust as Call } from '../../../shared/contract/trust.ts'
import { Failure } from '../../../shared/failure.ts'
import { insertAuditEvent } from '../../db/audit-events.ts'
import { deleteMachine } from '../../db/machine-users.ts'
import { findActor } from '../../db/organization-actors.ts'
import { lockOrganization } from '../../db/organizations.ts'
import { transaction } from '../../db/transaction.ts'
import { findRule } from '../../db/trust-rules.ts'
import type { Deps } from '../../deps.ts'
import type { Caller, Client } from '../../request/client.ts'
import { canSeeKeys } from '../key/rights.ts'
import { can } from '../organization/roles.ts'

/** With its machine user, whose sessions end at once. A rule of others is as if it were not there. */
export async function deleteTrust(
  { sql, config }: Deps,
  client: Client,
  { user }: Caller,
  { trustId }: Input<typeof Call>,
): Promise<Output<typeof Call>> {
  const deleted = await transaction(sql, async (tx) => {
    const rule = await findRule(tx, trustId)
    if (!rule) throw new Failure('TRUST_NOT_FOUND')
    await lockOrganization(tx, rule.organizationId)
    const held = (await findActor(tx, rule.organizationId, user.id))?.roles ?? []
    if (!canSeeKeys(config, held)) throw new Failure('TRUST_NOT_FOUND')
    if (!can(config.roles, held, 'member:delete')) throw new Failure('KEY_REVOKE_FORBIDDEN')
    if (!(await deleteMachine(tx, rule.organizationId, rule.userId))) throw new Failure('TRUST_NOT_FOUND')
    const { organizationId } = rule
    const event = client.event('trust-deleted', { userId: user.id, organizationId, target: trustId })
    await insertAuditEvent(tx, event)
    return { event, rule }
  })
  client.note(deleted.event)
  return deleted.rule
}
