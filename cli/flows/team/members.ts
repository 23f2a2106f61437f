import type { MemberView, Team } from '../../../shared/organization.ts'
import { flag } from '../command-line.ts'
import type { Subject } from '../flow.ts'
import { memberAddresses, memberCount, pickMember, userArgument } from '../member/members.ts'
import { organizationIdOf } from '../org/organizations.ts'
import { allMembers } from '../org/whole-organization.ts'
import type { Ports } from '../ports.ts'
import { findTeam, teamArgument, teamNames } from './teams.ts'

/** A member and a team of the same organization. */
export interface Placement {
  readonly member: MemberView
  readonly team: Team
  readonly org?: string | undefined
}

export const teamField = {
  kind: 'text',
  label: 'Team',
  flag: '--team <team>',
  summary: `the team: ${teamArgument}`,
  isOfSubject: true,
  key: 'teamId',
  complete: teamNames,
} as const

type InTeam = { readonly team: typeof teamField }

export async function teamNamed(ports: Ports, word: string): Promise<Team> {
  const connection = await ports.signedIn()
  return findTeam(connection, await organizationIdOf(connection, ports.organization), word)
}

export const placements: Subject<Placement, InTeam> = {
  argument: '<user...>',
  summary: `${userArgument}; - reads them from stdin, one a line`,
  key: 'userId',
  finder: async (ports, values) => {
    const team = await teamNamed(ports, values.team)
    const members = await allMembers((await ports.signedIn()).api, team.organizationId)
    return (word = '') => ({ member: pickMember(members, word), team })
  },
  words: ({ member, team, org }) => ({
    word: member.user.email,
    flags: ['--team', team.name, ...flag('org', org)],
  }),
  complete: memberAddresses,
}

export const peopleIn = (several: readonly Placement[]): string => memberCount(several.map(({ member }) => member))
export const teamIn = ([first]: readonly Placement[]): string => first?.team.name ?? 'the team'
