import type { Input, Output } from '../../../shared/contract/call.ts'
import type { removeMember as Call } from '../../../shared/contract/member.ts'
import { Failure } from '../../../shared/failure.ts'
import { deleteMember, lockMembers } from '../../db/members.ts'
import { type Tx, transaction } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import type { Caller, Client } from '../../request/client.ts'
import { requireFresh } from '../../request/way-in.ts'
import { adoptMachines, revokeMachines } from '../key/machines-of-member.ts'
import { requireLive } from '../key/rights.ts'
import { organizationOf } from '../organization/actor.ts'
import { hideTeamIfOff } from '../organization/hide-teams.ts'
import { type Chosen, chooseRemoval, readTarget, standingOf } from './choose-target.ts'

type Asked = Input<typeof Call>

export async function removeMember(
  deps: Deps,
  client: Client,
  caller: Caller,
  { memberIdOrEmail, organizationId, keys }: Asked,
): Promise<Output<typeof Call>> {
  const { sql, config } = deps
  const organization = organizationOf(caller, organizationId, 'NO_ACTIVE_ORGANIZATION')
  const wanted = readTarget(memberIdOrEmail)
  const concerned = { organizationId: organization, userId: caller.user.id, ...wanted, ownerRole: config.CREATOR_ROLE }
  const settle = settlerOf(deps, client, caller, keys)
  const { member, machines } = await transaction(sql, async (tx) => {
    const chosen = chooseRemoval(config, await lockMembers(tx, concerned), caller.user.id, wanted)
    const { target } = chosen
    const about = { userId: caller.user.id, memberUserId: target.userId, organizationId: organization }
    const settled = await settle(tx, chosen)
    const left = await deleteMember(tx, target.id, client.event(tx, 'member-removed', about))
    return { member: target, machines: settled + left }
  })
  return { member: hideTeamIfOff(config, member), machines }
}

/** What is done with the machines of whoever is removed, and with how many; whether the caller may is asked before anything is read. */
function settlerOf({ config }: Deps, client: Client, caller: Caller, keys: Asked['keys']) {
  if (keys === 'adopt' && caller.key) throw new Failure('KEY_FORBIDDEN')
  const mayAdd = keys === 'adopt' ? requireFresh(caller) : null
  return async (tx: Tx, { actor, target }: Chosen): Promise<number> => {
    if (keys === undefined) return 0
    if (mayAdd === null) return revokeMachines(tx, client, target, caller.user.id)
    await requireLive(tx, caller)
    return adoptMachines(tx, client, target, { config, standing: standingOf(actor), mayAdd })
  }
}
