import type { DocumentPerson, OrganizationDocument } from './schema.ts'
import { byEmail, byText, type CurrentOrganization, type CurrentPerson } from './state.ts'

/** An organization as a document, always in the same order. A pending invitation to somebody who is a member is left out. */
export function documentOf({ organization, teams, members, invitations }: CurrentOrganization): OrganizationDocument {
  const { name, slug, logo, metadata } = organization
  const emails = new Set(members.map(({ email }) => email))
  return {
    organization: { name, slug, logo, metadata: metadata as OrganizationDocument['organization']['metadata'] },
    ...(teams && { teams: teams.toSorted(byText).map((team) => ({ name: team })) }),
    members: members.map(entryOf).toSorted(byEmail),
    invitations: invitations
      .filter(({ email }) => !emails.has(email))
      .map(entryOf)
      .toSorted(byEmail),
  }
}

const entryOf = ({ email, roles, team }: CurrentPerson): DocumentPerson => ({
  email,
  roles: roles.toSorted(byText),
  ...(team !== null && { team }),
})
