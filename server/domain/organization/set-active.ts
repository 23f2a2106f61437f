import type { Input, Output } from '../../../shared/contract/call.ts'
import type { setActive as Call } from '../../../shared/contract/organization.ts'
import { Failure } from '../../../shared/failure.ts'
import { clearActiveOrganization, setActiveOrganization } from '../../db/organizations.ts'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../request/client.ts'
import { withoutTeams } from './hide-teams.ts'
import { getFullOrganization } from './read.ts'

/** `null` chooses none; without an id and a slug the active one is chosen again. A refusal changes nothing. */
export async function setActive(deps: Deps, caller: Caller, input: Input<typeof Call>): Promise<Output<typeof Call>> {
  const { organizationId, organizationSlug } = input
  if (organizationId === null && organizationSlug === undefined) {
    await clearActiveOrganization(deps.sql, caller.session.id)
    return null
  }
  const chosen = { organizationId: organizationId ?? undefined, organizationSlug }
  const organization = await getFullOrganization(deps, caller, chosen)
  if (!organization) return null
  const isChosen = await setActiveOrganization(deps.sql, caller.session, organization.id)
  if (!isChosen) throw new Failure('NOT_A_MEMBER_FORBIDDEN')
  return withoutTeams(organization)
}
