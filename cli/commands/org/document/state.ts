import type { OrganizationDocument } from './schema.ts'

/** A member or somebody invited; `team` by name, null in none. */
export interface CurrentPerson {
  readonly email: string
  readonly roles: readonly string[]
  readonly team: string | null
}

/** An organization as the service has it now, without ids. */
export interface CurrentOrganization {
  readonly organization: {
    readonly name: string
    readonly slug: string
    readonly logo: string | null
    readonly metadata: Readonly<Record<string, unknown>> | null
  }
  /** Null where the service has no teams. */
  readonly teams: readonly string[] | null
  readonly members: readonly CurrentPerson[]
  /** The pending ones. */
  readonly invitations: readonly CurrentPerson[]
}

/** Somebody who shall belong; an undefined team is none of the document's business. */
export interface WantedPerson {
  readonly email: string
  readonly roles: readonly string[]
  readonly team: string | null | undefined
}

/** Members and invitations alike: which of the two somebody is, is up to them. */
export function wantedPeople({ teams, members = [], invitations = [] }: OrganizationDocument): readonly WantedPerson[] {
  const areTeamsManaged = teams !== undefined
  return [...members, ...invitations]
    .map(({ email, roles, team }) => ({ email, roles, team: areTeamsManaged ? (team ?? null) : undefined }))
    .toSorted(byEmail)
}

export const byEmail = (one: { readonly email: string }, other: { readonly email: string }): number =>
  byText(one.email, other.email)

/** By code units: the same order on every machine. */
export const byText = (one: string, other: string): number => (one < other ? -1 : Number(one > other))

export const sameRoles = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((role) => others.includes(role))
