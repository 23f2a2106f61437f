import type { FullOrganization, Organization } from '../../shared/organization.ts'

/** Dates inside json come as text. */
type InJson<T> = { [K in keyof T]: T[K] extends Date ? string : T[K] extends Date | null ? string | null : T[K] }

export interface FullRow extends Organization {
  readonly members: readonly InJson<FullOrganization['members'][number]>[]
  readonly invitations: readonly InJson<FullOrganization['invitations'][number]>[]
  readonly teams: readonly InJson<NonNullable<FullOrganization['teams']>[number]>[]
}

export const fullOf = ({ members, invitations, teams, ...organization }: FullRow): FullOrganization => ({
  ...organization,
  members: members.map((member) => ({ ...member, createdAt: new Date(member.createdAt) })),
  invitations: invitations.map((invitation) => ({ ...invitation, expiresAt: new Date(invitation.expiresAt) })),
  teams: teams.map((team) => ({
    ...team,
    createdAt: new Date(team.createdAt),
    updatedAt: team.updatedAt === null ? null : new Date(team.updatedAt),
  })),
})
