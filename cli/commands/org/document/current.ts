import { exitCodes } from '../../../../shared/exit-codes.ts'
import type { FullOrganization, MemberView } from '../../../../shared/organization.ts'
import type { OwnValues } from '../../../../shared/own-fields.ts'
import type { Connection } from '../../../client/connection.ts'
import { commandWith } from '../../../flows/command-line.ts'
import { organizationList } from '../../../flows/org/list.ts'
import {
  type ListedRole,
  permissionWords,
  teamIdsOf,
  toListedRole,
  wholeOrganization,
} from '../../../flows/org/view.ts'
import { renameTeam } from '../../../flows/team/teams.ts'
import { CliError, notFoundError } from '../../../output/cli-error.ts'
import { type PersonTeams, personTeams, teamList } from './person-teams.ts'
import { type OrganizationDocument, repeatedIndexes } from './schema.ts'

export interface KnownMember extends CurrentPerson {
  readonly memberId: string
  readonly userId: string
}

/** The current organization, and the ids by which calls identify its parts. */
export interface KnownOrganization {
  readonly organizationId: string
  readonly current: CurrentOrganization
  /** All its roles, those of the service too. */
  readonly roles: readonly ListedRole[]
  /** Keyed by name. */
  readonly teams: Map<string, string>
  /** Keyed by address. */
  readonly members: Map<string, KnownMember>
  /** Keyed by address. */
  readonly invitations: ReadonlyMap<string, string>
  readonly machines: readonly KnownMachine[]
}

/** A key or a trust rule as a member of the organization. */
export interface KnownMachine {
  readonly name: string
  readonly roles: readonly string[]
}

/**
 * Reads a whole organization, however many members it has. `now`, in milliseconds, decides which invitations are
 * pending.
 */
export async function readCurrent(
  { api }: Connection,
  organizationId: string,
  now: number,
): Promise<KnownOrganization> {
  const [full, listed] = await Promise.all([
    wholeOrganization(api, { organizationId }),
    api.role.listRoles({ organizationId }),
  ])
  if (!full) throw notFoundError(`No organization ${organizationId}`, commandWith(organizationList))
  const teams = teamsOf(full)
  const roles = listed.map(toListedRole)
  const names = new Map([...teams].map(([name, id]) => [id, name]))
  const members = full.members.filter(isPerson).map((view) => knownMember(view, names))
  const pending = full.invitations.filter(({ status, expiresAt }) => status === 'pending' && expiresAt.getTime() > now)
  return {
    organizationId,
    roles,
    teams,
    members: new Map(members.map((member) => [member.email, member])),
    invitations: new Map(pending.map(({ email, id }) => [email, id])),
    machines: full.members
      .filter((member) => !isPerson(member))
      .map(({ user, role }) => ({ name: user.name, roles: role })),
    current: {
      organization: { name: full.name, slug: full.slug, logo: full.logo, metadata: full.metadata, fields: full.fields },
      roles: roles.filter(({ own }) => own).map(currentRole),
      teams: full.teams && [...teams.keys()],
      members: members.map(({ email, roles, team }) => ({ email, roles, team })),
      invitations: pending.map((invitation) => ({ email: invitation.email, ...belonging(invitation, names) })),
    },
  }
}

const currentRole = ({ role, permissions }: ListedRole): CurrentRole => ({
  name: role,
  permissions: permissionWords(permissions),
})

/** A document identifies teams by name, so two teams with one name are refused (exit 7). */
function teamsOf({ teams }: FullOrganization): Map<string, string> {
  const all = teams ?? []
  const [twice] = repeatedIndexes(all.map(({ name }) => name))
  const name = all[twice ?? -1]?.name
  if (name === undefined) return new Map(all.map((team) => [team.name, team.id]))
  throw new CliError(exitCodes.conflict, `Two teams are called ${name}`, {
    code: 'AMBIGUOUS',
    details: all.filter((team) => team.name === name).map(({ id }) => id),
    hint: `Give one of them another name: ${commandWith(renameTeam, ['ID'])}`,
  })
}

/**
 * Machines come and go with their keys and trust rules, so documents do not list them and --prune leaves them alone.
 */
const isPerson = ({ user }: MemberView): boolean => !user.isMachine

const knownMember = (member: MemberView, names: ReadonlyMap<string, string>) => ({
  memberId: member.id,
  userId: member.userId,
  email: member.user.email,
  ...belonging(member, names),
})

const belonging = (one: Pick<MemberView, 'role' | 'teamId' | 'teamIds'>, names: ReadonlyMap<string, string>) => ({
  roles: one.role,
  team: teamsNamed(one, names),
})

export const teamsNamed = (one: Pick<MemberView, 'teamId' | 'teamIds'>, names: ReadonlyMap<string, string>) =>
  personTeams(teamIdsOf(one).flatMap((id) => names.get(id) ?? []))

/** A role that the organization made. */
export interface CurrentRole {
  readonly name: string
  /** As `role create` takes them. */
  readonly permissions: readonly string[]
}

/** A member or an invited person. */
export interface CurrentPerson {
  readonly email: string
  readonly roles: readonly string[]
  readonly team: PersonTeams
}

/** The current organization as the service has it, without ids. */
export interface CurrentOrganization {
  readonly organization: {
    readonly name: string
    readonly slug: string
    readonly logo: string | null
    readonly metadata: Readonly<Record<string, unknown>> | null
    readonly fields: OwnValues
  }
  /** Those that it made. */
  readonly roles: readonly CurrentRole[]
  /** Null if the service has no teams. */
  readonly teams: readonly string[] | null
  readonly members: readonly CurrentPerson[]
  /** Only pending invitations. */
  readonly invitations: readonly CurrentPerson[]
}

/** A person who should belong to the organization. The document does not manage an undefined team. */
export interface DesiredPerson {
  readonly email: string
  readonly roles: readonly string[]
  readonly team: PersonTeams | undefined
}

/** Members and invitations together: whether a person has accepted is up to them. */
export function desiredPeople({
  teams,
  members = [],
  invitations = [],
}: OrganizationDocument): readonly DesiredPerson[] {
  const areTeamsManaged = teams !== undefined
  return [...members, ...invitations]
    .map(({ email, roles, team }) => ({
      email,
      roles,
      team: areTeamsManaged ? personTeams(teamList(team)) : undefined,
    }))
    .toSorted(compareByEmail)
}

export const compareByEmail = (one: { readonly email: string }, other: { readonly email: string }): number =>
  compareText(one.email, other.email)

export const compareByName = (one: { readonly name: string }, other: { readonly name: string }): number =>
  compareText(one.name, other.name)

/** Compares by code units, which gives the same order on every machine. */
export const compareText = (one: string, other: string): number => (one < other ? -1 : Number(one > other))
