import type { FullOrganization, MemberView } from '../../../shared/organization.ts'
import type { Connection } from '../../client/connection.ts'

type Api = Connection['api']

/**
 * All of an organization, the active one where none is named, also when an answer holds only the start of its lists. Null:
 * there is none.
 */
export async function wholeOrganization(
  api: Api,
  named: { readonly organizationId?: string | undefined },
): Promise<FullOrganization | null> {
  const full = await api.organization.getFullOrganization(named)
  if (!full?.incomplete) return full
  const { incomplete, ...start } = full
  const organizationId = full.id
  const [members, invitations, teams] = await Promise.all([
    incomplete.includes('members') ? allMembers(api, organizationId) : full.members,
    incomplete.includes('invitations') ? api.invitation.listInvitations({ organizationId }) : full.invitations,
    incomplete.includes('teams') ? api.team.listTeams({ organizationId }) : full.teams,
  ])
  return { ...start, members, invitations, teams }
}

/** All members, page by page; the organization is the active one where none is named. */
export async function allMembers(api: Api, organizationId: string | undefined): Promise<MemberView[]> {
  const found: MemberView[] = []
  for (;;) {
    const { members, total } = await api.member.listMembers({
      organizationId,
      limit: '100',
      offset: String(found.length),
    })
    found.push(...members)
    if (members.length === 0 || found.length >= total) return found
  }
}
