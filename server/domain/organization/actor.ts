import type { FailureName } from '../../../shared/errors.ts'
import { Failure } from '../../../shared/failure.ts'
import { type Actor, findActor } from '../../db/organization-actors.ts'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../request/client.ts'

interface Failures {
  /** When no organization is named and none is active. */
  readonly none: FailureName
  /** For somebody who is no member. Also for an organization that does not exist: nobody learns which do. */
  readonly outsider: FailureName
}

/** The organization that is meant: the named one, or the session's active one. Says nothing about membership. */
export function organizationOf({ session }: Caller, named: string | undefined, none: FailureName): string {
  const id = named ?? session.activeOrganizationId
  if (!id) throw new Failure(none)
  return id
}

/** The caller as a member of the organization that is meant. */
export async function requireActor(
  { sql }: Deps,
  caller: Caller,
  named: string | undefined,
  { none, outsider }: Failures,
): Promise<Actor> {
  const actor = await findActor(sql, organizationOf(caller, named, none), caller.user.id)
  if (!actor) throw new Failure(outsider)
  return actor
}
