import { Failure } from '../../../shared/failure.ts'
import type { Config } from '../../config.ts'
import type { LockedMember, MemberTarget } from '../../db/members.ts'
import type { Standing } from '../../db/standing.ts'
import { can, covers, isOwner, requireAllowed } from '../organization/roles.ts'

/** An `@` makes it an address; our ids have none. Compared in lower case, as addresses are stored. */
export const readTarget = (text: string): MemberTarget =>
  text.includes('@') ? { memberId: null, email: text.toLowerCase() } : { memberId: text, email: null }

export interface Chosen {
  readonly actor: LockedMember
  readonly target: LockedMember
  readonly isOnlyOwner: boolean
}

/** Actor and target among the locked members; the same answer whichever is missing. */
export function chooseTarget(
  config: Config,
  members: readonly LockedMember[],
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
export const mayTouch = (config: Config, actor: Standing, held: readonly string[]): boolean =>
  isOwner(config, actor.roles) || (!isOwner(config, held) && covers(config, actor, held))

export const standingOf = ({ role, sponsorRoles }: LockedMember): Standing => ({ roles: role, sponsorRoles })

/** Only owners remove owners, and never the last one; who removes somebody needs the permission, and all that the other has. */
export function chooseRemoval(
  config: Config,
  members: readonly LockedMember[],
  actorId: string,
  wanted: MemberTarget,
): Chosen {
  const chosen = chooseTarget(config, members, actorId, wanted)
  const { actor, target, isOnlyOwner } = chosen
  const isBeyond = isOwner(config, target.role) && !isOwner(config, actor.role)
  if (isBeyond || isOnlyOwner) throw new Failure('ONLY_OWNER')
  const mayRemove = (as: Standing) => can(config, as, 'member:delete') && mayTouch(config, as, target.role)
  requireAllowed(standingOf(actor), mayRemove, 'MEMBER_DELETE_FORBIDDEN')
  return chosen
}
