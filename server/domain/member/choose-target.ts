import { Failure } from '../../../shared/failure.ts'
import type { MemberView } from '../../../shared/organization.ts'
import { coversRoles } from '../../../shared/permissions.ts'
import type { Config } from '../../config.ts'
import type { MemberTarget } from '../../db/members.ts'
import { can, isOwner } from '../organization/roles.ts'

/** An `@` makes it an address; our ids have none. Compared in lower case, as addresses are stored. */
export const readTarget = (text: string): MemberTarget =>
  text.includes('@') ? { memberId: null, email: text.toLowerCase() } : { memberId: text, email: null }

export interface Chosen {
  readonly actor: MemberView
  readonly target: MemberView
  readonly isOnlyOwner: boolean
}

/** Actor and target among the locked members; the same answer whichever is missing. */
export function chooseTarget(
  config: Config,
  members: readonly MemberView[],
  actorId: string,
  { memberId, email }: MemberTarget,
): Chosen {
  const actor = members.find(({ userId }) => userId === actorId)
  const target = members.find((member) => member.id === memberId || member.user.email === email)
  if (!actor || !target) throw new Failure('MEMBER_NOT_FOUND')
  const owners = members.filter(({ role }) => isOwner(config, role))
  return { actor, target, isOnlyOwner: isOwner(config, target.role) && owners.length === 1 }
}

/**
 * Whether a member may lay hands on another: owners on everybody, anybody else on who is no owner and may do nothing that they
 * may not do themselves.
 */
export const mayTouch = (config: Config, actor: MemberView, target: MemberView): boolean =>
  isOwner(config, actor.role) || (!isOwner(config, target.role) && coversRoles(config.roles, actor.role, target.role))

/** Only owners remove owners, and never the last one; who removes somebody needs the permission, and all that the other has. */
export function chooseRemoval(
  config: Config,
  members: readonly MemberView[],
  actorId: string,
  wanted: MemberTarget,
): MemberView {
  const { actor, target, isOnlyOwner } = chooseTarget(config, members, actorId, wanted)
  const isBeyond = isOwner(config, target.role) && !isOwner(config, actor.role)
  if (isBeyond || isOnlyOwner) throw new Failure('ONLY_OWNER')
  if (!can(config.roles, actor.role, 'member:delete') || !mayTouch(config, actor, target))
    throw new Failure('MEMBER_DELETE_FORBIDDEN')
  return target
}
